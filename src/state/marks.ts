import {
  MAX_COUNTED_ATTEMPTS,
  MAX_LIFETIME_MS,
  type Mark,
  type MarkChange,
  RENEW_BELOW,
  type RecallRequest,
} from './port.js';

/** Ids that are marked in one call share it, so it is never changed. */
interface Kept extends Mark {
  readonly until: number;
}

/** The marks that end on one day: by key, then by id. */
type Day = Map<string, Map<string, Kept>>;

const DAY_MS = 86_400_000;

const UNKNOWN: Kept = { handled: false, attempts: 0, until: Number.NEGATIVE_INFINITY };

/**
 * Marks of events, in the memory of one process. `now` is the monotonic clock's.
 *
 * A day that is over is dropped as a whole: deleting its ids one by one would
 * take longer the more there are.
 */
export class Marks {
  /** By the number of the day on which the marks end; a few. */
  readonly #days = new Map<number, Day>();

  recall(
    key: string,
    ids: readonly string[],
    { handledMs, attemptedMs, count }: RecallRequest,
    now: number,
  ): Mark[] {
    const chosen = new Set(count?.ids);
    // All are read before the first is written: an id may occur twice.
    const found = ids.map((id) => this.#find(key, id, now));
    ids.forEach((id, index) => {
      const mark = found[index] as Kept;
      const forMs = mark.handled ? handledMs : attemptedMs;
      const isCounted = !mark.handled && chosen.has(id) && mark.attempts < (count?.below ?? 0);
      if (isCounted) this.#keep(key, id, attempted(mark.attempts + 1, forMs, now), now);
      else if (mark !== UNKNOWN && mark.until - now < forMs * RENEW_BELOW)
        this.#keep(key, id, { ...mark, until: untilOf(forMs, now) }, now);
    });
    return found.map(({ handled, attempts }) => ({ handled, attempts }));
  }

  mark(key: string, ids: readonly string[], change: MarkChange, now: number): void {
    if ('handled' in change) {
      const kept: Kept = { handled: true, attempts: 0, until: untilOf(change.forMs, now) };
      for (const id of ids) this.#keep(key, id, kept, now);
      return;
    }
    for (const id of ids) {
      const mark = this.#find(key, id, now);
      const attempts = Math.max(0, mark.attempts + change.attempts);
      if (!mark.handled) this.#keep(key, id, attempted(attempts, change.forMs, now), now);
    }
  }

  #find(key: string, id: string, now: number): Kept {
    for (const day of this.#days.values()) {
      const kept = day.get(key)?.get(id);
      if (kept) return kept.until > now ? kept : UNKNOWN;
    }
    return UNKNOWN;
  }

  /** Replaces the mark of an id; one that has ended removes it. */
  #keep(key: string, id: string, kept: Kept, now: number): void {
    const today = dayOf(now);
    for (const [number, day] of this.#days) {
      if (number < today) this.#days.delete(number);
      else day.get(key)?.delete(id);
    }
    if (kept.until <= now) return;
    const number = dayOf(kept.until);
    const day: Day = this.#days.get(number) ?? new Map();
    this.#days.set(number, day);
    const ofKey = day.get(key) ?? new Map<string, Kept>();
    day.set(key, ofKey);
    ofKey.set(id, kept);
  }
}

function attempted(attempts: number, forMs: number, now: number): Kept {
  const until = attempts === 0 ? now : untilOf(forMs, now);
  return { handled: false, attempts: Math.min(attempts, MAX_COUNTED_ATTEMPTS), until };
}

const untilOf = (forMs: number, now: number) => now + Math.min(forMs, MAX_LIFETIME_MS);

const dayOf = (instant: number) => Math.floor(instant / DAY_MS);
