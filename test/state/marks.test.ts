import { describe, expect, it } from 'vitest';
import { groupByMark, Marks } from '../../src/state/marks.js';
import { HANDLED, MAX_COUNTED_ATTEMPTS, MAX_LIFETIME_MS } from '../../src/state/port.js';

const lifetimes = { handledMs: 1000, attemptedMs: 4000 };

describe('Marks', () => {
  it('returns 0 for an unknown id and from the instant of expiry on', () => {
    const marks = new Marks();
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

  it('renews marks with less than three quarters left, each to its lifetime, and returns these', () => {
    const marks = new Marks();
    marks.set('k', ['a', 'b'], HANDLED, 1000, 0);
    marks.set('k', ['c'], 3, 4000, 0);
    expect(marks.renew('k', ['a', 'b', 'c', 'd'], lifetimes, 250)).toEqual([]);
    expect(marks.renew('k', ['a', 'c', 'd'], lifetimes, 251)).toEqual([
      { key: 'k', mark: HANDLED, ids: ['a'], forMs: 1000 },
    ]);
    expect(marks.renew('k', ['c', 'b'], lifetimes, 1001)).toEqual([
      { key: 'k', mark: 3, ids: ['c'], forMs: 4000 },
    ]);
    expect(marks.get('k', ['a', 'b', 'c'], 1250)).toEqual([HANDLED, 0, 3]);
    expect(marks.renew('other', ['a'], lifetimes, 0)).toEqual([]);
  });

  it('lists what has not expired, grouped by mark and expiry, at most 1000 ids in a group', () => {
    const marks = new Marks();
    marks.set('k', ['expired'], 1, 100, 0);
    marks.set('k', ['a', 'b'], HANDLED, 1000, 0);
    marks.set('k', ['c'], 2, 1000, 0);
    const many = Array.from({ length: 1001 }, (_, index) => `${index}`);
    marks.set('m', many, HANDLED, 1000, 0);
    const groups = [...marks.all(100)];
    expect(groups.slice(0, 2)).toEqual([
      { key: 'k', mark: HANDLED, ids: ['a', 'b'], forMs: 900 },
      { key: 'k', mark: 2, ids: ['c'], forMs: 900 },
    ]);
    expect(groups.slice(2).map(({ key, ids }) => [key, ids.length])).toEqual([
      ['m', 1000],
      ['m', 1],
    ]);
  });
});

it('groupByMark puts ids with the same mark together', () => {
  expect(groupByMark('k', ['a', 'b', 'c'], [1, 2, 1], 500)).toEqual([
    { key: 'k', mark: 1, ids: ['a', 'c'], forMs: 500 },
    { key: 'k', mark: 2, ids: ['b'], forMs: 500 },
  ]);
});
