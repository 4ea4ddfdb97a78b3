import type {
  Lease,
  LeaseRequest,
  Mark,
  MaybePromise,
  RecallRequest,
  Reservation,
  ReservationRequest,
  SetOptions,
  Settlement,
  State,
} from '../../state/port.js';
import { systemClock } from '../../time/clock.js';
import type { CaseTime } from './case-time.js';
import { difference, isSame } from './compare.js';

/** A promise of a state must settle within this time. */
const MAX_CALL_MS = 5000;

/** Longer than any case takes. */
export const LONG_MS = 600_000;

/** Recalls marks without renewing them: less than three quarters of 0 ms are never left. */
const NOT_RENEWED: RecallRequest = { handledMs: 0, attemptedMs: 0 };

/** An adapter that `open` has made for one case of `stateContract`. */
export interface OpenedState {
  /** The state under test, without any content. */
  readonly state: State;
  /** Makes another State over the same storage, as a second process does. Both are used from then on. Absent: the cases with two states check nothing. */
  reopen?(): Promise<State>;
  /** Closes everything that was opened; it is called at the end of the case, also after a failure. */
  close(): Promise<void>;
}

/** The refusals of `reserve`. */
export const quota = (waitMs: number) => ({ granted: false, waitMs, reason: 'quota' });
export const shut = (waitMs: number) => ({ granted: false, waitMs, reason: 'shut' });
export const leased = (waitMs: number) => ({ granted: false, waitMs, reason: 'leased' });
/** A refusal of `lease`. */
export const leaseRefused = (waitMs: number) => ({ granted: false, waitMs });

/**
 * The state under test in one case: each method calls the state without the clock, and compares the result with
 * what the contract says. A method throws an Error with the call, the expected value and the received one.
 */
export class CheckedState {
  readonly time: CaseTime;
  readonly #opened: OpenedState;

  constructor(opened: OpenedState, time: CaseTime) {
    this.#opened = opened;
    this.time = time;
  }

  get hasReopen(): boolean {
    return this.#opened.reopen !== undefined;
  }

  /** Another State over the same storage. Only a rule that needs `reopen` calls it. */
  async reopen(): Promise<CheckedState> {
    return new CheckedState({ ...this.#opened, state: (await this.#opened.reopen?.()) as State }, this.time);
  }

  async get(key: string, expected: string | undefined): Promise<void> {
    this.equal(await this.tryGet(key), expected, `get(${describe(key)})`);
  }

  tryGet(key: string): Promise<string> {
    return this.#call('get', key);
  }

  async set(key: string, value: string | undefined, options: Partial<SetOptions> = {}): Promise<void> {
    await this.#call('set', key, value, { forMs: LONG_MS, ...options });
  }

  /**
   * Reserves a slot of the key `quota`.
   *
   * @param expected - how many slots remain; whether it is granted; or the refusal.
   */
  async reserve(request: ReservationRequest, expected: number | boolean | object = true, key = 'quota') {
    const result = await this.tryReserve(request, key);
    const { granted } = result;
    const remaining = granted ? result.remaining : result;
    const received = typeof expected === 'boolean' ? granted : remaining;
    this.equal(received, expected, `reserve(${describe(key)}, ${describe(request)})`);
    return { id: granted ? result.id : '', fence: result.fence };
  }

  tryReserve(request: ReservationRequest, key = 'quota'): Promise<Reservation> {
    return this.#call('reserve', key, request);
  }

  async settle(change: Settlement, key = 'quota'): Promise<void> {
    await this.#call('settle', key, change);
  }

  /**
   * Acquires the lease of the key `quota`, or releases it.
   *
   * @param expected - whether it is granted; or the refusal, or the granted lease.
   * @returns the fence.
   */
  async lease(request: LeaseRequest, expected: boolean | object = true, key = 'quota'): Promise<number> {
    const result = await this.tryLease(request, key);
    const received = typeof expected === 'boolean' ? result.granted : result;
    this.equal(received, expected, `lease(${describe(key)}, ${describe(request)})`);
    return result.granted ? result.fence : 0;
  }

  tryLease(request: LeaseRequest, key = 'quota'): Promise<Lease> {
    return this.#call('lease', key, request);
  }

  /** Ends a lease; the result of that has no meaning. */
  async release(holder: string, key = 'quota'): Promise<void> {
    await this.#call('lease', key, { holder, leaseMs: 0 });
  }

  /** @param expected - for each id `handled`, whose attempts may be any number, or the number of its attempts. */
  async recall(
    ids: readonly string[],
    expected: readonly unknown[],
    request = NOT_RENEWED,
    key = 'events',
  ): Promise<void> {
    const received = await this.tryRecall(ids, request, key);
    this.equal(received, expected, `recall(${describe(key)}, ${describe(ids)}, ${describe(request)})`);
  }

  async recallMarks(ids: readonly string[], expected: readonly Mark[]): Promise<void> {
    this.equal(await this.#call('recall', 'events', ids, NOT_RENEWED), expected, `recall(${describe(ids)})`);
  }

  async tryRecall(ids: readonly string[], request = NOT_RENEWED, key = 'events'): Promise<unknown[]> {
    const marks: readonly Mark[] = await this.#call('recall', key, ids, request);
    return marks.map((mark) => {
      if (mark.handled === true) return 'handled';
      return mark.handled === false ? mark.attempts : mark;
    });
  }

  async handle(ids: readonly string[], forMs = LONG_MS): Promise<void> {
    await this.#call('mark', 'events', ids, { handled: true, forMs });
  }

  async attempt(ids: readonly string[], attempts: 1 | -1 = 1, forMs = LONG_MS): Promise<void> {
    await this.#call('mark', 'events', ids, { attempts, forMs });
  }

  /**
   * Compares deeply. In real time, a `waitMs` may be smaller by the time that has passed.
   *
   * @param what - what was compared.
   */
  equal(actual: unknown, expected: unknown, what: string): void {
    if (isSame(actual, expected, this.time.slackMs())) return;
    throw new Error(`${what}\n${difference(actual, expected)}`);
  }

  greater(fence: number, earlier: number): void {
    this.equal(fence > earlier, true, `the fence ${fence} is greater than ${earlier}`);
  }

  /** Calls the state with the clock. A call that rejects or takes too long throws an Error that names the method. */
  async #call<Result>(name: keyof State, ...parameters: readonly unknown[]): Promise<Result> {
    const waiting = new AbortController();
    const timeout = systemClock.sleep(MAX_CALL_MS, waiting.signal).then(
      () => {
        throw new Error(`its promise did not settle within ${MAX_CALL_MS} ms`);
      },
      () => undefined,
    );
    const { state } = this.#opened;
    try {
      const call = state[name] as (...all: unknown[]) => MaybePromise<Result>;
      return (await Promise.race([call.call(state, ...parameters, this.time.clock), timeout])) as Result;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${name} must not fail here, but it did: ${reason}`, { cause: error });
    } finally {
      waiting.abort();
    }
  }
}

const describe = (value: unknown) => JSON.stringify(value)?.slice(0, 100);

export const atOnce = <Result>(count: number, call: (at: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => call(at)));
