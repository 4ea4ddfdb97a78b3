import { HANDLED, MAX_COUNTED_ATTEMPTS, type MarkLifetimes } from './port.js';

/** Ids that share one mark and one expiry, and how much longer they are kept. */
export interface MarkedIds {
  readonly key: string;
  readonly mark: number;
  readonly ids: readonly string[];
  readonly forMs: number;
}

/** An expiry and a mark fit into one number: milliseconds times this, plus the mark. Redis scores have the same form. */
export const MARK_BASE = 2048;

/** A mark is renewed when less than this part of its lifetime is left, so that a redelivery is not always a write. */
export const RENEW_BELOW = 0.75;

const MAX_IDS_PER_RECORD = 1000;

/** Ten years, as in Redis: a later expiry and a mark do not fit into one number. */
const LONGEST_MS = 10 * 365 * 86_400_000;

/** Marks of events, in the memory of one process. `now` is the monotonic clock's. */
export class Marks {
  readonly #marks = new Map<string, Map<string, number>>();

  set(key: string, ids: readonly string[], mark: number, forMs: number, now: number): void {
    const marks = this.#of(key);
    for (const id of ids) write(marks, id, mark, forMs, now);
    removeExpired(marks, now);
  }

  /** The mark of each id, 0 where there is none. */
  get(key: string, ids: readonly string[], now: number): number[] {
    const marks = this.#marks.get(key);
    return ids.map((id) => markOf(marks, id, now));
  }

  /** Renews the marks that have to be, and returns them. */
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

/** The ids of each mark together. */
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

/** Deleted first, so that the oldest entries stay in front and removing stops at the first one that is kept. */
function write(marks: Map<string, number>, id: string, mark: number, forMs: number, now: number): void {
  marks.delete(id);
  if (forMs > 0) marks.set(id, Math.ceil(now + Math.min(forMs, LONGEST_MS)) * MARK_BASE + mark);
}

function removeExpired(marks: Map<string, number>, now: number): void {
  for (const [id, entry] of marks) {
    if (expiryOf(entry) > now) break;
    marks.delete(id);
  }
}
