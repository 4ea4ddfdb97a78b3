import { instantAfter } from '../clock.js';
import type { Reservation, ReservationRequest, Settlement } from './port.js';

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

/** Slots of sliding windows, in the memory of one process. `now` is the monotonic clock's. */
export class Quotas {
  readonly #quotas = new Map<string, Quota>();
  #lastId = 0;

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
    const id = String(this.#lastId);
    quota.slots = quota.slots.concat({ id, freeAt: instantAfter(now, holdMs) });
    return { granted: true, id, remaining: limit - quota.slots.length };
  }

  settle(key: string, { id, freeInMs = 0, shutMs = 0 }: Settlement, now: number): void {
    const quota = this.#quota(key);
    if (shutMs > 0) quota.shutUntil = Math.max(quota.shutUntil, instantAfter(now, shutMs));
    if (id === undefined) return;
    const others = quota.slots.filter((slot) => slot.id !== id);
    quota.slots = freeInMs > 0 ? others.concat({ id, freeAt: instantAfter(now, freeInMs) }) : others.slice();
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
