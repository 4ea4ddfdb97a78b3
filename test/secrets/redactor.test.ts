import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor, WITHHELD } from '../../src/secrets/redactor.js';
import { runs } from '../runs.js';
import { anyCharacter } from '../strings.js';
import { CODINGS, type Encoder, ESCAPES, SPELLINGS } from './encoders.js';

const MASK = /\[secret\]|\*\*\*|•••|███|▒▒▒/;

function redactorOf(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
}

/** Secrets without whitespace around them, which is not searched. */
const secrets = fc
  .oneof(
    fc.string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...'%\\&;#+ 0a4nu"/é😀=x'), minLength: 6, maxLength: 20 }),
    fc.string({ unit: anyCharacter, minLength: 6, maxLength: 20 }),
  )
  .map((text) => text.trim())
  .filter((text) => text.length >= 6 && new Set(text).size > 3);

const escapes = fc.constantFrom(...Object.values(ESCAPES));
const open = ESCAPES['HTML: no semicolons'];
/** The end of a number without a semicolon that is escaped once more cannot be known. */
const isReadable = (by: readonly Encoder[]) => !by.slice(0, -1).includes(open as Encoder);
/** Text that could be read as a part of the escape beside it. */
const around = fc.oneof(
  fc.constantFrom('', '"', '%', '%4', '\\', '&', '&#', '&#1', ';', 'x=', '&y=1', '\\u00', '=', '\n', '%25'),
  fc.string({ maxLength: 10 }),
);

/** Expects that at most one mask and the text around the secret are left. */
function expectMasked(redactor: Redactor, before: string, encoded: string, after: string): void {
  const clean = redactor.mask(before + encoded + after);
  expect(clean).toMatch(MASK);
  expect(clean.length).toBeLessThanOrEqual(before.length + '[secret]'.length + after.length);
  expect(redactor.mask(clean)).toBe(clean);
}

describe('a redactor masks a secret', () => {
  it('in any composition of escapes and in any text', () => {
    fc.assert(
      fc.property(
        secrets,
        fc.array(escapes, { minLength: 1, maxLength: 3 }).filter(isReadable),
        around,
        around,
        (secret, by, a, b) => {
          const encoded = by.reduce((text, encoder) => encoder(text), secret);
          expectMasked(redactorOf(secret), a, encoded, b);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it('of which each character is escaped in another way', () => {
    fc.assert(
      fc.property(
        secrets.filter((secret) => Buffer.from(secret).toString() === secret),
        fc.infiniteStream(fc.nat(SPELLINGS.length - 1)),
        escapes.filter((each) => each !== open),
        around,
        (secret, choices, outer, before) => {
          const encoded = [...secret]
            .map((each) => SPELLINGS[choices.next().value ?? 0]?.(each) ?? each)
            .join('');
          expectMasked(redactorOf(secret), before, outer(encoded), '');
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it.each(Object.entries(CODINGS))('in %s, which may be escaped', (_name, coding) => {
    fc.assert(
      fc.property(secrets, escapes, escapes, (secret, inner, outer) => {
        const clean = redactorOf(secret).mask(`"${outer(coding(inner(secret)))}"`);
        expect(clean).toMatch(MASK);
        expect(redactorOf(secret).mask(clean)).toBe(clean);
      }),
      { numRuns: 100 },
    );
  });

  it('in base64 of base64', () => {
    const base64: Encoder = (text) => Buffer.from(text).toString('base64');
    expect(redactorOf('the-api-key').mask(base64(`Basic ${base64('id:the-api-key')}`))).toMatch(MASK);
  });

  it('in JSON that is nested up to six times', () => {
    const secret = 'a"b\\c\\\\d/é';
    let text = secret;
    for (let depth = 1; depth <= 6; depth += 1) {
      text = JSON.stringify(text);
      expect(redactorOf(secret).mask(text).replaceAll(/[\\"]/g, ''), `${depth} times`).toBe('[secret]');
    }
  });

  it.each([
    ['&plus;', 'abc&plus;def'],
    ['&#112 without a semicolon', 'abc&#43def'],
    ['percent behind a percent', '%abc%2Bdef'],
    ['escapes in escapes', 'abc%2526%2523x2B;def'],
    ['base64 in lines', 'YWJj\r\nK2Rl\r\nZg=='],
    ['base64 in lines, in JSON', 'YWJj\\r\\nK2Rl\\r\\nZg=='],
  ])('written with %s', (_name, encoded) => {
    expect(redactorOf('abc+def').mask(encoded)).toMatch(MASK);
  });

  it.each([
    ['of 100 KB', 'k'.repeat(99_999)],
    ['of 6,660 characters', 'eyJ.'.repeat(1665)],
    ['with NUL', '\0nul\0'],
    ['that is a lone surrogate', '\ud800'],
    ['that is a date', 'Thu, 01 Jan 1970 00:00'],
  ])('%s', (_name, secret) => {
    expect(redactorOf(secret).mask(`a ${secret} b`)).toBe('a [secret] b');
  });

  it('of one character', () => {
    expect(redactorOf('q').mask('a quite quick text')).toBe('a [secret]uite [secret]uick text');
  });

  it('also if the hub has trimmed it', () => {
    expect(redactorOf(' the-api-key ').mask('a key: the-api-key')).toBe('a key: [secret]');
    expect(redactorOf(' the-api-key ').mask('key= the-api-key ')).toBe('key= [secret] ');
  });

  it('and another one that overlaps with it, with one mask', () => {
    expect(redactorOf('aXa', 'Xab').mask('-aXaXab-')).toBe('-[secret]-');
  });

  it('with a mask that neither contains a secret nor forms one with the text around it', () => {
    for (const secret of ['secret', 'e', '[secret]', ']a', '*', '[*•█▒']) {
      const redactor = redactorOf(secret);
      const clean = redactor.mask(`${secret}a${secret}${secret}`);
      expect(clean).not.toContain(secret);
      expect(redactor.mask(clean)).toBe(clean);
    }
  });
});

describe('a redactor does not change a text', () => {
  it('without a secret', () => {
    const redactor = redactorOf('correct-horse-battery', 'p4&r+t/n=r %41\\');
    const pieces = fc.constantFrom(
      '%',
      '25',
      '\\',
      'u00',
      '&',
      '#',
      'amp;',
      'c',
      'correct-horse',
      'p4&r',
      ' ',
      'é',
      '\ud83d',
    );
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(pieces).map((each) => each.join('')),
      fc.base64String(),
    );
    fc.assert(
      fc.property(text, (each) => {
        expect(redactor.mask(each)).toBe(each);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('if it has no secrets', () => {
    expect(new Redactor().mask('%41')).toBe('%41');
  });
});

describe('a redactor never shows more than it was given', () => {
  it('and does not change a masked text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
        fc.string(),
        (secretList, text) => {
          const redactor = redactorOf(...secretList);
          const clean = redactor.mask(text + secretList.join('') + text);
          expect(redactor.mask(clean)).toBe(clean);
          expect(clean.length).toBeLessThanOrEqual(
            (2 * text.length + secretList.join('').length) * '[secret]'.length,
          );
        },
      ),
    );
  });

  it('withholds a text that is too long to check', () => {
    expect(redactorOf('key').mask('x'.repeat(2 ** 20 + 1))).toBe(WITHHELD);
  });

  it('withholds a text that takes too many steps, and what is not a string', () => {
    // At each position of this text, 5,000 characters of the secret match.
    const page = `%41${'a'.repeat(50_000)}`;
    expect(redactorOf(`${'a'.repeat(5000)}b`).mask(page)).toBe(WITHHELD);
    expect(redactorOf('key').mask(Symbol('key') as unknown as string)).toBe(WITHHELD);
  });
});

describe('a redactor keeps', () => {
  it('configured secrets, and the last 32 tokens', () => {
    const redactor = redactorOf('the-api-key');
    for (let token = 0; token < 100; token += 1) redactor.addTemporary(`token-number-${token}`);
    expect(redactor.mask('the-api-key token-number-99 token-number-67')).toBe(
      '[secret] [secret] token-number-67',
    );
  });

  it('a token longer if it is added again', () => {
    const redactor = new Redactor();
    for (let token = 0; token < 32; token += 1) redactor.addTemporary(`token-number-${token}.`);
    redactor.addTemporary('token-number-0.');
    redactor.addTemporary('another-token');
    expect(redactor.mask('token-number-0. token-number-1.')).toBe('[secret] token-number-1.');
  });
});
