import { COMMAND_KINDS } from '../hub/order-kinds.js';
import { COMMAND_EVENTS } from '../orders/already-there.js';
import {
  canonicalEventType,
  isFinalStage,
  isOrderStage,
  type KnownEventType,
  lifecycleRank,
} from '../schemas/event-types.js';
import type { Json } from './fixtures.js';
import { DELIVERERS } from './order-amounts.js';

/** How far an order has come, and apart from that, who has asked to cancel it. */
export interface OrderState {
  /** The type of the last event that moved the order. */
  stage: KnownEventType;
  /** The sides whose cancellation requests are open: each may have asked before it knew of the other. */
  readonly cancellationBy: Set<Side>;
}

type Side = 'merchant' | 'platform';

interface Command {
  /** The stages in which the command is legal; `'open'`: in all but CONCLUDED and CANCELLED. */
  readonly from: readonly KnownEventType[] | 'open';
  /** The command answers a cancellation request of the platform. */
  readonly needsRequest?: true;
  /** The title of the 422 response. */
  readonly problem: string;
}

const NOT_REQUESTED = 'the hub has not requested a cancellation';

/** When each command is legal, by the lifecycle of the standard (v1.7.1). */
const COMMANDS: Readonly<Record<string, Command>> = {
  confirm: { from: ['CREATED'], problem: 'the order is already confirmed' },
  preparing: { from: ['CONFIRMED'], problem: 'the order is not waiting for preparation' },
  readyForPickup: { from: ['CONFIRMED', 'PREPARING'], problem: 'the order is not in preparation' },
  dispatch: {
    from: ['CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP'],
    problem: 'the order cannot be dispatched',
  },
  pickedUp: { from: ['READY_FOR_PICKUP'], problem: 'the order is not ready for pickup' },
  delivered: {
    from: ['DISPATCHED', 'READY_FOR_PICKUP', 'PICKED_UP'],
    problem: 'the order is not on its way to the customer',
  },
  requestCancellation: {
    from: 'open',
    problem: 'the order is finished, or a cancellation request is already open',
  },
  acceptCancellation: { from: 'open', needsRequest: true, problem: NOT_REQUESTED },
  denyCancellation: { from: 'open', needsRequest: true, problem: NOT_REQUESTED },
};

interface Accepted {
  readonly emits: KnownEventType;
  readonly status: 202 | 204;
}

interface Rejected {
  readonly problem: string;
  /** The order is already in the stage that the command leads to. */
  readonly isRepeated: boolean;
}

/** In words, such as `CONFIRMED platform`. */
export const describeState = ({ stage, cancellationBy }: OrderState): string =>
  [stage, ...[...cancellationBy].sort()].join(' ');

/** Decides whether a command is legal for an order. Undefined: there is no such command. */
export function checkCommand(
  order: OrderState,
  name: string,
  orderType: string,
): Accepted | Rejected | undefined {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const emits = COMMAND_EVENTS.get(name);
  if (!command || !emits) return undefined;
  const { from, needsRequest, problem } = command;
  const isLegal =
    (from === 'open' ? !isFinalStage(order.stage) : from.includes(order.stage)) &&
    (!needsRequest || order.cancellationBy.has('platform')) &&
    (name !== 'requestCancellation' || order.cancellationBy.size === 0) &&
    suitsOrderType(name, order.stage, orderType);
  return isLegal
    ? { emits, status: needsRequest ? 204 : 202 }
    : { problem, isRepeated: order.stage === emits };
}

/** Only a DELIVERY is dispatched. An order that the customer picks up is delivered where it is ready. */
function suitsOrderType(name: string, stage: KnownEventType, orderType: string): boolean {
  if (name === 'dispatch') return orderType === 'DELIVERY';
  return name !== 'delivered' || stage !== 'READY_FOR_PICKUP' || orderType !== 'DELIVERY';
}

const TYPES: ReadonlySet<unknown> = new Set(['DELIVERY', 'TAKEOUT', 'INDOOR']);
const KNOWN_DELIVERERS: ReadonlySet<unknown> = new Set(DELIVERERS);

/**
 * Says that a command is for another kind of order; undefined: it is for this one. If the standard does not name the
 * order's type, or who delivers it, nothing can be said.
 */
export function mistakeInKind(command: string, { type, delivery }: Json): string | undefined {
  const kind = COMMAND_KINDS.get(command);
  if (!kind || !TYPES.has(type)) return undefined;
  const { deliveredBy } = (delivery ?? {}) as Json;
  const isDelivered = type === 'DELIVERY' && KNOWN_DELIVERERS.has(deliveredBy);
  if (kind.type === type && (!isDelivered || kind.deliveredBy === deliveredBy)) return undefined;
  const given = isDelivered ? { type, deliveredBy } : { type };
  return `it is only for ${describeKind(kind)}, and this order is ${describeKind(given)}`;
}

const describeKind = ({ type, deliveredBy }: { readonly type: unknown; readonly deliveredBy?: unknown }) =>
  `${String(type)}${deliveredBy === undefined ? '' : ` by the ${String(deliveredBy)}`}`;

/** Which request to cancel an event answers. */
const ANSWERED_BY: ReadonlyMap<string, Side> = new Map([
  ['CANCELLED_DENIED', 'platform'],
  ['CANCELLATION_REQUEST_DENIED', 'merchant'],
]);

/**
 * Updates an order's state after the hub has emitted an event for it. An event
 * of an earlier stage is late, and moves nothing.
 *
 * @returns whether the event was late.
 */
export function applyEvent(order: OrderState, givenType: string): boolean {
  const eventType = canonicalEventType(givenType);
  if (isOrderStage(eventType)) {
    const isLater = lifecycleRank(eventType) >= lifecycleRank(order.stage);
    if (isFinalStage(order.stage) ? eventType !== order.stage : !isLater) return true;
    order.stage = eventType;
  }
  const { cancellationBy } = order;
  const answered = ANSWERED_BY.get(eventType);
  if (eventType === 'CANCELLATION_REQUESTED') cancellationBy.add('merchant');
  else if (eventType === 'ORDER_CANCELLATION_REQUEST') cancellationBy.add('platform');
  else if (eventType === 'CANCELLED') cancellationBy.clear();
  else if (answered) cancellationBy.delete(answered);
  return false;
}
