import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Marks } from '../../src/state/marks.js';
import { HANDLED, MAX_COUNTED_ATTEMPTS, MAX_LIFETIME_MS, type RecallRequest } from '../../src/state/port.js';
import { runs } from '../runs.js';
import { anyCharacter } from '../strings.js';

const lifetimes = { handledMs: 1000, attemptedMs: 4000 };
const idsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, index) => `event-${start + index}`);

/** The ids and new marks that a recall has written. */
function written(marks: Marks, key: string, ids: readonly string[], request: RecallRequest, now: number) {
  const writes: [id: string, mark: number, isCounted: boolean][] = [];
  marks.recall(key, ids, request, now, (...write) => void writes.push(write));
  return writes;
}

describe('Marks', () => {
  it('returns 0 for an unknown id and from the instant of expiry on', () => {
    const marks = new Marks();
    expect(marks.get('k', ['a'], 0)).toEqual([0]);
    marks.set('k', ['a'], HANDLED, 1000, 0);
    expect(marks.get('k', ['a', 'b'], 999)).toEqual([HANDLED, 0]);
    expect(marks.get('k', ['a'], 1000)).toEqual([0]);
    expect(marks.get('other', ['a'], 0)).toEqual([0]);
  });

  it('rounds the expiry up to a whole millisecond', () => {
    const marks = new Marks();
    marks.set('k', ['a'], 7, 1000, 0.25);
    expect(marks.get('k', ['a'], 1000.5)).toEqual([7]);
    expect(marks.get('k', ['a'], 1001)).toEqual([0]);
  });

  it('keeps expiry and mark apart for ten years, and shortens what is longer', () => {
    const marks = new Marks();
    marks.set('k', ['a'], HANDLED, Number.MAX_SAFE_INTEGER, 1_000_000_000);
    expect(marks.get('k', ['a'], 1_000_000_000 + MAX_LIFETIME_MS - 1)).toEqual([HANDLED]);
    expect(marks.get('k', ['a'], 1_000_000_000 + MAX_LIFETIME_MS)).toEqual([0]);
  });

  it('counts attempts between 0 and 2046, and leaves a handled id as it is', () => {
    const marks = new Marks();
    marks.set('k', ['handled'], HANDLED, 1000, 0);
    marks.set('k', ['many'], MAX_COUNTED_ATTEMPTS, 1000, 0);
    expect(marks.count('k', ['new', 'handled', 'many'], 1, 9000, 0)).toEqual([1, HANDLED, 2046]);
    expect(marks.count('k', ['new', 'unknown'], -1, 9000, 0)).toEqual([0, 0]);
    expect(marks.get('k', ['new', 'handled', 'many'], 1000)).toEqual([0, 0, 2046]);
  });

  it('renews marks with less than three quarters left, each to its lifetime, and reports these', () => {
    const marks = new Marks();
    marks.set('k', ['a', 'b'], HANDLED, 1000, 0);
    marks.set('k', ['c'], 3, 4000, 0);
    expect(written(marks, 'k', ['a', 'b', 'c', 'd'], lifetimes, 250)).toEqual([]);
    expect(written(marks, 'k', ['a', 'c', 'd'], lifetimes, 251)).toEqual([['a', HANDLED, false]]);
    expect(written(marks, 'k', ['c', 'b'], lifetimes, 1001)).toEqual([['c', 3, false]]);
    expect(marks.get('k', ['a', 'b', 'c'], 1250)).toEqual([HANDLED, 0, 3]);
    expect(written(marks, 'other', ['a'], lifetimes, 0)).toEqual([]);
  });

  it('reports the attempts that a recall counts, and returns the marks before', () => {
    const marks = new Marks();
    marks.set('k', ['handled'], HANDLED, 1000, 0);
    const ids = ['new', 'handled', 'new', 'other'];
    const request = { ...lifetimes, count: { ids: ['new', 'handled'], below: Number.POSITIVE_INFINITY } };
    expect(new Set(written(marks, 'k', ids, request, 0).map(String))).toEqual(new Set(['new,1,true']));
    expect(marks.recall('k', ids, request, 0)).toEqual([1, HANDLED, 1, 0]);
    expect(marks.get('k', ids, 0)).toEqual([2, HANDLED, 2, 0]);
  });

  it('counts an id once that occurs twice, also if all ids are counted', () => {
    const marks = new Marks();
    const ids = ['a', 'b', 'a'];
    const request = { ...lifetimes, count: { ids, below: Number.POSITIVE_INFINITY } };
    expect(marks.recall('k', ids, request, 0)).toEqual([0, 0, 0]);
    expect(marks.recall('k', ids, request, 0)).toEqual([1, 1, 1]);
    expect(marks.recall('k', ids, lifetimes, 0)).toEqual([2, 2, 2]);
  });

  it('restores all marks that have not expired, with less time left', () => {
    const marks = new Marks();
    marks.set('k', ['expired'], 1, 100, 0.5);
    marks.set('k', ['removed'], 1, 1000, 0.5);
    marks.set('k', ['removed'], 1, 0, 0.5);
    marks.set('k', ['a'], HANDLED, 1000, 0.5);
    marks.set('m', idsFrom(0, 20_000), 7, 500, 0.5);
    const parts = [...marks.all(101)];
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.reduce((count, { scores }) => count + scores.length, 0)).toBe(20_001);
    const restored = new Marks();
    for (const part of parts) restored.restore(part, 50, 7);
    const ends = 7 + 1001 - 101 - 50;
    expect(restored.get('k', ['a', 'expired', 'removed'], ends - 1)).toEqual([HANDLED, 0, 0]);
    expect(restored.get('k', ['a'], ends)).toEqual([0]);
    expect(new Set(restored.get('m', idsFrom(0, 20_000), 7 + 501 - 101 - 51))).toEqual(new Set([7]));
    expect(restored.get('m', idsFrom(20_000, 1), 7)).toEqual([0]);
    for (const part of parts) restored.restore(part, 950, 7);
    expect(restored.get('k', ['a'], 7)).toEqual([0]);
  });

  it('returns from all what it had at the beginning, also if it changes in the meantime', () => {
    const marks = new Marks();
    marks.set('k', idsFrom(0, 20_000), HANDLED, 1000, 0);
    const restored = new Marks();
    let added = 20_000;
    for (const part of marks.all(0)) {
      restored.restore(part, 0, 0);
      marks.set('k', idsFrom(added, 20_000), HANDLED, 1000, 0);
      added += 20_000;
    }
    expect(restored.get('k', idsFrom(0, 20_000), 0).every((mark) => mark === HANDLED)).toBe(true);
    expect(marks.get('k', idsFrom(0, added), 0).every((mark) => mark === HANDLED)).toBe(true);
  });
});

/** The same with a plain Map. */
class MapOfMarks {
  readonly #marks = new Map<string, { mark: number; until: number }>();

  get(key: string, ids: readonly string[], now: number): number[] {
    return ids.map((id) => this.#find(key, id, now).mark);
  }

  set(key: string, ids: readonly string[], mark: number, forMs: number, now: number): void {
    for (const id of ids)
      this.#marks.set(`${key}\n${id}`, {
        mark,
        until: forMs > 0 ? Math.ceil(now + forMs) : 0,
      });
  }

  recall(key: string, ids: readonly string[], request: RecallRequest, now: number): number[] {
    const { handledMs, attemptedMs, count } = request;
    const before = this.get(key, ids, now);
    for (const id of new Set(ids)) {
      const { mark, until } = this.#find(key, id, now);
      const forMs = mark === HANDLED ? handledMs : attemptedMs;
      if (count?.ids.includes(id) && mark < Math.min(count.below, HANDLED))
        this.set(key, [id], mark + 1, forMs, now);
      else if (mark > 0 && until - now < forMs * 0.75) this.set(key, [id], mark, forMs, now);
    }
    return before;
  }

  count(key: string, ids: readonly string[], by: 1 | -1, forMs: number, now: number): number[] {
    return ids.map((id) => {
      const { mark } = this.#find(key, id, now);
      if (mark === HANDLED) return HANDLED;
      this.set(key, [id], Math.max(0, mark + by), forMs, now);
      return Math.max(0, mark + by);
    });
  }

  #find(key: string, id: string, now: number): { mark: number; until: number } {
    const found = this.#marks.get(`${key}\n${id}`);
    return found && found.until > now ? found : { mark: 0, until: 0 };
  }
}

type Step = (marks: Pick<Marks, 'get' | 'set' | 'recall' | 'count'>, now: number) => unknown;

const key = fc.constantFrom('a', 'b', '');
const ms = fc.oneof(fc.constantFrom(0, 1, 1000), fc.nat(5000));
const someIds = fc.array(
  fc.oneof(fc.constantFrom('1', '2'), fc.string({ unit: anyCharacter, maxLength: 12 })),
  {
    maxLength: 5,
  },
);
/** Thousands, so that tables become full, are copied and divided. */
const manyIds = fc.tuple(fc.nat(30_000), fc.nat(6000)).map(([start, count]) => idsFrom(start, count));
const ids = fc.oneof({ weight: 2, arbitrary: someIds }, { weight: 1, arbitrary: manyIds });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(key, ids, ms).map(
    ([k, list, forMs]): Step =>
      (marks, now) =>
        marks.set(k, list, HANDLED, forMs, now),
  ),
  fc.tuple(key, ids, fc.constantFrom(1 as const, -1 as const), ms).map(
    ([k, list, by, forMs]): Step =>
      (marks, now) =>
        marks.count(k, list, by, forMs, now),
  ),
  fc.tuple(key, ids).map(
    ([k, list]): Step =>
      (marks, now) =>
        marks.get(k, list, now),
  ),
  fc.tuple(key, ids, someIds, fc.constantFrom(0, 1, 2, Number.POSITIVE_INFINITY), ms, ms).map(
    ([k, list, counted, below, handledMs, attemptedMs]): Step =>
      (marks, now) => {
        const count = { ids: counted, below };
        return marks.recall(k, [...list, ...counted], { handledMs, attemptedMs, count }, now);
      },
  ),
);

it('Marks returns the same as a Map, after any sequence of calls', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(step, ms), { minLength: 5, maxLength: 40 }), (steps) => {
      const marks = new Marks();
      const model = new MapOfMarks();
      let now = 0.5;
      for (const [run, waitMs] of steps) {
        expect(run(marks, now)).toEqual(run(model, now));
        now += waitMs;
      }
    }),
    { numRuns: runs(40) },
  );
});
