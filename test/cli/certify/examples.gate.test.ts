import { describe, expect, it } from 'vitest';
import { isProgramMissing } from '../../program-missing.js';
import { expectFaultsFound, FAULTS } from './faults.js';
import { LANGUAGES, type Language, rehearsed, SCRIPTS } from './rehearsal.js';

/** The others are played by `npm run test:long`. */
const firstOf = <T>(all: readonly T[] = []) => all.slice(0, 1);

const isMissing = ({ program }: Language) => program !== 'node' && isProgramMissing(program);

describe.concurrent.each(LANGUAGES)('the application of examples/$folder', (language) => {
  it.skipIf(isMissing(language)).each(SCRIPTS)('passes the script %s within a minute', async (script) => {
    const { code, items, output, seconds } = await rehearsed(script, language);
    expect(
      items.filter(({ result }) => result !== 'passed'),
      output,
    ).toEqual([]);
    expect(code).toBe(0);
    expect(items.every(({ evidence }) => evidence.length > 0)).toBe(true);
    expect(seconds).toBeLessThan(60);
  });

  it.skipIf(isMissing(language)).each(firstOf(FAULTS[language.name]))(
    'does not pass the items of $script that it makes wrong',
    (faulty) => expectFaultsFound(language, faulty),
  );
});

it('has forty faults', () => {
  const counts = Object.values(FAULTS).map(
    (applications) => applications.flatMap(({ faults }) => faults).length,
  );
  expect(counts).toEqual([20, 10, 10]);
});
