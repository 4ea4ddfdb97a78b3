import {
  type AttemptsToCount,
  HANDLED,
  MAX_COUNTED_ATTEMPTS,
  MAX_LIFETIME_MS,
  type MarkLifetimes,
} from './port.js';

/** Ids of one key that have the same mark and the same expiry, and how much longer the mark lasts. */
export interface MarkedIds {
  readonly key: string;
  readonly mark: number;
  readonly ids: readonly string[];
  readonly forMs: number;
}

/** One number contains an expiry and a mark: milliseconds times this, plus the mark. Scores in Redis have the same form. */
export const MARK_BASE = 2048;

/** A mark is renewed when less than this part of its lifetime is left, so that not every redelivery is a write. */
export const RENEW_BELOW = 0.75;

const MAX_IDS_PER_RECORD = 1000;

/** Marks of events, in the memory of one process. `now` is the monotonic clock's. */
export class Marks {
  readonly #marks = new Map<string, Map<string, number>>();

  set(key: string, ids: readonly string[], mark: number, forMs: number, now: number): void {
    const marks = this.#of(key);
    for (const id of ids) write(marks, id, mark, forMs, now);
    removeExpired(marks, now);
  }

  /** The mark of each id, 0 for an unknown one. */
  get(key: string, ids: readonly string[], now: number): number[] {
    const marks = this.#marks.get(key);
    return ids.map((id) => markOf(marks, id, now));
  }

  /** Renews the marks of which too little is left, and returns those. */
  renew(key: string, ids: readonly string[], lifetimes: MarkLifetimes, now: number): MarkedIds[] {
    const marks = this.#marks.get(key);
    if (!marks) return [];
    const due = ids.filter((id) => {
      const mark = markOf(marks, id, now);
      const leftMs = expiryOf(marks.get(id) ?? 0) - now;
      return mark !== 0 && leftMs < lifetimeOf(mark, lifetimes) * RENEW_BELOW;
    });
    const groups = groupByMark(key, due, this.get(key, due, now), 0).map((group) => ({
      ...group,
      forMs: lifetimeOf(group.mark, lifetimes),
    }));
    for (const { mark, ids: same, forMs } of groups) this.set(key, same, mark, forMs, now);
    return groups;
  }

  /** Adds `by` to the attempts of each id and returns the new marks; a handled id stays handled. */
  count(key: string, ids: readonly string[], by: 1 | -1, forMs: number, now: number): number[] {
    const marks = this.#of(key);
    return ids.map((id) => {
      const mark = markOf(marks, id, now);
      if (mark === HANDLED) return HANDLED;
      const counted = Math.min(MAX_COUNTED_ATTEMPTS, Math.max(0, mark + by));
      write(marks, id, counted, counted === 0 ? 0 : forMs, now);
      return counted;
    });
  }

  /** Adds one attempt to each id whose mark is below the given one, and returns the groups of the new marks. */
  countBelow(key: string, { ids, below }: AttemptsToCount, forMs: number, now: number): MarkedIds[] {
    const marks = this.#of(key);
    const counted = [...new Set(ids)].filter((id) => markOf(marks, id, now) < Math.min(below, HANDLED));
    return groupByMark(key, counted, this.count(key, counted, 1, forMs, now), forMs);
  }

  /** All marks that have not expired, oldest first. */
  *all(now: number): Generator<MarkedIds> {
    for (const [key, marks] of this.#marks) {
      let ids: string[] = [];
      let shared = Number.NaN;
      const group = () => ({ key, mark: shared % MARK_BASE, ids, forMs: expiryOf(shared) - now });
      for (const [id, entry] of marks) {
        if (expiryOf(entry) <= now) {
          marks.delete(id);
          continue;
        }
        if (ids.length > 0 && (entry !== shared || ids.length >= MAX_IDS_PER_RECORD)) {
          yield group();
          ids = [];
        }
        shared = entry;
        ids.push(id);
      }
      if (ids.length > 0) yield group();
    }
  }

  #of(key: string): Map<string, number> {
    let marks = this.#marks.get(key);
    if (!marks) {
      marks = new Map();
      this.#marks.set(key, marks);
    }
    return marks;
  }
}

/** One group for each different mark. */
export function groupByMark(
  key: string,
  ids: readonly string[],
  marks: readonly number[],
  forMs: number,
): MarkedIds[] {
  const groups = new Map<number, string[]>();
  ids.forEach((id, index) => {
    const mark = marks[index] ?? 0;
    const group = groups.get(mark);
    if (group) group.push(id);
    else groups.set(mark, [id]);
  });
  return [...groups].map(([mark, same]) => ({ key, mark, ids: same, forMs }));
}

const expiryOf = (entry: number) => Math.floor(entry / MARK_BASE);

function lifetimeOf(mark: number, { handledMs, attemptedMs }: MarkLifetimes): number {
  return mark === HANDLED ? handledMs : attemptedMs;
}

function markOf(marks: ReadonlyMap<string, number> | undefined, id: string, now: number): number {
  const entry = marks?.get(id);
  return entry !== undefined && expiryOf(entry) > now ? entry % MARK_BASE : 0;
}

/** Deletes the id first: then the oldest entries are at the front, and `removeExpired` stops at the first that has not expired. */
function write(marks: Map<string, number>, id: string, mark: number, forMs: number, now: number): void {
  marks.delete(id);
  if (forMs > 0) marks.set(id, Math.ceil(now + Math.min(forMs, MAX_LIFETIME_MS)) * MARK_BASE + mark);
}

function removeExpired(marks: Map<string, number>, now: number): void {
  for (const [id, entry] of marks) {
    if (expiryOf(entry) > now) break;
    marks.delete(id);
  }
}
