import { describe, expect, it } from 'vitest';
import { MAX_LIFETIME_MS } from '../../../src/state/port.js';
import {
  batchesOf,
  readLease,
  readMarks,
  readReservation,
  wholeMs,
} from '../../../src/state/redis/replies.js';

describe('readReservation', () => {
  it.each([
    [[1, '1', 'id'], { granted: true, id: 'id', remaining: 1 }],
    [[1, '0', 'id', '70'], { granted: true, id: 'id', remaining: 0, fence: 70 }],
    [[0, '41000', 'quota'], { granted: false, waitMs: 41_000, reason: 'quota' }],
    [[0, '5', 'shut', '70'], { granted: false, waitMs: 5, reason: 'shut', fence: 70 }],
    [['0', 5, 'leased'], { granted: false, waitMs: 5, reason: 'leased' }],
  ])('reads %j', (reply, reservation) => {
    expect(readReservation(reply)).toEqual(reservation);
  });

  it.each([null, 'OK', [], [1], [0, '5', 'other']])('throws a StateError for %j', (reply) => {
    expect(() => readReservation(reply)).toThrow(/^redisState: .*invalid reply to the script 'reserve'/);
  });
});

describe('readLease', () => {
  it.each([
    [[1, '70'], { granted: true, fence: 70 }],
    [[0, '5'], { granted: false, waitMs: 5 }],
  ])('reads %j', (reply, lease) => expect(readLease(reply)).toEqual(lease));

  it.each([null, 'OK', [], [1]])('throws a StateError for %j', (reply) => {
    expect(() => readLease(reply)).toThrow(/invalid reply to the script 'lease'/);
  });
});

it('readMarks reads numbers and strings of numbers, and throws for anything but an array', () => {
  expect(readMarks([0, '3', '2047'])).toEqual([
    { handled: false, attempts: 0 },
    { handled: false, attempts: 3 },
    { handled: true, attempts: 0 },
  ]);
  expect(() => readMarks('OK')).toThrow(/invalid reply/);
});

it('wholeMs rounds up, to ten years at most', () => {
  expect([0, 0.1, 1000].map(wholeMs)).toEqual(['0', '1', '1000']);
  expect(wholeMs(1e20)).toBe(String(MAX_LIFETIME_MS));
});

it('batchesOf makes batches of at most a thousand ids, in their order', () => {
  const ids = Array.from({ length: 2001 }, (_, index) => `${index}`);
  const batches = batchesOf(ids);
  expect(batches.map(({ length }) => length)).toEqual([1000, 1000, 1]);
  expect(batches.flat()).toEqual(ids);
  expect(batchesOf([])).toEqual([]);
});
