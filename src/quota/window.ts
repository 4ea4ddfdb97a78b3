import type { Endpoint } from '../hub/endpoints.js';
import type { Reservation } from '../state/port.js';
import { instantAfter, type Moment } from '../time/clock.js';
import type { LimitHeaders } from './headers.js';

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
  readonly window: Window;
  readonly id: string;
  /** Only this process counts it, because the state was unreachable. */
  readonly isLocal: boolean;
  /** When the state was asked for it. The state holds it for a limited time from then on. */
  readonly reservedAt: Moment;
  /** Monotonic ms at which the slot becomes free if nobody settles it. */
  readonly freeAt: number;
}

/** A slot as the state has it. */
type TakenSlot = Pick<Slot, 'id' | 'freeAt'>;

/** The id of a slot that only this process counts, because the state was unreachable. */
const LOCAL_ID = 'local';

const NO_SLOTS: readonly Slot[] = [];

/**
 * What this process itself knows of one endpoint's quota: the slots it has
 * taken, the headers of the last response, and whether a 429 blocks the
 * endpoint. The state counts; this is for when it is unreachable or has lost
 * its data. All instants are on the monotonic clock. `Quotas` does the waiting.
 */
export class Window {
  /** The endpoint, with its limit. */
  readonly row: Endpoint;
  /** Whose quota it is. */
  readonly scope: string;
  /** The state's key of the quota. */
  readonly key: string;
  /** How many 429s came in a row; those of requests that were in flight together are one. */
  consecutive429s = 0;
  /** When the last one came, in monotonic ms. */
  refusedAt = Number.NEGATIVE_INFINITY;
  /** The slots of exchanges that go on. */
  #open = NO_SLOTS;
  /** When the slots of earlier exchanges become free. */
  #frees: readonly number[] = [];
  #blockedUntil = 0;
  #headers: { readonly remaining: number | undefined; readonly until: number } | undefined;

  constructor(row: Endpoint, scope: string, key: string) {
    this.row = row;
    this.scope = scope;
    this.key = key;
  }

  /** How many exchanges go on. */
  get exchanging(): number {
    return this.#open.length;
  }

  take(slot: Omit<Slot, 'window' | 'isLocal'>): Slot {
    const taken = { window: this, isLocal: slot.id === LOCAL_ID, ...slot };
    this.#open = this.#open.concat(taken);
    return taken;
  }

  /** The exchange is over, and its slot becomes free at an instant; undefined: nothing was sent. */
  settle(slot: Slot, now: number, freeAt: number | undefined): void {
    this.#open = this.#open.length === 1 ? NO_SLOTS : this.#open.filter((each) => each !== slot);
    if (freeAt !== undefined) this.#frees = this.#frees.filter((each) => each > now).concat(freeAt);
  }

  /** Why a request must wait, as far as this process knows; undefined if the state decides. */
  knownWait(limit: number, now: number): Reservation | undefined {
    if (this.#blockedUntil > now) return { granted: false, waitMs: this.#blockedUntil - now, reason: 'shut' };
    // The hub may count more requests than we do.
    const hubWaitMs = this.#headers?.remaining === 0 ? this.#headers.until - now : 0;
    // A state that lost its data (a Redis that restarted empty) would grant these slots again.
    const mayBeFull = this.#open.length + this.#frees.length >= limit;
    const waitMs = mayBeFull ? Math.max(hubWaitMs, this.#ownWaitMs(limit, now)) : hubWaitMs;
    return waitMs > 0 ? { granted: false, waitMs, reason: 'quota' } : undefined;
  }

  /**
   * The state has granted a slot, with this many left. If that is more than it can be with this process's own
   * slots, the state has lost its data.
   *
   * @param by - begins the ids of slots whose own id is not known any more. These are the same each time.
   * @returns the slots that it must take again: of those of this process, the ones that become free last.
   */
  lost(granted: Slot, limit: number, remaining: number, now: number, by: string): readonly TakenSlot[] {
    if (remaining < limit - this.#open.length - this.#frees.length) return NO_SLOTS;
    const others = this.#open.filter((slot) => slot !== granted && !slot.isLocal);
    const unnamed = [
      ...this.#open.filter((slot) => slot.isLocal).map(({ freeAt }) => freeAt),
      ...this.#frees,
    ];
    const named = unnamed.map((freeAt, index) => {
      const nth = unnamed.slice(0, index).filter((each) => each === freeAt).length;
      return { id: `${by}-${freeAt}-${nth}`, freeAt };
    });
    const taken = [...others, ...named].filter(({ freeAt }) => freeAt > now);
    const lost = Math.max(0, remaining + taken.length + 1 - limit);
    return taken.sort((one, other) => other.freeAt - one.freeAt).slice(0, lost);
  }

  /** A reservation without the state: counts every slot that this process has taken. */
  reserveLocally(limit: number, now: number): Reservation {
    const waitMs = this.#ownWaitMs(limit, now);
    if (waitMs > 0) return { granted: false, waitMs, reason: 'quota' };
    return { granted: true, id: LOCAL_ID, remaining: limit - this.#takenUntil(now).length - 1 };
  }

  /** The headers of a response apply until their reset. */
  applyHeaders({ remaining, resetMs }: LimitHeaders, now: number): void {
    if (resetMs !== undefined) this.#headers = { remaining, until: instantAfter(now, resetMs) };
  }

  block(until: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, until);
  }

  /** @param wallNow - epoch ms, for `resetAt`. */
  status(now: number, wallNow: number): RateLimitStatus {
    const { limit } = this.row;
    const headers = this.#headers && this.#headers.until > now ? this.#headers : undefined;
    const freeAts = this.#takenUntil(now);
    const own = limit - freeAts.length;
    const remaining = this.#blockedUntil > now ? 0 : Math.max(0, Math.min(own, headers?.remaining ?? own));
    if (headers?.remaining === 0) freeAts.push(headers.until);
    const soonest = freeAts.length > 0 ? Math.min(...freeAts) : now;
    return { limit, remaining, resetAt: wallNow + Math.max(soonest, this.#blockedUntil, now) - now };
  }

  /** How long this process's own slots use up the whole quota. */
  #ownWaitMs(limit: number, now: number): number {
    const taken = this.#takenUntil(now);
    return taken.length < limit ? 0 : Math.max(1, Math.min(...taken) - now);
  }

  /** When the slots that are taken now become free. */
  #takenUntil(now: number): number[] {
    const freeAts = [...this.#open.map(({ freeAt }) => freeAt), ...this.#frees];
    return freeAts.filter((each) => each > now);
  }
}
