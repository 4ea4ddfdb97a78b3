import { StateError } from '../errors/index.js';
import type { Lease, Mark, Reservation } from './port.js';

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

/** @throws {StateError} there is not one valid mark per id: a guess could acknowledge an event that no listener has seen. */
export function checkMarks(result: readonly Mark[], count: number): readonly Mark[] {
  if (Array.isArray(result) && result.length === count && result.every(isMark)) return result;
  throw invalid('recall', 'an array with { handled: a boolean, attempts: an integer from 0 } for each id');
}

function isRefusal(result: Reservation | Lease): boolean {
  return result?.granted === false && Number.isFinite(result.waitMs) && result.waitMs > 0;
}

const isMark = (mark: Mark | undefined) =>
  typeof mark?.handled === 'boolean' && Number.isSafeInteger(mark.attempts) && mark.attempts >= 0;

const invalid = (name: string, expected: string) =>
  new StateError(`the state returned an invalid result from ${name}(); a State must return ${expected}`);
