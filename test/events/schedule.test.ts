import fc from 'fast-check';
import { AuthenticationError, ConnectionError, RateLimitError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { backoffAfter, untilDue } from '../../src/events/schedule.js';

const INTERVAL_MS = 30_000;
const common = { endpoint: 'polling', status: 429, attempts: 1, body: '' } as const;
const limited = (retryAfterMs: number) => new RateLimitError('x', { ...common, retryAfterMs, origin: 'hub' });
const refused = new AuthenticationError('x', { ...common, status: 401, which: 'bearer' });
const broken = new ConnectionError('polling', 'x', { mayHaveReachedHub: true });

describe('backoffAfter', () => {
  it('is never less than the interval, and never a fraction of a millisecond', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(limited(0), limited(5000), refused, broken, new Error('x'), undefined),
        fc.integer({ min: 1, max: 2000 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (error, failures, random) => {
          const waitMs = backoffAfter(error, failures, INTERVAL_MS, random);
          expect(waitMs).toBeGreaterThanOrEqual(INTERVAL_MS);
          expect(Number.isInteger(waitMs)).toBe(true);
          expect(waitMs).toBeLessThanOrEqual(30 * 60_000);
        },
      ),
    );
  });

  it('is what the hub demands after 429, however long', () => {
    expect(backoffAfter(limited(3_600_000), 1, INTERVAL_MS)).toBe(3_600_000);
    expect(backoffAfter(limited(10), 9, INTERVAL_MS)).toBe(INTERVAL_MS);
  });

  it('grows to five minutes after network failures, and to half an hour after refused credentials', () => {
    const waits = (error: unknown) =>
      [1, 2, 3, 4, 5, 9].map((failures) => backoffAfter(error, failures, INTERVAL_MS, 0.999999) / 1000);
    expect(waits(broken)).toEqual([30, 60, 120, 240, 300, 300]);
    expect(waits(refused)).toEqual([300, 600, 1200, 1800, 1800, 1800]);
  });
});

describe('untilDue', () => {
  it('counts from the start of the last poll, and is 0 before the first', () => {
    expect(untilDue(100, undefined, INTERVAL_MS)).toBe(0);
    expect(untilDue(10_000, 5000, INTERVAL_MS)).toBe(25_000);
    expect(untilDue(99_000, 5000, INTERVAL_MS)).toBe(0);
  });
});
