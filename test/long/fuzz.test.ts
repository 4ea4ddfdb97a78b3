import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PROPERTIES } from '../security/properties.js';
import { printFigures } from './figures.js';

/** Runs of the cheapest property; the others run less often. */
const RUNS = 50_000;

it('the readers keep their promises for hundreds of thousands of inputs', async () => {
  const startedAt = performance.now();
  let inputs = 0;
  for (const { name, cost, property } of PROPERTIES) {
    const details = await fc.check(property as fc.IAsyncProperty<unknown>, {
      numRuns: Math.ceil(RUNS / cost),
    });
    expect(details.failed, `${name}: seed ${details.seed}, ${JSON.stringify(details.counterexample)}`).toBe(
      false,
    );
    inputs += details.numRuns;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  printFigures('random input for the readers', { inputs, properties: PROPERTIES.length, seconds });
}, 3_600_000);
