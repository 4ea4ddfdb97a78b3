import { type Amount, toAmount } from './decimal.js';

/** The currency of a price; BRL if it has none, as in the prices of the spec. */
export const currencyOf = (price: { readonly currency?: unknown } | undefined): string =>
  typeof price?.currency === 'string' ? price.currency : 'BRL';

/** A price and the price before a discount; equal without a discount. */
export interface UnitPrice {
  readonly unit: Amount;
  readonly original: Amount;
}

/** An unusable `originalValue`, or one below the price, is ignored. */
export function unitPriceOf(
  unit: Amount,
  price: { readonly originalValue?: number | undefined } | undefined,
): UnitPrice {
  const original = toAmount(price?.originalValue) ?? unit;
  return { unit, original: original > unit ? original : unit };
}
