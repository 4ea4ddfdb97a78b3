import type { Clock } from '../clock.js';
import type { Reservation, ReservationRequest, State } from './port.js';

interface Quota {
  readonly slots: Map<string, number>;
  shutUntil: number;
}

/**
 * State that lives as long as the object: the default. Give one to several
 * clients of a process to have them share tokens and quotas.
 *
 * Durations are measured on the monotonic clock, so a step of the wall clock
 * neither frees a quota slot nor forgets a handled event.
 */
export function memoryState(): State {
  return new MemoryState();
}

class MemoryState implements State {
  readonly #values = new Map<string, { value: string; until: number }>();
  readonly #quotas = new Map<string, Quota>();
  readonly #handled = new Map<string, Map<string, number>>();
  #lastId = 0;

  get(key: string, clock: Clock): string | undefined {
    const entry = this.#values.get(key);
    if (!entry) return undefined;
    if (entry.until > clock.monotonic()) return entry.value;
    this.#values.delete(key);
    return undefined;
  }

  set(key: string, value: string, forMs: number, clock: Clock): void {
    this.#values.set(key, { value, until: clock.monotonic() + forMs });
  }

  delete(key: string, expected: string | undefined): void {
    if (expected === undefined || this.#values.get(key)?.value === expected) this.#values.delete(key);
  }

  reserve(key: string, { limit, holdMs }: ReservationRequest, clock: Clock): Reservation {
    const now = clock.monotonic();
    const { slots, shutUntil } = this.#quota(key);
    if (shutUntil > now) return { granted: false, waitMs: shutUntil - now, reason: 'shut' };
    let soonest = Number.POSITIVE_INFINITY;
    for (const [id, freeAt] of slots) {
      if (freeAt <= now) slots.delete(id);
      else if (freeAt < soonest) soonest = freeAt;
    }
    if (slots.size >= limit) return { granted: false, waitMs: soonest - now, reason: 'quota' };
    this.#lastId += 1;
    const id = String(this.#lastId);
    slots.set(id, now + holdMs);
    return { granted: true, id, remaining: limit - slots.size };
  }

  settle(key: string, id: string, freeInMs: number, clock: Clock): void {
    const { slots } = this.#quota(key);
    if (slots.has(id)) slots.set(id, clock.monotonic() + freeInMs);
  }

  shut(key: string, forMs: number, clock: Clock): void {
    const quota = this.#quota(key);
    quota.shutUntil = Math.max(quota.shutUntil, clock.monotonic() + forMs);
  }

  remember(key: string, ids: readonly string[], forMs: number, clock: Clock): void {
    const now = clock.monotonic();
    let handled = this.#handled.get(key);
    if (!handled) {
      handled = new Map();
      this.#handled.set(key, handled);
    }
    for (const id of ids) {
      // Deleted first, so that the oldest entries stay in front and forgetting stops at the first fresh one.
      handled.delete(id);
      handled.set(id, now + forMs);
    }
    for (const [id, until] of handled) {
      if (until > now) break;
      handled.delete(id);
    }
  }

  recall(key: string, ids: readonly string[], clock: Clock): string[] {
    const handled = this.#handled.get(key);
    if (!handled || handled.size === 0) return [];
    const now = clock.monotonic();
    return ids.filter((id) => (handled.get(id) ?? 0) > now);
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
