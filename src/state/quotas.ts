import type { Clock } from '../clock.js';
import type { Leases } from './leases.js';
import type { Reservation, ReservationRequest } from './port.js';

interface Quota {
  /** When each taken slot frees. */
  readonly slots: Map<string, number>;
  shutUntil: number;
}

/** Something that holds a quota back, and for how much longer. */
export type Held =
  | { readonly kind: 'slot'; readonly key: string; readonly id: string; readonly forMs: number }
  | { readonly kind: 'shut'; readonly key: string; readonly forMs: number };

/** Slots of sliding windows, in the memory of one process. `now` is the monotonic clock's. */
export class Quotas {
  readonly #quotas = new Map<string, Quota>();
  readonly #idPrefix: string;
  #lastId = 0;

  /** @param idPrefix - sets the ids of this run apart from those of an earlier one. */
  constructor(idPrefix = '') {
    this.#idPrefix = idPrefix;
  }

  reserve(key: string, { limit, holdMs }: ReservationRequest, now: number): Reservation {
    const { slots, shutUntil } = this.#quota(key);
    if (shutUntil > now) return { granted: false, waitMs: shutUntil - now, reason: 'shut' };
    let soonest = Number.POSITIVE_INFINITY;
    for (const [id, freeAt] of slots) {
      if (freeAt <= now) slots.delete(id);
      else if (freeAt < soonest) soonest = freeAt;
    }
    if (slots.size >= limit) return { granted: false, waitMs: soonest - now, reason: 'quota' };
    this.#lastId += 1;
    const id = `${this.#idPrefix}${this.#lastId}`;
    slots.set(id, now + holdMs);
    return { granted: true, id, remaining: limit - slots.size };
  }

  /** Takes the slot for that long from now, whether it is known or not; 0 frees it. */
  settle(key: string, id: string, freeInMs: number, now: number): void {
    const { slots } = this.#quota(key);
    if (freeInMs > 0) slots.set(id, now + freeInMs);
    else slots.delete(id);
  }

  /** An earlier, longer closure stays. */
  shut(key: string, forMs: number, now: number): void {
    const quota = this.#quota(key);
    quota.shutUntil = Math.max(quota.shutUntil, now + forMs);
  }

  *held(now: number): Generator<Held> {
    for (const [key, { slots, shutUntil }] of this.#quotas) {
      if (shutUntil > now) yield { kind: 'shut', key, forMs: shutUntil - now };
      for (const [id, freeAt] of slots)
        if (freeAt > now) yield { kind: 'slot', key, id, forMs: freeAt - now };
    }
  }

  #quota(key: string): Quota {
    let quota = this.#quotas.get(key);
    if (!quota) {
      quota = { slots: new Map(), shutUntil: Number.NEGATIVE_INFINITY };
      this.#quotas.set(key, quota);
    }
    return quota;
  }
}

/** The lease first, where one is asked for: a slot is for its holder only. */
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
