/** The kind of order that a command is for. */
interface OrderKind {
  readonly type: 'DELIVERY' | 'TAKEOUT';
  /** Absent: there is no delivery. */
  readonly deliveredBy?: 'MERCHANT';
}

const DELIVERY_BY_MERCHANT: OrderKind = { type: 'DELIVERY', deliveredBy: 'MERCHANT' };

/** The commands that are for one kind of order only, by the standard (v1.7.0) and the hosts. All others are for every order. */
export const COMMAND_KINDS: ReadonlyMap<string, OrderKind> = new Map([
  ['dispatch', DELIVERY_BY_MERCHANT],
  ['delivered', DELIVERY_BY_MERCHANT],
  ['tracking', DELIVERY_BY_MERCHANT],
  ['pickedUp', { type: 'TAKEOUT' }],
]);
