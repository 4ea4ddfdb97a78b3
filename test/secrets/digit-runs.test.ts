import { describe, expect, it } from 'vitest';
import { Budget } from '../../src/secrets/budget.js';
import { decode, escapedRuns, plainRuns, rangeOf } from '../../src/secrets/digit-runs.js';

const budget = () => new Budget(100);
const runsIn = (text: string, shortest: number) => plainRuns(text, 0, text.length, shortest, budget());

describe('plainRuns', () => {
  it('are the runs of at least the given number of digits', () => {
    expect(runsIn('a: YWJj, YWJjZGVm.', 8)).toEqual([{ digits: 'YWJjZGVm', start: 9 }]);
    expect(runsIn('YWJj', 4)).toEqual([{ digits: 'YWJj', start: 0 }]);
    expect(runsIn('YWJj', 5)).toEqual([]);
  });

  it('continue behind a line break, which is not a digit', () => {
    expect(runsIn('YW\r\nJj', 4)).toEqual([
      { digits: 'YWJj', start: 0, positions: [0, 1, 1, 2, 4, 5, 5, 6] },
    ]);
  });
});

it('escapedRuns are those with an escaped character', () => {
  const text = 'x YW%4Aj YWJj';
  const escapes = [4, 7, 'J'.charCodeAt(0)];
  expect(escapedRuns(text, escapes, 4, budget())).toEqual([
    { digits: 'YWJj', start: 2, positions: [2, 3, 3, 4, 4, 7, 7, 8] },
  ]);
});

describe('decode', () => {
  const decoded = (digits: string) => [...decode({ digits, start: 10 }, 3, budget())];

  it('decodes base64 from each of the first four digits, and hex', () => {
    expect(decoded('YWJjZGVm')).toContainEqual({ bytes: 'abcdef', first: 0, bitsPerDigit: 6 });
    expect(decoded('/aYWJjZGVm')).toContainEqual({ bytes: 'abcdef', first: 2, bitsPerDigit: 6 });
    expect(decoded('0616263')).toContainEqual({ bytes: 'abc', first: 1, bitsPerDigit: 4 });
  });

  it('knows which part of the text the bytes come from', () => {
    const run = { digits: 'YWJjZGVm', start: 10 };
    const base64 = { bytes: 'abcdef', first: 0, bitsPerDigit: 6 } as const;
    expect(rangeOf(run, base64, 0, 3)).toEqual([10, 14]);
    expect(rangeOf(run, base64, 1, 2)).toEqual([11, 13]);
    const hex = { bytes: 'abc', first: 1, bitsPerDigit: 4 } as const;
    expect(rangeOf({ digits: '0616263', start: 10 }, hex, 0, 3)).toEqual([11, 17]);
    const broken = { digits: 'YWJj', start: 0, positions: [0, 1, 1, 2, 4, 5, 5, 6] };
    expect(rangeOf(broken, base64, 0, 3)).toEqual([0, 6]);
  });
});
