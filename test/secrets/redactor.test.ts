import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor } from '../../src/observe/redactor.js';
import { SPELLINGS } from '../http/support.js';
import { runs } from '../runs.js';
import { anyCharacter } from '../strings.js';

function redactorOf(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  redactor.add(...secrets);
  return redactor;
}

const secrets = fc
  .string({ unit: anyCharacter, minLength: 6, maxLength: 90 })
  .map((text) => text.trim())
  .filter((text) => text.length >= 6 && Buffer.from(text).toString() === text);

/** Those that a hub uses; `base64` is of the id and the secret, which the redactor is given by the credentials. */
const spellings = SPELLINGS.filter(([name]) => !name.startsWith('base64')).map(([, of]) => of);

describe('a redactor', () => {
  it('masks a secret in every spelling, in any text, and changes nothing else', () => {
    fc.assert(
      fc.property(
        secrets,
        fc.constantFrom(...spellings),
        fc.string(),
        fc.string(),
        (secret, of, before, after) => {
          fc.pre(!before.includes(secret) && !after.includes(secret));
          const masked = redactorOf(secret).mask(`<${before}|${of(secret)}|${after}>`);
          expect(masked).toBe(`<${before}|[secret]|${after}>`);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it.each([
    ['Gson', 'a\\u003cb\\u003d\\u0027\\u0026é\\"/`+'],
    ['PHP with JSON_HEX_*', 'a\\u003Cb=\\u0027\\u0026\\u00e9\\u0022\\/`+'],
    ['PHP with JSON_UNESCAPED_UNICODE too', 'a\\u003Cb=\\u0027\\u0026é\\u0022\\/`+'],
    ['the text of an element', 'a&lt;b=\'&amp;é"/`+'],
    ['Underscore', 'a&lt;b=&#x27;&amp;é&quot;/&#x60;+'],
    ['OWASP', 'a&lt;b=&#x27;&amp;é&quot;&#x2F;`+'],
  ])('masks one in the spelling of %s', (_name, spelled) => {
    expect(redactorOf('a<b=\'&é"/`+').mask(`(${spelled})`)).toBe('([secret])');
  });

  it.each<[string, string[], string, string]>([
    [
      'longer than what is searched for',
      [`t${'0123456789'.repeat(100)}`],
      ` t${'0123456789'.repeat(100)} `,
      ' [secret] ',
    ],
    ['of which the text has only the beginning', ['k'.repeat(99)], `${'k'.repeat(80)}!`, '[secret]!'],
    ['that overlaps with another one', ['aXa1', '1Xab'], '-aXa1Xab-', '-[secret]-'],
    ['twice', ['the-key'], 'the-keythe-key', '[secret][secret]'],
    ['that is trimmed', [' the-key '], 'a the-key.', 'a [secret].'],
    ['that is a lone surrogate', ['\ud800abc'], '\ufffdabc \ud800abc', '[secret] [secret]'],
    ['that is a part of the mask', ['secret'], 'a secret', 'a ***'],
    ['of one letter', ['q'], 'a quick', 'a [secret]uick'],
  ])('masks one %s', (_name, all, text, masked) => {
    expect(redactorOf(...all).mask(text)).toBe(masked);
  });

  it('cuts first, and masks the part of a secret that is left at the end', () => {
    const redactor = redactorOf('the-api-key-of-a-partner');
    for (let length = 0; length < 60; length += 1) {
      const masked = redactor.mask(`${'x'.repeat(20)}the-api-key-of-a-partner${'y'.repeat(20)}`, length);
      // Three letters say nothing of a key.
      expect(masked).not.toContain('the-');
    }
    expect(redactor.mask('x'.repeat(100_000), 200)).toBe('x'.repeat(200));
    expect(redactor.mask('x'.repeat(100_000))).toBe('x'.repeat(65_536));
  });

  it('masks the last 32 of the secrets that are replaced, and all others', () => {
    const redactor = redactorOf('the-kept-one');
    for (let turn = 0; turn < 40; turn += 1) redactor.addTemporary(`token-${String(turn).padStart(2, '0')}`);
    expect(redactor.mask('the-kept-one token-39 token-08 token-07')).toBe(
      '[secret] [secret] [secret] token-07',
    );
  });

  // Almost the secret again and again, in every spelling that is searched: a careless search is quadratic.
  it.each<[string, string]>([
    ['a secret of 40 characters, for this page', 'Service unavailable. '],
    [`${'a'.repeat(39)}b`, 'a'],
    ['%25%25%25%25%25%25%25%2', '%25'],
    [`${'\\'.repeat(16)}u`, '\\'],
    [`${'&'.repeat(24)}a`, '&amp;'],
    ['&#38;&#38;&#38;&#38;&#38;x', '&#'],
    [`${'u'.repeat(23)}v`, '\\u0075'],
    [`${'1'.repeat(39)}2`, '1'],
    [`${'ab'.repeat(3000)}c`, 'ab'],
  ])('masks %j in 64 KiB of %j in less than 50 ms', (secret, part) => {
    const redactor = redactorOf(secret);
    const page = part.repeat(Math.ceil(65_536 / part.length));
    redactor.mask(page);
    const before = process.cpuUsage();
    for (let time = 0; time < 3; time += 1) redactor.mask(page);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 3000).toBeLessThan(50);
  });

  it('never throws, whatever it is given', () => {
    const redactor = redactorOf('the-key');
    for (const value of [undefined, null, 7, {}, Symbol('x')])
      expect(redactor.mask(value as string)).toBe('');
    expect(new Redactor().mask('as it is')).toBe('as it is');
  });
});
