import { isThenable } from '../async/thenable.js';
import type { Clock } from '../clock.js';
import { StateError } from '../errors.js';
import { type Logger, silentLogger } from '../logger.js';
import { HANDLED, type Lease, type MaybePromise, type Reservation, type State } from './port.js';
import { Reach, type StateUse } from './reach.js';

/**
 * A state of the application's as the client uses it: whatever can be awaited
 * is a promise of this realm that settles within seconds, a reservation is
 * one, a list is one, and a reservation that comes too late is given back.
 *
 * @param logger - is warned once when the state stops answering.
 */
export function guardState(state: State, logger: Logger = silentLogger): State {
  const reach = new Reach(logger);

  /** Asks, and notes whether there was an answer. */
  function ask<Answer>(
    use: StateUse,
    name: string,
    clock: Clock,
    call: () => MaybePromise<Answer>,
    check: (answer: Answer) => Answer = unchecked,
    tooLate: (answer: Answer) => void = nothing,
  ): MaybePromise<Answer> {
    const failed = (error: unknown): never => {
      reach.failed(use, error);
      throw error;
    };
    const answered = (answer: Answer): Answer => {
      const checked = check(answer);
      reach.answered(use);
      return checked;
    };
    try {
      const pending = call();
      if (!isThenable(pending)) return answered(pending);
      const late = (answer: Answer) => tooLate(answered(answer));
      return withinTime(Promise.resolve(pending), name, clock, reach.timeoutMs, late)
        .then(answered)
        .catch(failed);
    } catch (error) {
      return failed(error);
    }
  }

  return {
    get: (key, clock) => ask('reading', 'get', clock, () => state.get(key, clock)),
    set: (key, value, forMs, clock) =>
      ask('writing', 'set', clock, () => state.set(key, value, forMs, clock)),
    delete: (key, expected, clock) =>
      ask('writing', 'delete', clock, () => state.delete(key, expected, clock)),
    reserve: (key, request, clock) =>
      ask(
        'writing',
        'reserve',
        clock,
        () => state.reserve(key, request, clock),
        checkedReservation,
        // Nobody waits for it any more, and nothing is sent under it.
        (answer) => {
          if (answer.granted) ignoreFailure(() => state.settle(key, answer.id, 0, clock));
        },
      ),
    settle: (key, id, freeInMs, clock) =>
      ask('writing', 'settle', clock, () => state.settle(key, id, freeInMs, clock)),
    shut: (key, forMs, clock) => ask('writing', 'shut', clock, () => state.shut(key, forMs, clock)),
    remember: (key, ids, forMs, clock) =>
      ask('writing', 'remember', clock, () => state.remember(key, ids, forMs, clock)),
    lease: (key, request, clock) =>
      ask('leasing', 'lease', clock, () => state.lease(key, request, clock), checkedLease),
    release: (key, holder, clock) =>
      ask('leasing', 'release', clock, () => state.release(key, holder, clock)),
    recall: (key, ids, lifetimes, clock) =>
      ask('reading', 'recall', clock, () => state.recall(key, ids, lifetimes, clock), marksOf('recall', ids)),
    count: (key, ids, by, forMs, clock) =>
      ask(
        'writing',
        'count',
        clock,
        () => state.count(key, ids, by, forMs, clock),
        marksOf('count', ids),
        // After the time-out, the caller counts the attempts itself: a later process would count them twice.
        () => {
          if (by === 1) ignoreFailure(() => state.count(key, ids, -1, forMs, clock));
        },
      ),
  };
}

/**
 * Settles as `pending` does, or rejects when that takes too long; an answer
 * that comes after that goes to `late`.
 *
 * @throws {StateError} there was no answer in time.
 */
function withinTime<Answer>(
  pending: Promise<Answer>,
  name: string,
  clock: Clock,
  timeoutMs: number,
  late: (answer: Answer) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = new AbortController();
    let isOver = false;
    clock.sleep(timeoutMs, timer.signal).then(
      () => {
        isOver = true;
        reject(new StateError(`the state did not answer to ${name}() within ${timeoutMs} ms`));
      },
      () => {},
    );
    pending.then(
      (answer) => {
        timer.abort('over');
        if (isOver) ignoreFailure(() => late(answer));
        else resolve(answer);
      },
      (error: unknown) => {
        timer.abort('over');
        reject(error);
      },
    );
  });
}

/** @throws {StateError} it is no answer: taken for one, it would be asked again without a pause. */
function checkedReservation(answer: Reservation): Reservation {
  const isGranted = answer?.granted === true && typeof answer.id === 'string';
  const isRefused = answer?.granted === false && Number.isFinite(answer.waitMs) && answer.waitMs > 0;
  if (isGranted || isRefused) return answer;
  throw new StateError('the state gave no usable answer to reserve()');
}

const unchecked = <Answer>(answer: Answer): Answer => answer;
const nothing = () => {};

function ignoreFailure(work: () => unknown): void {
  try {
    const pending = work();
    if (isThenable(pending)) pending.then(undefined, nothing);
  } catch {
    // What it was for no longer matters.
  }
}

/** @throws {StateError} it is not a lease: a poller without a fence, or without a pause, would do harm. */
function checkedLease(answer: Lease): Lease {
  const isGranted = answer?.granted === true && Number.isSafeInteger(answer.fence);
  const isRefused = answer?.granted === false && Number.isFinite(answer.waitMs) && answer.waitMs > 0;
  if (isGranted || isRefused) return answer;
  throw new StateError('the state gave no usable answer to lease()');
}

/** @throws {StateError} not one mark for each id: a guess could acknowledge an event that no listener has seen. */
function marksOf(name: string, ids: readonly string[]): (answer: readonly number[]) => readonly number[] {
  const isMark = (mark: unknown) => Number.isInteger(mark) && Number(mark) >= 0 && Number(mark) <= HANDLED;
  return (answer) => {
    if (Array.isArray(answer) && answer.length === ids.length && answer.every(isMark)) return answer;
    throw new StateError(`the state gave no usable answer to ${name}()`);
  };
}
