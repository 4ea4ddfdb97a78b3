import { isThenable } from '../async/promises.js';
import { shownError } from '../errors/error-copy.js';
import { StateError } from '../errors/index.js';
import { type Logger, silentLogger } from '../observe/logger.js';
import { type Clock, startTimer } from '../time/clock.js';
import { StateHealth, type StateUse } from './health.js';
import type {
  Lease,
  LeaseRequest,
  Mark,
  MarkChange,
  MaybePromise,
  RecallRequest,
  Reservation,
  ReservationRequest,
  SetOptions,
  Settlement,
  State,
} from './port.js';
import { checkLease, checkMarks, checkReservation } from './result-checks.js';

/** Of a client, which has to know of a lease that is granted after the time-out. */
export interface AskedLease extends LeaseRequest {
  readonly onLate?: (fence: number) => void;
}

/**
 * Wraps an application's State: every call is bounded in time, thenables of
 * other libraries become native promises, the results of `reserve`, `lease` and
 * `recall` are validated. A slot that is granted after the time-out
 * is released, attempts that are counted after it are taken back, and who asked for a lease is told.
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

  set(key: string, value: string | undefined, options: SetOptions, clock: Clock): MaybePromise<void> {
    return this.#guarded('set', clock, () => this.#state.set(key, value, options, clock));
  }

  reserve(key: string, request: ReservationRequest, clock: Clock): MaybePromise<Reservation> {
    return this.#guarded(
      'reserve',
      clock,
      () => this.#state.reserve(key, request, clock),
      checkReservation,
      // The caller was refused after the time-out, so nothing is sent under this slot.
      (late) => {
        if (late.granted) void undo(() => this.#state.settle(key, { id: late.id, freeInMs: 0 }, clock));
      },
    );
  }

  settle(key: string, change: Settlement, clock: Clock): MaybePromise<void> {
    return this.#guarded('settle', clock, () => this.#state.settle(key, change, clock));
  }

  lease(key: string, { onLate, ...request }: AskedLease, clock: Clock): MaybePromise<Lease> {
    const check = request.leaseMs > 0 ? checkLease : unchecked;
    const late = (reply: Lease) => reply?.granted && onLate?.(reply.fence);
    return this.#guarded('lease', clock, () => this.#state.lease(key, request, clock), check, late);
  }

  recall(
    key: string,
    ids: readonly string[],
    request: RecallRequest,
    clock: Clock,
  ): MaybePromise<readonly Mark[]> {
    return this.#guarded(
      'recall',
      clock,
      () => this.#state.recall(key, ids, request, clock),
      (marks) => checkMarks(marks, ids.length),
      (marks) => this.#takeBack(key, countedBy(ids, request, marks), request.attemptedMs, clock),
      request.count ? 'writing' : 'reading',
    );
  }

  mark(key: string, ids: readonly string[], change: MarkChange, clock: Clock): MaybePromise<void> {
    return this.#guarded(
      'mark',
      clock,
      () => this.#state.mark(key, ids, change, clock),
      unchecked,
      () => {
        if ('attempts' in change && change.attempts === 1) this.#takeBack(key, ids, change.forMs, clock);
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
    if (ids.length > 0) void undo(() => this.#state.mark(key, ids, { attempts: -1, forMs }, clock));
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
  return name === 'lease' ? 'leasing' : 'writing';
}

/** The ids that a recall has counted, given the marks before it. */
function countedBy(ids: readonly string[], { count }: RecallRequest, marks: readonly Mark[]): string[] {
  const chosen = new Set(count?.ids);
  const isCounted = (mark: Mark | undefined) =>
    mark?.handled === false && mark.attempts < (count?.below ?? 0);
  return [...new Set(ids.filter((id, index) => chosen.has(id) && isCounted(marks[index])))];
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
