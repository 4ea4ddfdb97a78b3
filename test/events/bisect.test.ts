import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bisect } from '../../src/events/bisect.js';
import { runs } from '../runs.js';

describe('bisect', () => {
  it('finds exactly the bad items, wherever they are, with a bounded number of requests', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 100 }),
        fc.uniqueArray(fc.nat(99), { maxLength: 6 }),
        fc.boolean(),
        async (length, badOnes, atTheFront) => {
          const items = Array.from({ length }, (_, index) => index);
          const bad = new Set(
            atTheFront ? badOnes.map((_, index) => index) : badOnes.filter((index) => index < length),
          );
          fc.pre(bad.size > 0 && bad.size * 2 < length);
          let requests = 0;
          const found = await bisect(items, 'whole', async (part) => {
            requests += 1;
            return part.some((item) => bad.has(item)) ? 'part' : undefined;
          });
          const refused = found.refused.map(({ item }) => item);
          // Every part that was sent contained a bad item: this looks like a hub that refuses everything.
          if (found.refusesAll) return expect(found.accepted).toEqual([]);
          expect([...found.accepted, ...refused].sort((a, b) => a - b)).toEqual(items);
          expect(new Set(refused)).toEqual(bad);
          expect(requests).toBeLessThanOrEqual(2 * bad.size * Math.ceil(Math.log2(length) + 1));
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it('recognizes a hub that refuses everything with less than twenty requests', async () => {
    let requests = 0;
    const found = await bisect(
      Array.from({ length: 100 }, (_, index) => index),
      'no',
      async () => {
        requests += 1;
        return 'no';
      },
    );
    expect(found.refusesAll).toBe(true);
    expect(requests).toBeLessThan(20);
  });
});
