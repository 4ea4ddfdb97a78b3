import * as z from 'zod';
import { expected, formatted, wireObject } from './wire.js';

/** Spec prices are in reais, so a hub that leaves the currency out means reais. */
const currencySchema = formatted('currency').default('BRL');

export const moneySchema = wireObject({ value: z.number(), currency: currencySchema }, { bareKey: 'value' });

/** @see Spec §2.7, §2.9 */
export const offerPriceSchema = wireObject(
  { value: z.number(), originalValue: expected(z.number()), currency: currencySchema },
  { bareKey: 'value' },
);

/** An amount of money, as a decimal number of the currency's main unit: `{ value: 15.9, currency: 'BRL' }` is R$ 15,90. */
export type Money = {
  /**
   * The amount in the main unit (reais, not cents), with at most 4 decimal places (standard v1.7.1). Always present:
   * an amount without a value is left out.
   */
  readonly value: number;
  /** ISO 4217 code, 3 letters. Always present: `BRL` if the hub leaves it out. */
  readonly currency: string;
};

/** The price of an offer or an option: what it costs now and what it cost before a promotion (Spec §2.7, §2.9). */
export type OfferPrice = {
  /** The present price in the main unit (reais, not cents), with at most 4 decimal places (Spec §2.7). Always present. */
  readonly value: number;
  /**
   * The price without promotion, in the same unit. It equals `value` if there is no promotion. Required by Spec §2.7;
   * absence is an issue and means that there is no promotion.
   */
  readonly originalValue?: number | undefined;
  /** ISO 4217 code, 3 letters. Always present: `BRL` if the hub leaves it out. */
  readonly currency: string;
};
