import type { Lease, Reservation } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { checkLease, checkReservation, marksCheck } from '../../src/state/result-checks.js';

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

describe('marksCheck', () => {
  it('returns what is valid', () => {
    const marks = [0, 1, 2047];
    expect(marksCheck('recall', ['a', 'b', 'c'])(marks)).toBe(marks);
  });

  it.each([undefined, {}, [], [1, 2], [-1], [2048], [0.5], ['1'], [null]])(
    'rejects %j for one id',
    (result) => {
      expect(() => marksCheck('count', ['a'])(result as number[])).toThrow(
        /invalid result from count\(\).*one integer from 0 to 2047 per id/,
      );
    },
  );
});
