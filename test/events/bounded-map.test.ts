import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BoundedMap } from '../../src/events/bounded-map.js';

it('keeps the newest entries, and never more than twice its size', () => {
  const steps = fc.array(fc.tuple(fc.nat(30), fc.nat(9)), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), steps, (max, entries) => {
      const map = new BoundedMap<number, number>(max);
      const expected = new Map<number, number>();
      for (const [key, value] of entries) {
        map.set(key, value);
        expected.delete(key);
        expected.set(key, value);
        for (const [known, last] of [...expected].slice(-max)) expect(map.get(known)).toBe(last);
      }
      const kept = [...expected.keys()].filter((key) => map.get(key) !== undefined);
      expect(kept.length).toBeLessThanOrEqual(2 * max);
    }),
  );
});

it('forgets a deleted entry', () => {
  const map = new BoundedMap<string, number>(2);
  for (const key of ['a', 'b', 'c']) map.set(key, 1);
  map.delete('a');
  map.delete('c');
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([undefined, 1, undefined]);
});
