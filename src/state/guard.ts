import { StateError } from '../errors.js';
import { isThenable } from '../observers.js';
import type { MaybePromise, Reservation, State } from './port.js';

/**
 * A state of the application's as the client uses it: whatever can be awaited
 * is a promise of this realm, and a reservation is one.
 */
export function guardState(state: State): State {
  return {
    get: (...parameters) => promised(state.get(...parameters)),
    set: (...parameters) => promised(state.set(...parameters)),
    delete: (...parameters) => promised(state.delete(...parameters)),
    reserve: (...parameters) => {
      const answer = promised(state.reserve(...parameters));
      return answer instanceof Promise ? answer.then(checked) : checked(answer);
    },
    settle: (...parameters) => promised(state.settle(...parameters)),
    shut: (...parameters) => promised(state.shut(...parameters)),
    remember: (...parameters) => promised(state.remember(...parameters)),
    recall: (...parameters) => promised(state.recall(...parameters)),
  };
}

function promised<T>(value: MaybePromise<T>): MaybePromise<T> {
  return isThenable(value) ? Promise.resolve(value) : value;
}

/** @throws {StateError} it is no answer: taken for one, it would be asked again without a pause. */
function checked(answer: Reservation): Reservation {
  const isGranted = answer?.granted === true && typeof answer.id === 'string';
  const isRefused = answer?.granted === false && Number.isFinite(answer.waitMs) && answer.waitMs > 0;
  if (isGranted || isRefused) return answer;
  throw new StateError('the state gave no usable answer to reserve()');
}
