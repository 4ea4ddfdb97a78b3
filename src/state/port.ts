import type { Clock } from '../time/clock.js';
import type { Lease, LeaseRequest, Reservation, ReservationRequest, Settlement } from './reservation.js';

export type { Lease, LeaseRequest, Reservation, ReservationRequest, Settlement } from './reservation.js';

/** A value, or a promise of it if the state is outside this process. */
export type MaybePromise<T> = T | Promise<T>;

/** Ten years, in ms. The client keeps nothing for longer. */
export const MAX_LIFETIME_MS = 10 * 365 * 86_400_000;

/** An adapter may stop counting the attempts of an event here. */
export const MAX_COUNTED_ATTEMPTS = 2046;

/** A mark is renewed when less than this part of its lifetime is left, so that not every redelivery is a write. */
export const RENEW_BELOW = 0.75;

/** The states that are the only object of their data in this process: in memory, or of one file. */
export const localStates = new WeakSet<State>();

/** How `set` writes. */
export interface SetOptions {
  /** Lifetime of the value in ms; 0 or less removes it. Not used if the value is undefined. */
  readonly forMs: number;
  /** Write or remove only if the present value equals this one. Comparing and writing are one atomic step. Absent: always. */
  readonly ifEquals?: string | undefined;
}

/** What the state knows of an event. */
export interface Mark {
  /** Its listeners have resolved. */
  readonly handled: boolean;
  /** How often its listeners were called. Not used of a handled event: an adapter may return any number then. */
  readonly attempts: number;
}

/** How `mark` changes the marks of events. */
export type MarkChange =
  | {
      /** Marks the events as handled. */
      readonly handled: true;
      /** Lifetime of the marks in ms; 0 or less removes them. */
      readonly forMs: number;
    }
  | {
      /** Adds one attempt to each event, or takes one back. At 0 attempts the mark is removed. */
      readonly attempts: 1 | -1;
      /** Lifetime of the marks in ms. */
      readonly forMs: number;
    };

/** What `recall` does in the step in which it reads the marks. */
export interface RecallRequest {
  /** The full lifetime of the mark of a handled event, in ms. */
  readonly handledMs: number;
  /** The full lifetime of the mark of an event that was attempted, in ms. */
  readonly attemptedMs: number;
  /** The attempts to count. Absent: none. */
  readonly count?:
    | {
        /** Each of these gets one attempt more, also if it is here twice. All of them are in the `ids` of the call too. */
        readonly ids: readonly string[];
        /** Only events with fewer attempts than this: 1 counts events that were never attempted, Infinity all that are not handled. */
        readonly below: number;
      }
    | undefined;
}

/**
 * Storage for what must outlive a call: tokens, quota reservations, leases,
 * marks of events, and the merchant document. `memoryState()`, `fileState()`,
 * `redisState()` and `postgresState()` implement it. An application can
 * implement it over any other database; these are the rules for all methods,
 * and `stateContract` from `./testing` checks them.
 *
 * - **Results.** A method returns its result or a promise of it. A promise must
 *   settle within five seconds (one second while earlier calls fail); otherwise
 *   the call counts as failed.
 * - **Keys** are strings made by the client, such as `quota:<32 hex digits>:polling`.
 *   They contain no secret. One key is used for a value (`get`, `set`), or for a
 *   quota and its lease (`reserve`, `settle`, `lease`), or for marks (`recall`,
 *   `mark`), never for two of these. Values and ids can be any strings: empty
 *   strings, `__proto__`, control characters, lone surrogates in ids (UTF-8 makes them
 *   equal), megabytes for the merchant document.
 * - **Durations** are milliseconds from now and may have fractions: round up.
 *   An entry has expired as soon as its duration has passed: an entry kept for
 *   1000 ms is there after 999 ms and gone after 1000 ms. Ten years is the longest.
 * - **Time.** An adapter of one machine measures with `clock.now()`, one of a
 *   single process with `clock.monotonic()`. An adapter that several machines
 *   share measures with the clock of the database and ignores `clock`. No adapter
 *   reads another clock: tests pass a manual one. During I/O it calls
 *   `clock.hold?.()`, and the returned function afterwards, so that virtual time waits.
 * - **A clock may be set back.** A stored instant counts for at most the
 *   duration it was made from: store that duration too, and treat an end that is
 *   further away than it as one that is exactly that far away.
 * - **Atomicity.** Each call is one atomic step among all processes that share
 *   the state. A call that has resolved is visible to all later ones. A call with
 *   thousands of ids may be split; each id is one step then.
 * - **Loss.** A lost value costs one request to the hub. A lost slot or `shut`
 *   can make the hub respond with 429. A lost mark means that an event is handled a
 *   second time. A lost lease allows two pollers for a moment. A fence must not
 *   become smaller: use the greater of the last fence plus one and the time in
 *   epoch ms.
 * - **Errors.** A method that cannot do its work throws or rejects with any
 *   `Error`; its message reaches the log and must not contain a value, because
 *   values contain tokens. The client then sends no poll and no token request,
 *   and tries again. An entry that exists but cannot be read counts as absent
 *   and is not an error.
 */
export interface State {
  /**
   * Reads a value.
   *
   * @returns the string of the last `set`; undefined: the key was never set, or its
   * string has expired or was removed.
   * @example
   * await state.get('token:5f2b…', clock); // '{"value":"eyJ…","obtainedAt":1767614400000,"lifetimeMs":604800000}'
   * await state.get('token:unknown', clock); // undefined
   */
  get(key: string, clock: Clock): MaybePromise<string | undefined>;

  /**
   * Writes a value, or removes it. It replaces an earlier value and its lifetime.
   * A reader sees the old value or the new one, never a part of one.
   *
   * @param value - undefined removes the present value.
   * @example
   * await state.set('token:5f2b…', '{"value":"eyJ…"}', { forMs: 604_800_000 }, clock); // for 7 days
   * await state.set('token:5f2b…', undefined, { forMs: 0, ifEquals: '{"value":"eyJ…"}' }, clock); // not a newer token
   */
  set(key: string, value: string | undefined, options: SetOptions, clock: Clock): MaybePromise<void>;

  /**
   * Takes one slot of a quota, or refuses at once; it never waits. A sliding
   * window consists of slots: the client takes a slot before each request, and the
   * slot becomes free one window after the response.
   *
   * The checks, in this order: the lease (`leased`), then a `shut` that has
   * not ended (`shut`), then the number of taken slots (`quota`).
   *
   * @see Spec §8
   * @example
   * await state.reserve('quota:5f2b…:polling', { limit: 2, holdMs: 95_000 }, clock);
   * // { granted: true, id: '17', remaining: 1 }
   * // When two slots are taken, and the first of them frees in 41 s:
   * // { granted: false, waitMs: 41_000, reason: 'quota' }
   * // With lease: { holder: 'b', leaseMs: 45_000 } while 'a' has the lease:
   * // { granted: false, waitMs: 30_000, reason: 'leased' }
   */
  reserve(key: string, request: ReservationRequest, clock: Clock): MaybePromise<Reservation>;

  /**
   * Sets when a slot becomes free, or shuts the quota because the hub has
   * answered 429, or both.
   *
   * - `id` and `freeInMs` replace the instant at which the slot frees; 0 or less
   *   frees it at once. If the state does not know the slot (it expired, or was
   *   lost), it takes the slot again until then.
   * - `shutMs` makes `reserve` refuse every request of this key for that long. If
   *   an earlier `shut` ends later, that one remains; 0 or less does nothing.
   *   Slots stay taken.
   *
   * @example
   * await state.settle('quota:5f2b…:polling', { id: '17', freeInMs: 60_000 }, clock);
   * await state.settle('quota:5f2b…:polling', { shutMs: 30_000 }, clock);
   * // reserve: { granted: false, waitMs: 30_000, reason: 'shut' }
   */
  settle(key: string, change: Settlement, clock: Clock): MaybePromise<void>;

  /**
   * Acquires the lease of a quota's key for `holder`, or renews it. It is
   * granted if nobody has the lease, if the last lease has ended, or if `holder`
   * was the last holder. In the last case the fence stays the same, unless the
   * holder has released it.
   *
   * `leaseMs: 0` releases: it ends the lease at once if `holder` has it, and
   * otherwise does nothing. The next lease has a greater fence, also for the same
   * holder. The result of a release is not used.
   *
   * @example
   * await state.lease('quota:5f2b…:polling', { holder: 'a', leaseMs: 45_000 }, clock);
   * // { granted: true, fence: 1767614400000 }
   * await state.lease('quota:5f2b…:polling', { holder: 'b', leaseMs: 45_000 }, clock);
   * // { granted: false, waitMs: 45_000 }
   * await state.lease('quota:5f2b…:polling', { holder: 'a', leaseMs: 0 }, clock); // released
   */
  lease(key: string, request: LeaseRequest, clock: Clock): MaybePromise<Lease>;

  /**
   * Reads the mark of each id. If less than three quarters of a mark's lifetime
   * are left, the mark gets its full lifetime again; it is not an error if that
   * renewal is lost.
   *
   * With `count`, it also adds one attempt to each of `count.ids` that is not
   * handled and has fewer attempts than `count.below`, and sets its lifetime to
   * `attemptedMs`. Reading and counting are one atomic step: of two processes
   * that recall and count a new id at the same time, one gets 0 and the other 1.
   * A persistent adapter resolves only after the attempts are stored: the client
   * calls the listeners next. If the call fails, the client reads the marks
   * without `count` and counts in its process only, so none may be counted as far
   * as the adapter can prevent it.
   *
   * @param ids - any number of ids, also none; an id may occur twice.
   * @returns one mark per id, in the order of `ids`, as they were before the count.
   * @example
   * const lifetimes = { handledMs: 86_400_000, attemptedMs: 604_800_000 };
   * const ids = ['new', 'failed'];
   * await state.recall('events:5f2b…', ids, { ...lifetimes, count: { ids, below: 1 } }, clock);
   * // [{ handled: false, attempts: 0 }, { handled: false, attempts: 3 }]
   * await state.recall('events:5f2b…', ids, lifetimes, clock);
   * // [{ handled: false, attempts: 1 }, { handled: false, attempts: 3 }]
   */
  recall(
    key: string,
    ids: readonly string[],
    request: RecallRequest,
    clock: Clock,
  ): MaybePromise<readonly Mark[]>;

  /**
   * Marks events as handled, or changes how often they were attempted. Attempts
   * of a handled event do not change, nor does its lifetime then.
   *
   * A persistent adapter resolves only after the marks are stored: the client
   * acknowledges handled events next, and the hub then forgets them.
   *
   * @param ids - any number of ids, also none.
   * @example
   * await state.mark('events:5f2b…', ['e1', 'e2'], { handled: true, forMs: 86_400_000 }, clock);
   * await state.mark('events:5f2b…', ['e3'], { attempts: 1, forMs: 604_800_000 }, clock);
   */
  mark(key: string, ids: readonly string[], change: MarkChange, clock: Clock): MaybePromise<void>;
}

/** Every method of `State`; does not compile if one is missing. */
export const STATE_METHODS = Object.keys({
  get: true,
  set: true,
  reserve: true,
  settle: true,
  lease: true,
  recall: true,
  mark: true,
} satisfies Record<keyof State, true>) as readonly (keyof State)[];
