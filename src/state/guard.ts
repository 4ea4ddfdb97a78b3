import { isThenable, unlessFails } from '../async/promises.js';
import { shownError } from '../errors/error-copy.js';
import { StateError } from '../errors/index.js';
import { type Logger, silentLogger } from '../observe/logger.js';
import type { Clock } from '../time/clock.js';
import { withinTime } from '../time/timer.js';
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

/** A client's request for a lease. `onLate` is called if it is granted after the time-out. */
export interface AskedLease extends LeaseRequest {
  readonly onLate?: (fence: number) => void;
}

/**
 * Wraps an application's State: every call is bounded in time, thenables of
 * other libraries become native promises, the results of `reserve`, `lease` and
 * `recall` are validated. A slot that is granted after the time-out
 * is released, attempts that are counted after it are taken back, and the caller of `lease` is notified.
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
        // If that fails too, it expires.
        if (late.granted)
          void unlessFails(() => this.#state.settle(key, { id: late.id, freeInMs: 0 }, clock));
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
      health.succeeded(use, clock.monotonic());
      return checked;
    } catch (error) {
      throw failed(health, use, error, clock.monotonic());
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
    const sentAt = clock.monotonic();
    const timeoutMs = health.timeoutMsOf(use);
    const result = Promise.resolve(pending).then((given) => {
      const checked = check(given);
      const now = clock.monotonic();
      if (now - sentAt <= TIMEOUT_MS) health.succeeded(use, now);
      return checked;
    });
    const late = () => {
      // Nobody waits for what it does.
      result.then(onLate).catch(nothing);
      return new StateError(
        `the state did not answer ${name}() within ${timeoutMs} ms; check that its database or disk works and that this machine can reach it`,
      );
    };
    try {
      return await withinTime(clock, timeoutMs, () => result, late);
    } catch (error) {
      throw failed(health, use, error, clock.monotonic());
    }
  }

  /** After the time-out, the caller makes no attempt, or counts it itself: a later process would count one too many. */
  #takeBack(key: string, ids: readonly string[], forMs: number, clock: Clock): void {
    if (ids.length > 0) void unlessFails(() => this.#state.mark(key, ids, { attempts: -1, forMs }, clock));
  }
}

/** The error for callers. Database clients attach commands with their arguments to theirs, and the token can be one of these. */
function failed(health: StateHealth, use: StateUse, thrown: unknown, now: number): unknown {
  const error = shownError(thrown) ?? new Error('a thrown value that is not an error');
  health.failed(use, error, now);
  return error;
}

function useOf(name: keyof State): StateUse {
  if (name === 'get') return 'reading';
  return name === 'lease' ? 'leasing' : 'writing';
}

/** The ids that a recall has counted, given the marks before it. */
function countedBy(ids: readonly string[], { count }: RecallRequest, marks: readonly Mark[]): string[] {
  const chosen = new Set(count?.ids);
  const isCounted = (mark: Mark | undefined) =>
    mark?.handled === false && mark.attempts < (count?.below ?? 0);
  return [...new Set(ids.filter((id, index) => chosen.has(id) && isCounted(marks[index])))];
}

const unchecked = <Result>(result: Result): Result => result;
const nothing = () => {};

/** What a call needs of the state: a full disk fails writing only, and a lease may need no disk. */
type StateUse = 'reading' | 'writing' | 'leasing';

const TIMEOUT_MS = 5000;

/** What fails for good fails again within this time. */
const FORGOTTEN_MS = 5 * 60_000;

/** The same for a use that fails, so that not every caller waits the full time. */
const TIMEOUT_WHILE_FAILING_MS = 1000;

/** Whether the state is available. Logs once when it fails, and once when every failed use works again. */
class StateHealth {
  readonly #logger: Logger;
  /** With the time of its last failure, in monotonic ms. */
  readonly #failing = new Map<StateUse, number>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  timeoutMsOf(use: StateUse): number {
    return this.#failing.has(use) ? TIMEOUT_WHILE_FAILING_MS : TIMEOUT_MS;
  }

  failed(use: StateUse, error: unknown, now: number): void {
    const isFirst = this.#failing.size === 0;
    this.#failing.set(use, now);
    if (!isFirst) return;
    this.#logger.warn(
      'opendelivery-client: the state is unavailable; until it works again the client sends no polls and no token requests, and events wait at the hub. The error says what to check',
      { error },
    );
  }

  succeeded(use: StateUse, now: number): void {
    if (this.#failing.size === 0) return;
    this.#failing.delete(use);
    // What has failed once is perhaps not asked for again for hours.
    for (const [each, failedAt] of this.#failing)
      if (now - failedAt > FORGOTTEN_MS) this.#failing.delete(each);
    if (this.#failing.size === 0) {
      this.#logger.info('opendelivery-client: the state is available again');
    }
  }
}
