import { describe, expect, it } from 'vitest';
import { currencyOf, unitPriceOf } from '../../src/menu/money.js';

describe('money', () => {
  it('is in BRL unless the price names a currency', () => {
    expect(currencyOf({ currency: 'EUR' })).toBe('EUR');
    for (const price of [undefined, {}, { currency: null }, { currency: 5 }]) {
      expect(currencyOf(price)).toBe('BRL');
    }
  });

  it('has an original price only if it is higher', () => {
    expect(unitPriceOf(100n, { originalValue: 0.02 })).toEqual({ unit: 100n, original: 200n });
    for (const originalValue of [0.01, 0.005, 0, -1, Number.NaN, undefined]) {
      expect(unitPriceOf(100n, { originalValue })).toEqual({ unit: 100n, original: 100n });
    }
    expect(unitPriceOf(100n, undefined)).toEqual({ unit: 100n, original: 100n });
  });
});
