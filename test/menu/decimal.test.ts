import { describe, expect, it } from 'vitest';
import { divideHalfUp, toAmount, toNumber } from '../../src/menu/decimal.js';

describe('an amount', () => {
  it.each<[number, bigint]>([
    [0, 0n],
    [-0, 0n],
    [12.5, 125_000n],
    [0.1, 1_000n],
    [15.899999999999999, 159_000n],
    [1.00005, 10_001n],
    [1.00004999, 10_000n],
    [0.00005, 1n],
    [0.00004999, 0n],
    [9e-7, 0n],
    [999_999_999.9999, 9_999_999_999_999n],
    [999_999_999_999_999, 9_999_999_999_999_990_000n],
  ])('of %d is %i ten-thousandths', (value, amount) => {
    expect(toAmount(value)).toBe(amount);
  });

  it.each([-1, -0.0001, 1e15, Number.NaN, Number.POSITIVE_INFINITY, '5', null, undefined, {}])(
    'cannot be made from %j',
    (value) => {
      expect(toAmount(value)).toBeUndefined();
    },
  );

  it.each([0, 0.0001, 0.3, 54.9, 70.5, 8.3333, 1234.5678, 999_999_999.9999])(
    'is %d again as a number',
    (value) => {
      expect(toNumber(toAmount(value) ?? -1n)).toBe(value);
    },
  );

  it('is divided half-up', () => {
    expect(divideHalfUp(10n, 4n)).toBe(3n);
    expect(divideHalfUp(9n, 4n)).toBe(2n);
    expect(divideHalfUp(1n, 3n)).toBe(0n);
    expect(divideHalfUp(2n, 3n)).toBe(1n);
    expect(divideHalfUp(0n, 7n)).toBe(0n);
  });
});
