import { describe, expect, it } from 'vitest';
import { durationMs } from '../../src/testing/duration.js';

describe('durationMs', () => {
  it.each<[string | number, number]>([
    ['30s', 30_000],
    ['7d', 604_800_000],
    ['1h30m', 5_400_000],
    ['1h 30m', 5_400_000],
    ['1.5s', 1500],
    ['250ms', 250],
    [250, 250],
    [0, 0],
  ])('reads %s as %d ms', (duration, ms) => {
    expect(durationMs(duration)).toBe(ms);
  });

  it.each([
    '',
    '30',
    's',
    '30 seconds',
    '-5s',
    '1h30',
    '5x',
    -5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    undefined,
  ])('refuses %s, and gives examples', (duration) => {
    const read = () => durationMs(duration as string);
    expect(read).toThrow(TypeError);
    expect(read).toThrow(/is not a duration; write .*'30s'/);
  });
});
