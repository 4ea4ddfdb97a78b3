import { isThenable } from '../async/thenable.js';
import { startTimer } from '../async/timer.js';
import type { Clock } from '../clock.js';
import { StateError } from '../errors.js';
import { type Logger, silentLogger } from '../logger.js';
import { StateHealth, type StateUse } from './health.js';
import { HANDLED, type MaybePromise, type RecallRequest, type Reservation, type State } from './port.js';
import { checkLease, checkReservation, marksCheck } from './result-checks.js';

/**
 * Wraps an application's State: every call is bounded in time, thenables of
 * other libraries become native promises, the results of `reserve`, `lease`,
 * `recall` and `count` are validated. A slot that is granted after the time-out
 * is released, and attempts that are counted after it are taken back.
 *
 * A synchronous state stays synchronous.
 *
 * @param logger - is warned once when the state fails, and informed when it works again.
 */
export function guardState(state: State, logger: Logger = silentLogger): State {
  const health = new StateHealth(logger);

  function guarded<Result>(
    name: keyof State,
    clock: Clock,
    call: () => MaybePromise<Result>,
    check: (result: Result) => Result = unchecked,
    onLate: (result: Result) => void = nothing,
    use = useOf(name),
  ): MaybePromise<Result> {
    const failed = (error: unknown): never => {
      health.failed(use, error);
      throw error;
    };
    const succeeded = (result: Result): Result => {
      const checked = check(result);
      health.succeeded(use);
      return checked;
    };
    try {
      const pending = call();
      if (!isThenable(pending)) return succeeded(pending);
      const late = (result: Result) => onLate(succeeded(result));
      return withinTime(Promise.resolve(pending), name, clock, health.timeoutMs, late)
        .then(succeeded)
        .catch(failed);
    } catch (error) {
      return failed(error);
    }
  }

  /** The caller was refused after the time-out, so nothing is sent under this slot. */
  const releaseSlot = (key: string, clock: Clock) => (result: Reservation) => {
    if (result.granted) void undo(() => state.settle(key, result.id, 0, clock));
  };

  /** After the time-out, the caller makes no attempt, or counts it itself: a later process would count one too many. */
  const takeBack = (key: string, ids: readonly string[], forMs: number, clock: Clock) => {
    if (ids.length > 0) void undo(() => state.count(key, ids, -1, forMs, clock));
  };

  return {
    get: (key, clock) => guarded('get', clock, () => state.get(key, clock)),
    set: (key, value, forMs, clock) => guarded('set', clock, () => state.set(key, value, forMs, clock)),
    delete: (key, expected, clock) => guarded('delete', clock, () => state.delete(key, expected, clock)),
    reserve: (key, request, clock) =>
      guarded(
        'reserve',
        clock,
        () => state.reserve(key, request, clock),
        checkReservation,
        releaseSlot(key, clock),
      ),
    settle: (key, id, freeInMs, clock) =>
      guarded('settle', clock, () => state.settle(key, id, freeInMs, clock)),
    shut: (key, forMs, clock) => guarded('shut', clock, () => state.shut(key, forMs, clock)),
    remember: (key, ids, forMs, clock) =>
      guarded('remember', clock, () => state.remember(key, ids, forMs, clock)),
    lease: (key, request, clock) =>
      guarded('lease', clock, () => state.lease(key, request, clock), checkLease),
    release: (key, holder, clock) => guarded('release', clock, () => state.release(key, holder, clock)),
    recall: (key, ids, request, clock) =>
      guarded(
        'recall',
        clock,
        () => state.recall(key, ids, request, clock),
        marksCheck('recall', ids),
        (marks) => takeBack(key, countedBy(ids, request, marks), request.attemptedMs, clock),
        request.count ? 'writing' : 'reading',
      ),
    count: (key, ids, by, forMs, clock) =>
      guarded(
        'count',
        clock,
        () => state.count(key, ids, by, forMs, clock),
        marksCheck('count', ids),
        () => {
          if (by === 1) takeBack(key, ids, forMs, clock);
        },
      ),
  };
}

function useOf(name: keyof State): StateUse {
  if (name === 'get' || name === 'recall') return 'reading';
  return name === 'lease' || name === 'release' ? 'leasing' : 'writing';
}

/** The ids that a recall has counted, given the marks before it. */
function countedBy(ids: readonly string[], { count }: RecallRequest, marks: readonly number[]): string[] {
  const below = Math.min(count?.below ?? 0, HANDLED);
  const chosen = new Set(count?.ids);
  return [...new Set(ids.filter((id, index) => chosen.has(id) && (marks[index] ?? HANDLED) < below))];
}

/**
 * Settles as `pending` does, or rejects after `timeoutMs`. A result that comes
 * later goes to `onLate`.
 *
 * @throws {StateError} there was no result in time.
 */
function withinTime<Result>(
  pending: Promise<Result>,
  name: string,
  clock: Clock,
  timeoutMs: number,
  onLate: (result: Result) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const cancelTimer = startTimer(clock, timeoutMs, () => {
      isOver = true;
      reject(
        new StateError(
          `the state did not answer ${name}() within ${timeoutMs} ms; check that its database or disk works and that this machine can reach it`,
        ),
      );
    });
    pending
      .then(
        (result) => {
          cancelTimer();
          if (isOver) onLate(result);
          else resolve(result);
        },
        (error: unknown) => {
          cancelTimer();
          reject(error);
        },
      )
      // Only `onLate` can fail here, and nobody waits for it.
      .catch(nothing);
  });
}

const unchecked = <Result>(result: Result): Result => result;
const nothing = () => {};

/** Takes back what came too late; if that fails too, it expires. */
async function undo(call: () => MaybePromise<unknown>): Promise<void> {
  try {
    await call();
  } catch {
    // Nobody waits for it.
  }
}
