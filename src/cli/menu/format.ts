import type { GroupView, Money } from './view.js';

/** An amount in the notation of its country, such as `R$ 54,90`. */
export function formatMoney({ value, currency }: Money): string {
  try {
    return new Intl.NumberFormat(currency === 'BRL' ? 'pt-BR' : 'en-US', {
      style: 'currency',
      currency,
    }).format(value);
  } catch {
    return `${value} ${currency}`; // not an ISO 4217 code
  }
}

/** A map, because the hub may send any text. */
const PRICE_METHODS: ReadonlyMap<string, string> = new Map([
  ['MAX', ', the most expensive counts'],
  ['AVG', ', the average counts'],
]);

/** How many options of a group can be chosen, and how they are priced. */
export function formatChoice({ minPermitted, maxPermitted, priceMethod }: GroupView): string {
  const count =
    maxPermitted === undefined
      ? `at least ${minPermitted}`
      : minPermitted === maxPermitted
        ? `${maxPermitted}`
        : `${minPermitted} to ${maxPermitted}`;
  return `choose ${count}${PRICE_METHODS.get(priceMethod) ?? ''}`;
}
