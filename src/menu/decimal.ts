/** An exact amount of money in ten-thousandths: the standard allows four decimal places. */
export type Amount = bigint;

const PLACES = 4;
const SCALE = 10n ** BigInt(PLACES);

/**
 * Converts a JSON number to an amount, rounded half-up to four places: floats of
 * other languages arrive as 15.899999999999999.
 *
 * @returns undefined if the value is not a number, negative, not finite or not less than 10^15.
 */
export function toAmount(value: unknown): Amount | undefined {
  if (typeof value !== 'number' || !(value >= 0) || value >= 1e15) return undefined;
  // JavaScript prints numbers below 1e-6 with an exponent; they round to 0 anyway.
  const [whole = '0', fraction = ''] = value < 1e-6 ? [] : String(value).split('.');
  const digits = BigInt(whole) * SCALE + BigInt(fraction.slice(0, PLACES).padEnd(PLACES, '0'));
  return Number(fraction[PLACES] ?? '0') >= 5 ? digits + 1n : digits;
}

export function toNumber(amount: Amount): number {
  const fraction = String(amount % SCALE).padStart(PLACES, '0');
  return Number(`${amount / SCALE}.${fraction}`);
}

export function divideHalfUp(amount: Amount, divisor: bigint): Amount {
  return (2n * amount + divisor) / (2n * divisor);
}

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
