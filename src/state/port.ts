import type { Clock } from '../clock.js';
import type { RecallRequest } from './mark.js';
import type { Lease, LeaseRequest, Reservation, ReservationRequest } from './reservation.js';

export {
  type AttemptsToCount,
  HANDLED,
  MAX_COUNTED_ATTEMPTS,
  MAX_LIFETIME_MS,
  type MarkLifetimes,
  type RecallRequest,
} from './mark.js';
export type { Lease, LeaseRequest, Reservation, ReservationRequest } from './reservation.js';

/** A value, or a promise of it if the state is outside this process. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Storage for what must outlive a call: tokens, quota reservations, leases,
 * marks of events, and the merchant document. `memoryState()`, `fileState()`
 * and `redisState()` implement it. An application can implement it over any
 * other database; these are the rules for all methods.
 *
 * - **Results.** A method returns its result or a promise of it. A promise must
 *   settle within five seconds (one second while earlier calls fail); otherwise
 *   the call counts as failed.
 * - **Keys** are strings made by the client, such as `quota:<32 hex digits>:polling`.
 *   They contain no secret. One key is used for a value (`get`, `set`, `delete`),
 *   or for a quota and its lease (`reserve`, `settle`, `shut`, `lease`,
 *   `release`), or for marks (`remember`, `recall`, `count`), never for two of
 *   these. Values and ids can be any strings: empty strings, `__proto__`, control
 *   characters, megabytes for the merchant document.
 * - **Durations** are milliseconds from now and may have fractions: round up.
 *   An entry has expired as soon as its duration has passed: an entry kept for
 *   1000 ms is there after 999 ms and gone after 1000 ms. Ten years is the longest.
 * - **Time.** An adapter of one process measures with `clock.monotonic()`, and
 *   uses `clock.now()` (epoch ms) for what it keeps over a restart. An adapter
 *   that several machines share measures with the clock of the database and
 *   ignores `clock`. No adapter reads another clock: tests pass a manual one. During
 *   I/O it calls `clock.hold?.()`, and the returned function afterwards, so that
 *   virtual time waits.
 * - **Atomicity.** Each call is one atomic step among all processes that share
 *   the state. A call that has resolved is visible to all later ones.
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
   * string has expired or was deleted.
   * @example
   * await state.get('token:5f2b…', clock); // '{"value":"eyJ…","expiresAt":1767614400000}'
   * await state.get('token:unknown', clock); // undefined
   */
  get(key: string, clock: Clock): MaybePromise<string | undefined>;

  /**
   * Writes a value. It replaces an earlier value and its lifetime. A reader sees
   * the old value or the new one, never a part of one.
   *
   * @param forMs - lifetime in milliseconds; 0 or less removes the value.
   * @example
   * await state.set('token:5f2b…', '{"value":"eyJ…"}', 604_800_000, clock); // for 7 days
   */
  set(key: string, value: string, forMs: number, clock: Clock): MaybePromise<void>;

  /**
   * Removes a value. Without a value it does nothing.
   *
   * @param expected - if it is not undefined: remove only a value that equals
   * it. Comparing and removing are one atomic step.
   * @example
   * await state.delete('token:5f2b…', '{"value":"eyJ…"}', clock); // not a newer token
   */
  delete(key: string, expected: string | undefined, clock: Clock): MaybePromise<void>;

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
   * Sets when a slot becomes free, and replaces the earlier instant. If the state
   * does not know the slot (it expired, or was lost), it takes the slot again until then.
   *
   * @param id - of a granted reservation.
   * @param freeInMs - milliseconds from now; 0 or less frees the slot at once.
   * @example
   * await state.settle('quota:5f2b…:polling', '17', 60_000, clock);
   */
  settle(key: string, id: string, freeInMs: number, clock: Clock): MaybePromise<void>;

  /**
   * Makes `reserve` refuse every request of this key, because the hub has
   * answered 429. If an earlier `shut` ends later, that one remains. Slots stay
   * taken.
   *
   * @param forMs - milliseconds from now; 0 or less does nothing.
   * @example
   * await state.shut('quota:5f2b…:polling', 30_000, clock);
   * // reserve: { granted: false, waitMs: 30_000, reason: 'shut' }
   */
  shut(key: string, forMs: number, clock: Clock): MaybePromise<void>;

  /**
   * Acquires the lease of a quota's key for `holder`, or renews it. It is
   * granted if nobody has the lease, if the last lease has ended, or if `holder`
   * was the last holder. In the last case the fence stays the same, unless
   * `release` was called.
   *
   * @example
   * await state.lease('quota:5f2b…:polling', { holder: 'a', leaseMs: 45_000 }, clock);
   * // { granted: true, fence: 1767614400000 }
   * await state.lease('quota:5f2b…:polling', { holder: 'b', leaseMs: 45_000 }, clock);
   * // { granted: false, waitMs: 45_000 }
   */
  lease(key: string, request: LeaseRequest, clock: Clock): MaybePromise<Lease>;

  /**
   * Ends the lease at once if `holder` has it, otherwise does nothing. The next
   * lease has a greater fence, also for the same holder.
   *
   * @example
   * await state.release('quota:5f2b…:polling', 'a', clock);
   */
  release(key: string, holder: string, clock: Clock): MaybePromise<void>;

  /**
   * Marks events as handled (mark 2047); this replaces their attempts. A
   * persistent adapter resolves only after the marks are stored: the client
   * acknowledges the events next, and the hub then forgets them.
   *
   * @param ids - any number of ids, also none.
   * @param forMs - lifetime in milliseconds; 0 or less removes the marks.
   * @example
   * await state.remember('events:5f2b…', ['e1', 'e2'], 86_400_000, clock);
   */
  remember(key: string, ids: readonly string[], forMs: number, clock: Clock): MaybePromise<void>;

  /**
   * Reads the mark of each id: 0 for an unknown one, 1 to 2046 for the number of
   * attempts, 2047 for a handled one. If less than three quarters of a mark's
   * lifetime are left, the mark gets its full lifetime again; it is not an error
   * if that renewal is lost.
   *
   * With `count`, it also adds one attempt to each of `count.ids` whose mark is
   * less than `count.below` and is not 2047, and sets its lifetime to
   * `attemptedMs`. Reading and counting are one atomic step: of two processes
   * that recall and count a new id at the same time, one gets 0 and the other 1.
   * The number stops at 2046. A persistent adapter resolves only after the
   * attempts are stored: the client calls the listeners next. If the call fails,
   * the client reads the marks without `count` and counts in its process only, so
   * none may be counted as far as the adapter can prevent it.
   *
   * @param ids - any number of ids, also none; an id may occur twice.
   * @param request - the full lifetimes of the marks, and the attempts to count.
   * @returns one mark per id, in the order of `ids`, as they were before the count.
   * @example
   * const lifetimes = { handledMs: 86_400_000, attemptedMs: 604_800_000 };
   * const ids = ['e1', 'new', 'failed'];
   * await state.recall('events:5f2b…', ids, lifetimes, clock); // [2047, 0, 3]
   * await state.recall('events:5f2b…', ids, { ...lifetimes, count: { ids, below: 1 } }, clock); // [2047, 0, 3]
   * await state.recall('events:5f2b…', ids, lifetimes, clock); // [2047, 1, 3]
   */
  recall(
    key: string,
    ids: readonly string[],
    request: RecallRequest,
    clock: Clock,
  ): MaybePromise<readonly number[]>;

  /**
   * Adds `by` to the attempts of each id and sets their lifetime to `forMs`. The
   * number stays between 0 and 2046; at 0 the mark is removed. An id that is
   * handled (2047) stays as it is, with its lifetime.
   *
   * @param ids - any number of ids, also none.
   * @param forMs - lifetime in milliseconds.
   * @returns the new mark of each id, in the order of `ids`.
   * @example
   * await state.count('events:5f2b…', ['new', 'failed', 'e1'], 1, 604_800_000, clock); // [1, 4, 2047]
   */
  count(
    key: string,
    ids: readonly string[],
    by: 1 | -1,
    forMs: number,
    clock: Clock,
  ): MaybePromise<readonly number[]>;
}

/** Every method of `State`; does not compile if one is missing. */
export const STATE_METHODS = Object.keys({
  get: true,
  set: true,
  delete: true,
  reserve: true,
  settle: true,
  shut: true,
  lease: true,
  release: true,
  remember: true,
  recall: true,
  count: true,
} satisfies Record<keyof State, true>) as readonly (keyof State)[];
