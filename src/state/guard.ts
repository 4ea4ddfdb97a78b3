import { isThenable } from '../async/thenable.js';
import { startTimer } from '../async/timer.js';
import type { Clock } from '../clock.js';
import { shownError } from '../errors/error-copy.js';
import { StateError } from '../errors.js';
import { type Logger, silentLogger } from '../logger.js';
import { StateHealth, type StateUse } from './health.js';
import {
  HANDLED,
  type Lease,
  type LeaseRequest,
  type MaybePromise,
  type RecallRequest,
  type Reservation,
  type ReservationRequest,
  type State,
} from './port.js';
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
  return new GuardedState(state, logger);
}

class GuardedState implements State {
  readonly #state: State;
  readonly #health: StateHealth;

  constructor(state: State, logger: Logger) {
    this.#state = state;
    this.#health = new StateHealth(logger);
  }

  get(key: string, clock: Clock): MaybePromise<string | undefined> {
    return this.#guarded('get', clock, () => this.#state.get(key, clock));
  }

  set(key: string, value: string, forMs: number, clock: Clock): MaybePromise<void> {
    return this.#guarded('set', clock, () => this.#state.set(key, value, forMs, clock));
  }

  delete(key: string, expected: string | undefined, clock: Clock): MaybePromise<void> {
    return this.#guarded('delete', clock, () => this.#state.delete(key, expected, clock));
  }

  reserve(key: string, request: ReservationRequest, clock: Clock): MaybePromise<Reservation> {
    return this.#guarded(
      'reserve',
      clock,
      () => this.#state.reserve(key, request, clock),
      checkReservation,
      // The caller was refused after the time-out, so nothing is sent under this slot.
      (late) => {
        if (late.granted) void undo(() => this.#state.settle(key, late.id, 0, clock));
      },
    );
  }

  settle(key: string, id: string, freeInMs: number, clock: Clock): MaybePromise<void> {
    return this.#guarded('settle', clock, () => this.#state.settle(key, id, freeInMs, clock));
  }

  shut(key: string, forMs: number, clock: Clock): MaybePromise<void> {
    return this.#guarded('shut', clock, () => this.#state.shut(key, forMs, clock));
  }

  lease(key: string, request: LeaseRequest, clock: Clock): MaybePromise<Lease> {
    return this.#guarded('lease', clock, () => this.#state.lease(key, request, clock), checkLease);
  }

  release(key: string, holder: string, clock: Clock): MaybePromise<void> {
    return this.#guarded('release', clock, () => this.#state.release(key, holder, clock));
  }

  remember(key: string, ids: readonly string[], forMs: number, clock: Clock): MaybePromise<void> {
    return this.#guarded('remember', clock, () => this.#state.remember(key, ids, forMs, clock));
  }

  recall(
    key: string,
    ids: readonly string[],
    request: RecallRequest,
    clock: Clock,
  ): MaybePromise<readonly number[]> {
    return this.#guarded(
      'recall',
      clock,
      () => this.#state.recall(key, ids, request, clock),
      marksCheck('recall', ids),
      (marks) => this.#takeBack(key, countedBy(ids, request, marks), request.attemptedMs, clock),
      request.count ? 'writing' : 'reading',
    );
  }

  count(
    key: string,
    ids: readonly string[],
    by: 1 | -1,
    forMs: number,
    clock: Clock,
  ): MaybePromise<readonly number[]> {
    return this.#guarded(
      'count',
      clock,
      () => this.#state.count(key, ids, by, forMs, clock),
      marksCheck('count', ids),
      () => {
        if (by === 1) this.#takeBack(key, ids, forMs, clock);
      },
    );
  }

  #guarded<Result>(
    name: keyof State,
    clock: Clock,
    call: () => MaybePromise<Result>,
    check: (result: Result) => Result = unchecked,
    onLate: (result: Result) => void = nothing,
    use = useOf(name),
  ): MaybePromise<Result> {
    const health = this.#health;
    try {
      const pending = call();
      if (isThenable(pending)) return this.#awaited(name, clock, pending, check, onLate, use);
      const checked = check(pending);
      health.succeeded(use);
      return checked;
    } catch (error) {
      throw failed(health, use, error);
    }
  }

  async #awaited<Result>(
    name: keyof State,
    clock: Clock,
    pending: PromiseLike<Result>,
    check: (result: Result) => Result,
    onLate: (result: Result) => void,
    use: StateUse,
  ): Promise<Result> {
    const health = this.#health;
    const succeeded = (result: Result): Result => {
      const checked = check(result);
      health.succeeded(use);
      return checked;
    };
    try {
      const late = (result: Result) => onLate(succeeded(result));
      return succeeded(await withinTime(Promise.resolve(pending), name, clock, health.timeoutMs, late));
    } catch (error) {
      throw failed(health, use, error);
    }
  }

  /** After the time-out, the caller makes no attempt, or counts it itself: a later process would count one too many. */
  #takeBack(key: string, ids: readonly string[], forMs: number, clock: Clock): void {
    if (ids.length > 0) void undo(() => this.#state.count(key, ids, -1, forMs, clock));
  }
}

/** The error for callers. Database clients attach commands with their arguments to theirs, and the token can be one of these. */
function failed(health: StateHealth, use: StateUse, thrown: unknown): unknown {
  const error = shownError(thrown) ?? new Error('a thrown value that is not an error');
  health.failed(use, error);
  return error;
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
