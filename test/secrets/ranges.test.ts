import { expect, it } from 'vitest';
import { maskRanges } from '../../src/secrets/ranges.js';

it.each([
  ['no range', [], 'abcdef'],
  ['a range', [1, 3], 'a*def'],
  ['ranges in any order', [4, 5, 0, 1], '*bcd*f'],
  ['ranges that overlap', [1, 4, 2, 3, 3, 5], 'a*f'],
  ['ranges that touch', [1, 2, 2, 3], 'a*def'],
  ['the whole text', [0, 6], '*'],
])('maskRanges: %s', (_name, ranges, masked) => {
  expect(maskRanges('abcdef', ranges, '*')).toBe(masked);
});
