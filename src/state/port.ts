import type { Clock } from '../clock.js';

/** A value, or a promise of it where the state lives outside this process. */
export type MaybePromise<T> = T | Promise<T>;

/** Who wants a lease, and for how long from now. */
export interface LeaseRequest {
  /** Identifies one client object; the same holder renews its lease. */
  readonly holder: string;
  readonly leaseMs: number;
}

/**
 * A lease, or how long another holder still has it (more than 0 ms).
 *
 * `fence` is greater for every new holder of a key, also across restarts. It
 * stays the same while one holder renews.
 */
export type Lease =
  | { readonly granted: true; readonly fence: number }
  | { readonly granted: false; readonly waitMs: number };

export interface ReservationRequest {
  /** Slots in a window. */
  readonly limit: number;
  /** How long a slot stays taken when nobody settles it: the longest exchange and the window behind it. */
  readonly holdMs: number;
  /** Acquires or renews the lease of this key in the same step; without the lease no slot is granted. */
  readonly lease?: LeaseRequest | undefined;
}

/**
 * A slot, or how long there is none (more than 0 ms) and why. `leased`: another
 * holder has the key's lease. `fence` is set where a lease was asked for and granted.
 */
export type Reservation =
  | { readonly granted: true; readonly id: string; readonly remaining: number; readonly fence?: number }
  | {
      readonly granted: false;
      readonly waitMs: number;
      readonly reason: 'quota' | 'shut' | 'leased';
      readonly fence?: number;
    };

/** The mark of an event that was handled. */
export const HANDLED = 2047;

/** Attempts are counted up to here. */
export const MAX_COUNTED_ATTEMPTS = HANDLED - 1;

/** How long marks last after an event was received again. */
export interface MarkLifetimes {
  readonly handledMs: number;
  readonly attemptedMs: number;
}

/**
 * What outlives a call, and with `fileState` or `redisState` the process:
 * tokens, quota reservations, leases, marks of events, the merchant document.
 *
 * Keys are made by the callers and hold no secret; those of values, quotas and
 * marks are never the same. Every method may throw, or answer late; an answer
 * that takes longer than five seconds (one, while the state is out of reach)
 * counts as none. An entry that cannot be read counts as absent. Instants come
 * from the caller's clock, or from the adapter's own where several machines
 * share it.
 */
export interface State {
  get(key: string, clock: Clock): MaybePromise<string | undefined>;
  /** Keeps `value` for `forMs`. */
  set(key: string, value: string, forMs: number, clock: Clock): MaybePromise<void>;
  /** Removes the entry; with `expected`, only while it still holds that value. */
  delete(key: string, expected: string | undefined, clock: Clock): MaybePromise<void>;

  /** Takes a slot at once or not at all; atomic among all who share the state (Spec §8). */
  reserve(key: string, request: ReservationRequest, clock: Clock): MaybePromise<Reservation>;
  /** Frees a slot `freeInMs` from now; one that was forgotten meanwhile is taken again until then. */
  settle(key: string, id: string, freeInMs: number, clock: Clock): MaybePromise<void>;
  /** Grants nothing under this key for `forMs`; an earlier, longer closure stays. */
  shut(key: string, forMs: number, clock: Clock): MaybePromise<void>;

  /** Acquires the lease of a quota's key, or renews it; atomic, also with `reserve`. */
  lease(key: string, request: LeaseRequest, clock: Clock): MaybePromise<Lease>;
  /** Ends the lease at once if `holder` has it. */
  release(key: string, holder: string, clock: Clock): MaybePromise<void>;

  /** Marks ids as handled for `forMs`. */
  remember(key: string, ids: readonly string[], forMs: number, clock: Clock): MaybePromise<void>;
  /**
   * The mark of each id, in the order of `ids`: 0 where there is none, the
   * number of attempts, or `HANDLED`. A mark of which less than three quarters
   * are left is renewed to its whole lifetime.
   */
  recall(
    key: string,
    ids: readonly string[],
    lifetimes: MarkLifetimes,
    clock: Clock,
  ): MaybePromise<readonly number[]>;
  /**
   * Adds `by` to the attempts of each id, keeps them for `forMs`, and answers
   * with the new marks; atomic. A handled id stays handled; 0 attempts are no mark.
   */
  count(
    key: string,
    ids: readonly string[],
    by: 1 | -1,
    forMs: number,
    clock: Clock,
  ): MaybePromise<readonly number[]>;
}
