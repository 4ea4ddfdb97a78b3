/** The event types of Spec §6.1 in the order of an order's life. The cancellation types come last. */
export const EVENT_TYPES = [
  'CREATED',
  'CONFIRMED',
  'PREPARATION_REQUESTED',
  'PREPARING',
  'READY_FOR_PICKUP',
  'PICKUP_AREA_ASSIGNED',
  'DISPATCHED',
  'PICKED_UP',
  'DELIVERED',
  'CONCLUDED',
  'CANCELLED',
  'CANCELLATION_REQUESTED',
  'CANCELLATION_REQUEST_DENIED',
  'ORDER_CANCELLATION_REQUEST',
  'CANCELLED_DENIED',
] as const;

/**
 * An event type of Spec §6.1.
 *
 * @see Spec §6.1
 */
export type KnownEventType = (typeof EVENT_TYPES)[number];

/** An event type of Spec §6.1, or a type that only this hub has. A hub can add types at any time. */
export type EventType = KnownEventType | (string & {});

/** Types that a store has to answer: without a listener they stay at the hub. */
export const NEEDS_ANSWER: ReadonlySet<string> = new Set<KnownEventType>([
  'CREATED',
  'ORDER_CANCELLATION_REQUEST',
  'PREPARATION_REQUESTED',
]);

/** How far an order has come: the name of the event type that moved it there. */
export type OrderStage =
  | 'CREATED'
  | 'CONFIRMED'
  | 'PREPARING'
  | 'READY_FOR_PICKUP'
  | 'DISPATCHED'
  | 'PICKED_UP'
  | 'DELIVERED'
  | 'CONCLUDED'
  | 'CANCELLED';

/** The event types that move an order on. */
const STAGES: ReadonlySet<unknown> = new Set<OrderStage>([
  'CREATED',
  'CONFIRMED',
  'PREPARING',
  'READY_FOR_PICKUP',
  'DISPATCHED',
  'PICKED_UP',
  'DELIVERED',
  'CONCLUDED',
  'CANCELLED',
]);

/** Whether an event of this type moves an order on. All other types only inform. */
export const isOrderStage = (type: unknown): type is OrderStage => STAGES.has(type);

/** Whether nothing can follow. */
export const isFinalStage = (type: unknown): boolean => type === 'CONCLUDED' || type === 'CANCELLED';

/** Names from older versions of the standard, each with the present name. */
const ALIASES: ReadonlyMap<string, KnownEventType> = new Map([
  ['CANCELLATION_DENIED', 'CANCELLED_DENIED'],
  ['ORDER_CANCELLATION_REQUESTED', 'ORDER_CANCELLATION_REQUEST'],
]);

const KNOWN: ReadonlySet<string> = new Set<string>(EVENT_TYPES);

/**
 * The name under which an event is dispatched. An older name, another letter case and spaces around it become the
 * present name of Spec §6.1; a type that Spec §6.1 does not list is returned unchanged.
 */
export function canonicalEventType(received: string): EventType {
  const exact = ALIASES.get(received) ?? received;
  if (KNOWN.has(exact)) return exact;
  const upper = received.trim().toUpperCase();
  const known = ALIASES.get(upper) ?? upper;
  return KNOWN.has(known) ? known : received;
}

/**
 * Whether Spec §6.1 lists the type, under its present name or an older one.
 *
 * @param letterCase - `any` also accepts `created`, because some hubs send it.
 */
export function isKnownEventType(received: string, letterCase: 'any' | 'exact' = 'any'): boolean {
  if (letterCase === 'any') return KNOWN.has(canonicalEventType(received));
  return KNOWN.has(received) || ALIASES.has(received);
}

/** The rank of CANCELLED. The other cancellation types and unknown types share it. */
const LAST_RANK = EVENT_TYPES.indexOf('CANCELLED');

const RANKS: ReadonlyMap<string, number> = new Map(
  EVENT_TYPES.map((type, rank) => [type, Math.min(rank, LAST_RANK)]),
);

/** The position of a type in an order's life. It orders events that have the same `createdAt`. */
export function lifecycleRank(type: string): number {
  return RANKS.get(type) ?? LAST_RANK;
}
