import { expect, it } from 'vitest';
import { Budget } from '../../src/secrets/budget.js';
import { textRanges } from '../../src/secrets/decoded-text.js';
import { compilePatterns, type Patterns } from '../../src/secrets/patterns.js';

const rangesFor = (secret: string, bytes: string) => [
  ...textRanges(bytes, compilePatterns([secret]) as Patterns, new Budget(bytes.length)),
];

it('textRanges for printable secrets are the printable parts that are long enough', () => {
  expect(rangesFor('secret', '\xff\0abcdef\xffabc\xff a\tbcde')).toEqual([
    [2, 8],
    [13, 20],
  ]);
});

it('textRanges for other ASCII secrets include control characters', () => {
  expect(rangesFor('se\0ret', '\xffab\0def\xff')).toEqual([[1, 7]]);
});

it('textRanges for other secrets are the parts that are valid UTF-8', () => {
  const utf8 = Buffer.from('ação😀').toString('latin1');
  expect(rangesFor('ação', `\xff${utf8}\xc3`)).toEqual([[1, 1 + utf8.length]]);
});
