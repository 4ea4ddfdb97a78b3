import { StateError } from '../errors.js';
import { HANDLED, type Lease, type Reservation } from './port.js';

/** @throws {StateError} the result is not a reservation: taken for a refusal without a wait, it would be requested in a busy loop. */
export function checkReservation(result: Reservation): Reservation {
  if (isRefusal(result) || (result?.granted === true && typeof result.id === 'string')) return result;
  throw invalid('reserve', "{ granted: true, id: '…', remaining } or { granted: false, waitMs > 0, reason }");
}

/** @throws {StateError} the result is not a lease: a poller needs a fence, or a time to wait. */
export function checkLease(result: Lease): Lease {
  if (isRefusal(result) || (result?.granted === true && Number.isSafeInteger(result.fence))) return result;
  throw invalid('lease', '{ granted: true, fence: an integer } or { granted: false, waitMs > 0 }');
}

/**
 * @returns a check for one valid mark per id.
 * @throws {StateError} from that check: a guess could acknowledge an event that no listener has seen.
 */
export function marksCheck(
  name: 'recall' | 'count',
  ids: readonly string[],
): (result: readonly number[]) => readonly number[] {
  return (result) => {
    if (Array.isArray(result) && result.length === ids.length && result.every(isMark)) return result;
    throw invalid(name, `an array with one integer from 0 to ${HANDLED} per id`);
  };
}

function isRefusal(result: Reservation | Lease): boolean {
  return result?.granted === false && Number.isFinite(result.waitMs) && result.waitMs > 0;
}

const isMark = (mark: unknown) => Number.isInteger(mark) && Number(mark) >= 0 && Number(mark) <= HANDLED;

const invalid = (name: string, expected: string) =>
  new StateError(`the state returned an invalid result from ${name}(); a State must return ${expected}`);
