import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { PROPERTIES } from './properties.js';

/** Runs of the cheapest property; `test/long/fuzz.test.ts` has more. */
const RUNS = 800;

describe('for any input', () => {
  it.each(PROPERTIES)('$name', async ({ property, cost }) => {
    const checked = async () =>
      fc.assert(property as fc.IAsyncProperty<unknown>, { numRuns: Math.ceil(runs(RUNS) / cost) });
    await expect(checked()).resolves.toBeUndefined();
  });
});
