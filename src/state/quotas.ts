import { type Clock, instantAfter } from '../clock.js';
import type { Leases } from './leases.js';
import type { Reservation, ReservationRequest } from './port.js';

interface TakenSlot {
  readonly id: string;
  readonly freeAt: number;
}

/** A process may have tens of thousands, so each is small. */
interface Quota {
  /** Replaced, never extended: V8 extends an array by room for 17 entries, and most quotas have two. */
  slots: readonly TakenSlot[];
  shutUntil: number;
}

/** A taken slot or a `shut` of a quota, and for how much longer. */
export type QuotaRecord =
  | { readonly kind: 'slot'; readonly key: string; readonly id: string; readonly forMs: number }
  | { readonly kind: 'shut'; readonly key: string; readonly forMs: number };

/** Slots of sliding windows, in the memory of one process. `now` is the monotonic clock's. */
export class Quotas {
  readonly #quotas = new Map<string, Quota>();
  readonly #idPrefix: string;
  #lastId = 0;

  /** @param idPrefix - distinguishes the ids of this run from those of an earlier one. */
  constructor(idPrefix = '') {
    this.#idPrefix = idPrefix;
  }

  reserve(key: string, { limit, holdMs }: ReservationRequest, now: number): Reservation {
    const quota = this.#quota(key);
    const { shutUntil } = quota;
    if (shutUntil > now) return { granted: false, waitMs: shutUntil - now, reason: 'shut' };
    let soonest = Number.POSITIVE_INFINITY;
    let taken = 0;
    for (const { freeAt } of quota.slots) {
      if (freeAt <= now) continue;
      taken += 1;
      if (freeAt < soonest) soonest = freeAt;
    }
    if (taken < quota.slots.length) quota.slots = quota.slots.filter(({ freeAt }) => freeAt > now);
    if (taken >= limit) return { granted: false, waitMs: soonest - now, reason: 'quota' };
    this.#lastId += 1;
    const id = `${this.#idPrefix}${this.#lastId}`;
    quota.slots = quota.slots.concat({ id, freeAt: instantAfter(now, holdMs) });
    return { granted: true, id, remaining: limit - quota.slots.length };
  }

  /** Sets when a slot frees, also of an unknown id; 0 frees it now. */
  settle(key: string, id: string, freeInMs: number, now: number): void {
    const quota = this.#quota(key);
    const others = quota.slots.filter((slot) => slot.id !== id);
    quota.slots = freeInMs > 0 ? others.concat({ id, freeAt: instantAfter(now, freeInMs) }) : others.slice();
  }

  /** A `shut` that ends later stays. */
  shut(key: string, forMs: number, now: number): void {
    const quota = this.#quota(key);
    quota.shutUntil = Math.max(quota.shutUntil, instantAfter(now, forMs));
  }

  /** Everything that `settle` and `shut` can restore later. */
  *records(now: number): Generator<QuotaRecord> {
    for (const [key, { slots, shutUntil }] of this.#quotas) {
      if (shutUntil > now) yield { kind: 'shut', key, forMs: shutUntil - now };
      for (const { id, freeAt } of slots)
        if (freeAt > now) yield { kind: 'slot', key, id, forMs: freeAt - now };
    }
  }

  #quota(key: string): Quota {
    let quota = this.#quotas.get(key);
    if (!quota) {
      quota = { slots: [], shutUntil: Number.NEGATIVE_INFINITY };
      this.#quotas.set(key, quota);
    }
    return quota;
  }
}

/** Acquires the lease first, if the request has one: only its holder gets a slot. */
export function reserveUnderLease(
  quotas: Quotas,
  leases: Leases,
  key: string,
  request: ReservationRequest,
  clock: Clock,
): Reservation {
  const now = clock.monotonic();
  if (!request.lease) return quotas.reserve(key, request, now);
  const lease = leases.acquire(key, request.lease, now, clock.now());
  if (!lease.granted) return { ...lease, reason: 'leased' };
  return { ...quotas.reserve(key, request, now), fence: lease.fence };
}
