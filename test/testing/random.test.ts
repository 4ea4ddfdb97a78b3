import { expect, it } from 'vitest';
import { drawOf, shuffle } from '../../src/testing/random.js';

it('draws the same number for the same arguments, and numbers from 0 to 1', () => {
  const draws = Array.from({ length: 1000 }, (_, count) => drawOf('seed', count));
  expect(draws).toEqual(Array.from({ length: 1000 }, (_, count) => drawOf('seed', count)));
  expect(draws.every((draw) => draw >= 0 && draw < 1)).toBe(true);
  expect(new Set(draws).size).toBe(1000);
});

it('distributes the numbers of consecutive counts evenly', () => {
  const buckets = new Array<number>(10).fill(0);
  for (let count = 0; count < 10_000; count += 1) {
    const bucket = Math.floor(drawOf(1, count) * 10);
    buckets[bucket] = (buckets[bucket] as number) + 1;
  }
  for (const size of buckets) expect(Math.abs(size - 1000)).toBeLessThan(150);
});

it('separates its arguments', () => {
  expect(drawOf('a', 'bc')).not.toBe(drawOf('ab', 'c'));
});

it('shuffles by the seed, and keeps every item', () => {
  const shuffled = (seed: number) => {
    const items = Array.from({ length: 20 }, (_, index) => index);
    shuffle(items, seed);
    return items;
  };
  expect(shuffled(1)).toEqual(shuffled(1));
  expect(shuffled(1)).not.toEqual(shuffled(2));
  expect(shuffled(1).sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, at) => at));
});

it('draws the same numbers in every version, so that a seed keeps its faults', () => {
  expect(drawOf('seed', 'polling', 1)).toBe(0.29413377144373953);
  expect(drawOf(7, 'order', 2, 'type')).toBe(0.08768039220012724);
});
