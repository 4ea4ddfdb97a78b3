import { instantAfter, type Moment } from '../clock.js';
import type { EndpointName } from '../endpoints.js';
import type { Reservation } from '../state/port.js';
import type { LimitHeaders } from './limit-headers.js';

/** What is left of an endpoint's quota (Spec §8), as far as this client knows. */
export interface RateLimitStatus {
  /** Requests per window. */
  readonly limit: number;
  /** Requests that are still possible in the present window. */
  readonly remaining: number;
  /** Epoch ms at which the next slot becomes free; the present time if no slot is taken. */
  readonly resetAt: number;
}

/** A place in an endpoint's quota, for one request. */
export interface Slot {
  readonly endpoint: EndpointName;
  readonly key: string;
  readonly id: string;
  /** When the state was asked for it. The state holds it for a limited time from then on. Undefined after `settle`. */
  reservedAt: Moment | undefined;
  /** Monotonic ms at which the slot becomes free. */
  freeAt: number;
}

/** Prefix of the ids of slots that only this client counts, because the state was unreachable. */
const LOCAL = 'local:';

export const isLocal = ({ id }: Slot): boolean => id.startsWith(LOCAL);

/**
 * What this client itself knows of one endpoint's quota: the slots it has
 * taken, the headers of the last response, and whether a 429 blocks the
 * endpoint. All instants are on the monotonic clock. `Governor` does the waiting.
 */
export class Lane {
  readonly #limit: number;
  /** Replaced, never extended: V8 extends an array by room for 17 entries, and a fleet has a lane for each store. */
  #slots: readonly Slot[] = [];
  #blockedUntil = Number.NEGATIVE_INFINITY;
  #consecutive429s = 0;
  #headers: { readonly remaining: number | undefined; readonly until: number } | undefined;
  #lastLocalId = 0;

  /** @param limit - requests per window. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(slot: Slot, now: number): void {
    this.#prune(now);
    this.#slots = this.#slots.concat(slot);
  }

  remove(slot: Slot): void {
    this.#slots = this.#slots.filter((each) => each !== slot);
  }

  /** Why a request must wait, as far as this client knows; undefined if the state decides. */
  knownWait(key: string, limit: number, now: number): Reservation | undefined {
    if (this.#blockedUntil > now) return { granted: false, waitMs: this.#blockedUntil - now, reason: 'shut' };
    // The hub may count more requests than we do.
    const hubWaitMs = this.#headers?.remaining === 0 ? this.#headers.until - now : 0;
    // A state that lost its data (a Redis that restarted empty) would grant these slots again.
    const waitMs = Math.max(hubWaitMs, this.#ownWaitMs(key, limit, now));
    return waitMs > 0 ? { granted: false, waitMs, reason: 'quota' } : undefined;
  }

  /** A reservation without the state: counts every slot that this client has taken. */
  reserveLocally(limit: number, now: number): Reservation {
    this.#prune(now);
    if (this.#slots.length < limit) {
      this.#lastLocalId += 1;
      return { granted: true, id: `${LOCAL}${this.#lastLocalId}`, remaining: limit - this.#slots.length - 1 };
    }
    const soonest = Math.min(...this.#slots.map(({ freeAt }) => freeAt));
    return { granted: false, waitMs: Math.max(1, soonest - now), reason: 'quota' };
  }

  /** A response other than 429: ends the series of 429s, and its headers apply until their reset. */
  responded({ remaining, resetMs }: LimitHeaders, now: number): void {
    this.#consecutive429s = 0;
    if (resetMs !== undefined) this.#headers = { remaining, until: instantAfter(now, resetMs) };
  }

  /** @returns how many 429s came in a row, this one included. */
  count429(): number {
    this.#consecutive429s += 1;
    return this.#consecutive429s;
  }

  block(until: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, until);
  }

  /** @param wallNow - epoch ms, for `resetAt`. */
  status(now: number, wallNow: number): RateLimitStatus {
    this.#prune(now);
    const limit = this.#limit;
    const headers = this.#headers && this.#headers.until > now ? this.#headers : undefined;
    const own = limit - this.#slots.length;
    const remaining = this.#blockedUntil > now ? 0 : Math.max(0, Math.min(own, headers?.remaining ?? own));
    const freeAts = this.#slots.map(({ freeAt }) => freeAt);
    if (headers?.remaining === 0) freeAts.push(headers.until);
    const soonest = freeAts.length > 0 ? Math.min(...freeAts) : now;
    return { limit, remaining, resetAt: wallNow + Math.max(soonest, this.#blockedUntil, now) - now };
  }

  /** How long this client's own slots use up the whole quota of that key. */
  #ownWaitMs(key: string, limit: number, now: number): number {
    // Usually there are fewer slots than the limit.
    if (this.#slots.length < limit) return 0;
    const freeAts: number[] = [];
    for (const slot of this.#slots) if (slot.key === key && slot.freeAt > now) freeAts.push(slot.freeAt);
    return freeAts.length < limit ? 0 : Math.min(...freeAts) - now;
  }

  #prune(now: number): void {
    if (this.#slots.some(({ freeAt }) => freeAt <= now)) {
      this.#slots = this.#slots.filter(({ freeAt }) => freeAt > now);
    }
  }
}
