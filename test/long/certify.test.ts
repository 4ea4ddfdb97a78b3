import { expect, it } from 'vitest';
import { expectFaultsFound, FAULTS } from '../cli/certify/faults.js';
import { LANGUAGES, rehearsed, SCRIPTS } from '../cli/certify/rehearsal.js';
import { isProgramMissing } from '../program-missing.js';

const RUNS = 10;

it.each(LANGUAGES)(
  'no correct item fails in ten rehearsals of the application in $name',
  async (language) => {
    if (language.program !== 'node') expect(isProgramMissing(language.program)).toBe(false);
    for (let run = 1; run <= RUNS; run += 1) {
      // Two at a time: an application that waits for the processor misses the time of a fast clock.
      for (const pair of [SCRIPTS.slice(0, 2), SCRIPTS.slice(2)]) {
        const results = await Promise.all(pair.map((script) => rehearsed(script, language)));
        for (const { items, output, seconds } of results) {
          expect(
            items.filter(({ result }) => result !== 'passed'),
            `run ${run}: ${output}`,
          ).toEqual([]);
          expect(items.length).toBeGreaterThan(0);
          expect(seconds).toBeLessThan(60);
        }
      }
    }
  },
  1_800_000,
);

it.each(LANGUAGES)(
  'each faulty application in $name fails the items that it makes wrong',
  async (language) => {
    if (language.program !== 'node') expect(isProgramMissing(language.program)).toBe(false);
    for (const faulty of FAULTS[language.name] ?? []) await expectFaultsFound(language, faulty);
  },
  600_000,
);
