/** An exact amount in ten-thousandths: the standard allows four decimal places. */
export type Amount = bigint;

const PLACES = 4;
const SCALE = 10n ** BigInt(PLACES);

/**
 * The amount a JSON number stands for, half-up to four places: floats of other
 * languages arrive as 15.899999999999999.
 *
 * @returns undefined where it is no amount: not a number, not finite, negative, or beyond 15 digits.
 */
export function amountOf(value: unknown): Amount | undefined {
  if (typeof value !== 'number' || !(value >= 0) || value >= 1e15) return undefined;
  // Exponents only below 0.000001, which four places do not show.
  const [whole = '0', fraction = ''] = value < 1e-6 ? [] : String(value).split('.');
  const digits = BigInt(whole) * SCALE + BigInt(fraction.slice(0, PLACES).padEnd(PLACES, '0'));
  return Number(fraction[PLACES] ?? '0') >= 5 ? digits + 1n : digits;
}

/** The number nearest to an amount, as JSON would write it. */
export function numberOf(amount: Amount): number {
  const fraction = String(amount % SCALE).padStart(PLACES, '0');
  return Number(`${amount / SCALE}.${fraction}`);
}

/** A quotient of amounts, half-up. */
export function divided(amount: Amount, by: bigint): Amount {
  return (2n * amount + by) / (2n * by);
}
