import type { KnownEventType } from '../schemas/event.js';

/** An order as the mock hub tracks it: where it stands, and whether either side asks to cancel. */
export interface OrderState {
  state: KnownEventType;
  asked: 'merchant' | 'platform' | undefined;
}

interface Command {
  readonly from: readonly KnownEventType[] | 'any';
  /** Who must be asking to cancel for it to be legal. */
  readonly asked?: 'platform';
  readonly emits: KnownEventType;
  readonly status: 202 | 204;
  readonly problem: string;
}

/** Legal commands, after the lifecycle of the standard (v1.7.0). */
const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    'confirm',
    { from: ['CREATED'], emits: 'CONFIRMED', status: 202, problem: 'the order is confirmed already' },
  ],
  [
    'preparing',
    {
      from: ['CONFIRMED'],
      emits: 'PREPARING',
      status: 202,
      problem: 'the order is not waiting for preparation',
    },
  ],
  [
    'readyForPickup',
    {
      from: ['CONFIRMED', 'PREPARING'],
      emits: 'READY_FOR_PICKUP',
      status: 202,
      problem: 'the order is not in preparation',
    },
  ],
  [
    'dispatch',
    {
      from: ['CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP'],
      emits: 'DISPATCHED',
      status: 202,
      problem: 'the order cannot be dispatched',
    },
  ],
  [
    'pickedUp',
    {
      from: ['READY_FOR_PICKUP'],
      emits: 'PICKED_UP',
      status: 202,
      problem: 'the order is not ready for pickup',
    },
  ],
  [
    'delivered',
    {
      from: ['DISPATCHED', 'READY_FOR_PICKUP', 'PICKED_UP'],
      emits: 'DELIVERED',
      status: 202,
      problem: 'the order is not under way',
    },
  ],
  [
    'requestCancellation',
    {
      from: 'any',
      emits: 'CANCELLATION_REQUESTED',
      status: 202,
      problem: 'a cancellation is asked for already',
    },
  ],
  [
    'acceptCancellation',
    {
      from: 'any',
      asked: 'platform',
      emits: 'CANCELLED',
      status: 204,
      problem: 'no cancellation is pending',
    },
  ],
  [
    'denyCancellation',
    {
      from: 'any',
      asked: 'platform',
      emits: 'CANCELLED_DENIED',
      status: 204,
      problem: 'no cancellation is pending',
    },
  ],
]);

const TERMINAL: ReadonlySet<KnownEventType> = new Set(['CONCLUDED', 'CANCELLED']);

/** What a command does to an order: the event it leads to, or why it is not possible. */
export function judge(
  order: OrderState,
  name: string,
  orderType: string,
): { emits: KnownEventType; status: 202 | 204 } | { problem: string; isReached: boolean } | undefined {
  const command = COMMANDS.get(name);
  if (!command) return undefined;
  const { from, asked, emits, status, problem } = command;
  const stateFits = from === 'any' ? !TERMINAL.has(order.state) : from.includes(order.state);
  const overlayFits = asked ? order.asked === asked : name !== 'requestCancellation' || !order.asked;
  if (stateFits && overlayFits && typeFits(name, order.state, orderType)) return { emits, status };
  return { problem, isReached: order.state === emits };
}

/** Only a DELIVERY is dispatched; what is handed over where it is ready, is not delivered. */
function typeFits(name: string, state: KnownEventType, orderType: string): boolean {
  if (name === 'dispatch') return orderType === 'DELIVERY';
  return name !== 'delivered' || state !== 'READY_FOR_PICKUP' || orderType !== 'DELIVERY';
}

/** Types that move the order itself. */
const MOVES: ReadonlySet<string> = new Set<KnownEventType>([
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

/** IssueCollector an emitted event: the state, and apart from it who asks to cancel. */
export function project(order: OrderState, eventType: string): void {
  if (MOVES.has(eventType)) order.state = eventType as KnownEventType;
  if (eventType === 'CANCELLATION_REQUESTED') order.asked = 'merchant';
  else if (eventType === 'ORDER_CANCELLATION_REQUEST') order.asked = 'platform';
  else if (['CANCELLED', 'CANCELLED_DENIED', 'CANCELLATION_REQUEST_DENIED'].includes(eventType)) {
    order.asked = undefined;
  }
}
