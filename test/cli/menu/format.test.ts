import { expect, it } from 'vitest';
import { formatChoice, formatMoney } from '../../../src/cli/menu/format.js';

it.each([
  [{ value: 54.9, currency: 'BRL' }, 'R$\u00a054,90'],
  [{ value: 12.5, currency: 'USD' }, '$12.50'],
  [{ value: 1, currency: 'not a currency' }, '1 not a currency'],
])('formats %j', (money, text) => {
  expect(formatMoney(money)).toBe(text);
});

it.each([
  [{ minPermitted: 0, maxPermitted: 1, priceMethod: 'SUM' }, 'choose 0 to 1'],
  [{ minPermitted: 2, maxPermitted: 2, priceMethod: 'MAX' }, 'choose 2, the most expensive counts'],
  [{ minPermitted: 1, priceMethod: 'AVG' }, 'choose at least 1, the average counts'],
  [{ minPermitted: 1, priceMethod: 'constructor' }, 'choose at least 1'],
])('formats %j', (group, text) => {
  expect(formatChoice({ id: 'g', name: 'Crust', options: [], ...group })).toBe(text);
});
