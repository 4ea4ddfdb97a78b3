import { describe, expect, it } from 'vitest';
import { isProgramMissing } from '../../program-missing.js';
import { expectFaultsFound, FAULTS, type FaultyApplication } from './faults.js';
import { LANGUAGES, type Language, rehearsed, SCRIPTS } from './rehearsal.js';

const isMissing = ({ program }: Language) => program !== 'node' && isProgramMissing(program);

/** Each script with the application in one of the languages; `npm run test:long` plays all of them with all. */
const PLAYED = SCRIPTS.map((script, at) => ({
  script,
  language: LANGUAGES[at % LANGUAGES.length] as Language,
}));

describe.concurrent.each(PLAYED)('the application in $language.name', ({ script, language }) => {
  it.skipIf(isMissing(language))(`passes the script ${script} within a minute`, async () => {
    const { code, items, output, seconds } = await rehearsed(script, language);
    expect(
      items.filter(({ result }) => result !== 'passed'),
      output,
    ).toEqual([]);
    expect(code).toBe(0);
    expect(items.every(({ evidence }) => evidence.length > 0)).toBe(true);
    expect(seconds).toBeLessThan(60);
  });
});

it('an application does not pass the items that it makes wrong', async () => {
  const [language] = LANGUAGES as [Language];
  const [{ script, faults }] = FAULTS[language.name] as [FaultyApplication];
  // For each it is asked again for three seconds: more of them would leave a busy machine no time for the rest.
  await expectFaultsFound(language, { script, faults: faults.slice(0, 5) });
});

it('has forty faults', () => {
  const counts = Object.values(FAULTS).map(
    (applications) => applications.flatMap(({ faults }) => faults).length,
  );
  expect(counts).toEqual([20, 10, 10]);
});
