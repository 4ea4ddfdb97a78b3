import { expect, it } from 'vitest';
import { formatCount, formatDuration, formatTimeOfDay } from '../../src/cli/format.js';

it.each([
  [0, '0 s'],
  [-5000, '0 s'],
  [1, '1 s'],
  [59_499, '59 s'],
  [60_000, '1 min'],
  [3_723_000, '1 h 2 min'],
  [3_600_000 + 5000, '1 h'],
  [604_800_000, '7 d'],
])('formats %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it('formats the local time of day', () => {
  expect(formatTimeOfDay(new Date(2026, 0, 5, 7, 8, 9).getTime())).toBe('07:08:09');
});

it.each([
  [0, '0 events'],
  [1, '1 event'],
  [2, '2 events'],
])('formats the count %d as %s', (count, text) => {
  expect(formatCount(count, 'event')).toBe(text);
});
