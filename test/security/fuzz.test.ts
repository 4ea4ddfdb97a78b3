import fc from 'fast-check';
import { describe, it } from 'vitest';
import { PROPERTIES } from './properties.js';

/** Of the cheapest property; the long version is `test/long/fuzz.test.ts`. */
const RUNS = 800;

describe('whatever a hub writes', () => {
  it.each(PROPERTIES)('$name', async ({ property, cost }) => {
    await fc.assert(property as fc.IAsyncProperty<unknown>, { numRuns: Math.ceil(RUNS / cost) });
  });
});
