import { type ApiError, isHubError, UnexpectedStatusError } from '../errors/index.js';
import { type HubResponse, isMarkup, pageError, textOf } from '../http/body.js';
import { isObject, parseJson } from '../reading/json.js';
import {
  canonicalEventType,
  isOrderStage,
  type KnownEventType,
  lifecycleRank,
} from '../schemas/event-types.js';
import type { Order } from '../schemas/order.js';

/** The event that each command leads to. */
export const COMMAND_EVENTS: ReadonlyMap<string, KnownEventType> = new Map([
  ['confirm', 'CONFIRMED'],
  ['preparing', 'PREPARING'],
  ['readyForPickup', 'READY_FOR_PICKUP'],
  ['dispatch', 'DISPATCHED'],
  ['pickedUp', 'PICKED_UP'],
  ['delivered', 'DELIVERED'],
  ['requestCancellation', 'CANCELLATION_REQUESTED'],
  ['acceptCancellation', 'CANCELLED'],
  ['denyCancellation', 'CANCELLED_DENIED'],
]);

/**
 * A hub that has accepted a command may send any body, or none; a page comes from something between it and us.
 *
 * @throws {InvalidResponseError} the body is a page: the outcome of the command is unknown.
 */
export function requireNoPage(response: HubResponse): void {
  if (isMarkup(textOf(response))) throw pageError('orderStatus', { outcome: 'unknown' });
}

/** Whether the hub has refused a command because of the order's state, and the order's last event can say more. */
const isRefusedByState = (status: string, error: unknown): error is ApiError =>
  error instanceof UnexpectedStatusError && error.status === 422 && COMMAND_EVENTS.has(status);

/**
 * Refusals of commands whose orders could not be read, but may be later: an order may be there already. None of an answer
 * to a cancellation: sent again, it would answer the next one.
 */
export const unsettled = new WeakSet<ApiError>();

/**
 * Whether the hub has refused a command because its order is already where that leads.
 *
 * @param read - reads the order.
 * @throws the reason of the signal.
 */
export async function isThere(
  status: string,
  error: unknown,
  read: () => Promise<OrderShown>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!isRefusedByState(status, error)) return false;
  if (status === 'requestCancellation') {
    const result = cancellationStatusOf(error.body);
    if (result !== undefined) return result === 'CANCELLED';
  }
  try {
    return isAlreadyThere(status, await read());
  } catch (failure) {
    signal?.throwIfAborted();
    const isRepeatable = !status.endsWith('Cancellation');
    if (isRepeatable && isHubError(failure) && failure.retryable) unsettled.add(error);
    // The refusal says more than the failure to read the order.
    return false;
  }
}

/** The part of an order that shows how far it is. */
type OrderShown = Partial<Pick<Order, 'lastEvent' | 'type'>>;

/** The events that only inform, each with the stage that its order has reached. */
const STAGE_BEHIND: ReadonlyMap<string, KnownEventType> = new Map([
  ['PREPARATION_REQUESTED', 'CONFIRMED'],
  ['PICKUP_AREA_ASSIGNED', 'READY_FOR_PICKUP'],
]);

/** The other side's request to cancel an order, and a denial, leave the order's stage as it is, and hide it. */
const HIDES_STAGE: ReadonlySet<string> = new Set<KnownEventType>([
  'ORDER_CANCELLATION_REQUEST',
  'CANCELLED_DENIED',
  'CANCELLATION_REQUEST_DENIED',
]);

/**
 * Whether an order is already where the command leads, or past it, so that the hub has refused the command.
 *
 * @param order - as the hub shows it. An event that only informs stands for the stage behind it.
 */
function isAlreadyThere(status: string, { lastEvent = '', type }: OrderShown): boolean {
  const shown = canonicalEventType(lastEvent);
  // By the standard, an order in its first stage can be confirmed, so the refusal shows that it has left that. If
  // `confirm` failed, CREATED would hold back the request, whose answer alone changes what is shown.
  if (status === 'confirm' && HIDES_STAGE.has(shown)) return true;
  return isShownBy(status, { lastEvent: STAGE_BEHIND.get(shown) ?? lastEvent, type });
}

/**
 * Whether an order shows that a command which the hub has not answered was carried out. An event that only informs shows
 * nothing: some hubs send it before the stage that it belongs to.
 */
export function isShownBy(status: string, { lastEvent, type: kind }: OrderShown): boolean {
  const target = COMMAND_EVENTS.get(status);
  if (target === undefined || lastEvent === undefined) return false;
  // It is refused for its kind.
  if (status === 'dispatch' && kind === 'TAKEOUT') return false;
  const type = canonicalEventType(lastEvent);
  if (type === target) return true;
  if (status === 'requestCancellation') return type === 'CANCELLED';
  // A cancelled order is not past anything.
  return isOrderStage(type) && type !== 'CANCELLED' && lifecycleRank(type) > lifecycleRank(target);
}

/**
 * Whether an order's last event comes before the one that the command leads to: the command was not carried out. A
 * cancellation, or a type that only this hub has, can come at any time and shows nothing; and after a denial, the order
 * goes on.
 */
export function isBefore(status: string, lastEvent: string): boolean {
  const target = COMMAND_EVENTS.get(status);
  const type = canonicalEventType(lastEvent);
  const stage = STAGE_BEHIND.get(type) ?? type;
  // The request is open as long as nothing has answered it.
  const isOpen = type === 'ORDER_CANCELLATION_REQUEST';
  if (status === 'denyCancellation') return isOpen;
  if (isOpen) return status === 'acceptCancellation';
  return target !== undefined && isOrderStage(stage) && lifecycleRank(stage) < lifecycleRank(target);
}

/** The result of a cancellation request, if the 422 has it (standard v1.7.1, `cancellationStatus`). */
function cancellationStatusOf(body: string): unknown {
  const parsed = parseJson(body);
  return isObject(parsed) ? parsed.cancellationStatus : undefined;
}
