import { type ApiError, UnexpectedStatusError } from '../errors.js';
import { canonicalEventType, isOrderStage, lifecycleRank } from '../schemas/event-types.js';

/** The event that each command leads to. */
const TARGETS: ReadonlyMap<string, string> = new Map([
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

/** Whether the hub has refused a command because of the order's state, and the order's last event can say more. */
export const isRefusedByState = (status: string, error: unknown): error is ApiError =>
  error instanceof UnexpectedStatusError && error.status === 422 && TARGETS.has(status);

/**
 * Whether an order is already where the command leads, or past it.
 *
 * @param lastEvent - the order's, by the hub.
 */
export function isAlreadyThere(status: string, lastEvent: string | undefined): boolean {
  const target = TARGETS.get(status);
  if (target === undefined || lastEvent === undefined) return false;
  const type = canonicalEventType(lastEvent);
  if (type === target) return true;
  if (status === 'requestCancellation') return type === 'CANCELLED';
  // A cancelled order is not past anything.
  return isOrderStage(type) && type !== 'CANCELLED' && lifecycleRank(type) > lifecycleRank(target);
}

/** The result of a cancellation request, if the 422 has it (standard v1.7.0, `cancellationStatus`). */
export function cancellationStatusOf(body: string): unknown {
  return fieldOf(body, 'cancellationStatus');
}

/** A field of an error body; undefined if the body is not JSON with that field. */
export function fieldOf(body: string, name: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, name) : undefined;
  } catch {
    return undefined;
  }
}
