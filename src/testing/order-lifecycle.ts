import { COMMAND_EVENTS } from '../orders/already-there.js';
import { isFinalStage, isOrderStage, type KnownEventType, lifecycleRank } from '../schemas/event-types.js';

/** How far an order has come, and apart from that, who has asked to cancel it. */
export interface OrderState {
  /** The type of the last event that moved the order. */
  stage: KnownEventType;
  /** The side whose cancellation request is open. */
  cancellationBy: 'merchant' | 'platform' | undefined;
}

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

export interface Accepted {
  readonly emits: KnownEventType;
  readonly status: 202 | 204;
}

export interface Rejected {
  readonly problem: string;
  /** The order is already in the stage that the command leads to. */
  readonly isRepeated: boolean;
}

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
    (needsRequest ? order.cancellationBy === 'platform' : true) &&
    (name === 'requestCancellation' ? order.cancellationBy === undefined : true) &&
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

/** Which request to cancel an event answers. */
const ANSWERED_BY: ReadonlyMap<string, OrderState['cancellationBy']> = new Map([
  ['CANCELLED_DENIED', 'platform'],
  ['CANCELLATION_REQUEST_DENIED', 'merchant'],
]);

/**
 * Updates an order's state after the hub has emitted an event for it. An event
 * of an earlier stage is late, and moves nothing.
 *
 * @returns whether the event was late.
 */
export function applyEvent(order: OrderState, eventType: string): boolean {
  if (isOrderStage(eventType)) {
    const isLater = lifecycleRank(eventType) >= lifecycleRank(order.stage);
    if (isFinalStage(order.stage) ? eventType !== order.stage : !isLater) return true;
    order.stage = eventType;
  }
  if (eventType === 'CANCELLATION_REQUESTED') order.cancellationBy = 'merchant';
  else if (eventType === 'ORDER_CANCELLATION_REQUEST') order.cancellationBy = 'platform';
  else if (eventType === 'CANCELLED' || ANSWERED_BY.get(eventType) === order.cancellationBy) {
    order.cancellationBy = undefined;
  }
  return false;
}
