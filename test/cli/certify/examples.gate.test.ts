import { describe, expect, it } from 'vitest';
import { isProgramMissing } from '../../program-missing.js';
import { FAULTS } from './faults.js';
import { LANGUAGES, type Language, rehearsed, SCRIPTS } from './rehearsal.js';

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

  it.skipIf(isMissing(language)).each(FAULTS[language.name] ?? [])(
    'does not pass item $item of $script if $file has: $wrong',
    async (fault) => {
      const { code, items, output, seconds } = await rehearsed(fault.script, language, fault);
      const failed = items.filter(({ result }) => result === 'failed').map(({ id }) => id);
      expect(failed, output).toContain(fault.item);
      expect(code).toBe(1);
      expect(output).not.toMatch(/SyntaxError|ParseError|syntax error/);
      expect(seconds).toBeLessThan(60);
    },
  );
});

it('has forty faults', () => {
  expect(Object.values(FAULTS).map(({ length }) => length)).toEqual([20, 10, 10]);
});
