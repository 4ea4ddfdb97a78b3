import type { Clock } from '../clock.js';

/** A value, or a promise of it where the state lives outside this process. */
export type MaybePromise<T> = T | Promise<T>;

export interface ReservationRequest {
  /** Slots in a window. */
  readonly limit: number;
  /** How long a slot stays taken when nobody settles it: the longest exchange and the window behind it. */
  readonly holdMs: number;
}

/** A slot, or how long there is none (more than 0 ms) and why. */
export type Reservation =
  | { readonly granted: true; readonly id: string; readonly remaining: number }
  | { readonly granted: false; readonly waitMs: number; readonly reason: 'quota' | 'shut' };

/**
 * What outlives a call, and with `fileState` or `redisState` the process:
 * tokens, quota reservations, ids of handled events, the merchant document.
 *
 * Keys are made by the callers and hold no secret; those of values, quotas and
 * handled ids are never the same. Every method may throw, or
 * answer late; an answer that takes longer than five seconds (one, while the
 * state is out of reach) counts as none.
 * An entry that cannot be read counts as absent. Instants come from the
 * caller's clock, or from the adapter's own where several machines share it.
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

  /** Notes ids under this key, as handled or as handed out, for `forMs`. */
  remember(key: string, ids: readonly string[], forMs: number, clock: Clock): MaybePromise<void>;
  /** Those of `ids` that are noted. */
  recall(key: string, ids: readonly string[], clock: Clock): MaybePromise<readonly string[]>;
}
