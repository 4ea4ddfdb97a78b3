import type { Lease, Reservation } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { checkLease, checkMarks, checkReservation } from '../../src/state/result-checks.js';

const refusal = { granted: false, waitMs: 1, reason: 'quota' } as const;
const INVALID: readonly unknown[] = [
  undefined,
  null,
  {},
  { granted: true },
  { granted: 'yes', id: 'a', fence: 1 },
  { granted: false },
  { granted: false, waitMs: 0 },
  { granted: false, waitMs: Number.NaN },
  { granted: false, waitMs: Number.POSITIVE_INFINITY },
];

describe('checkReservation', () => {
  it('returns what is valid', () => {
    const granted = { granted: true, id: 'a', remaining: 0 } as const;
    expect(checkReservation(granted)).toBe(granted);
    expect(checkReservation(refusal)).toBe(refusal);
  });

  it.each([...INVALID, { granted: true, id: 7 }])('rejects %j', (result) => {
    expect(() => checkReservation(result as Reservation)).toThrow(
      /invalid result from reserve\(\).*waitMs > 0/,
    );
  });
});

describe('checkLease', () => {
  it('returns what is valid', () => {
    const granted = { granted: true, fence: 1 } as const;
    expect(checkLease(granted)).toBe(granted);
    expect(checkLease(refusal)).toBe(refusal);
  });

  it.each([...INVALID, { granted: true, fence: 1.5 }, { granted: true, fence: '1' }])(
    'rejects %j',
    (result) => {
      expect(() => checkLease(result as Lease)).toThrow(/invalid result from lease\(\).*fence: an integer/);
    },
  );
});

describe('checkMarks', () => {
  const mark = { handled: false, attempts: 3 };

  it('returns what is valid', () => {
    const marks = [mark, { handled: true, attempts: 0 }];
    expect(checkMarks(marks, 2)).toBe(marks);
  });

  it.each([
    undefined,
    {},
    [],
    [mark, mark],
    [null],
    [2047],
    [{ handled: 1, attempts: 0 }],
    [{ handled: false }],
    [{ handled: false, attempts: -1 }],
    [{ handled: false, attempts: 0.5 }],
    [{ handled: true, attempts: '1' }],
  ])('rejects %j for one id', (result) => {
    expect(() => checkMarks(result as never, 1)).toThrow(
      /invalid result from recall\(\).*handled: a boolean, attempts: an integer from 0 .* for each id/,
    );
  });
});
