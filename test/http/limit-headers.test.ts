import { expect, it } from 'vitest';
import { readLimitHeaders } from '../../src/quota/headers.js';

const NOW = Date.parse('2026-01-05T12:00:00Z');
const MINUTE_MS = 60_000;

function read(remaining: string | undefined, reset: string | undefined) {
  const headers: Record<string, string | undefined> = {
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
  };
  return readLimitHeaders((name) => headers[name], MINUTE_MS, NOW);
}

it.each([
  ['seconds', '30'],
  ['epoch seconds', String(NOW / 1000 + 30)],
  ['epoch milliseconds', String(NOW + 30_000)],
  ['seconds with spaces', ' 30 '],
])('reads a reset in %s', (_unit, reset) => {
  expect(read('0', reset)).toEqual({ remaining: 0, resetMs: 30_000 });
});

it.each([
  ['beyond the window', '61'],
  ['in the past', String(NOW / 1000 - 1)],
  ['negative', '-5'],
  ['with a fraction', '1.5'],
  ['a word', 'soon'],
  ['empty', ''],
  ['missing', undefined],
])('ignores a reset that is %s', (_what, reset) => {
  expect(read('1', reset)).toEqual({ remaining: 1 });
});

it('is empty without the headers', () => {
  expect(read(undefined, undefined)).toEqual({});
});
