import * as z from 'zod';
import { expected, formatted, hinted, openEnum, wireObject } from './wire.js';

export const STATUSES = ['AVAILABLE', 'UNAVAILABLE'] as const;

/** Status of any entry; the standard's default is AVAILABLE (Spec §3). */
export const statusSchema = openEnum(STATUSES).default('AVAILABLE');

/** The spec's prices are in reais; a hub that leaves the currency out means those. */
export const currencySchema = formatted('currency').default('BRL');

/** `{value, currency}`; decimals with up to 4 places. */
export const priceSchema = wireObject({ value: z.number(), currency: currencySchema }, { bareKey: 'value' });

/** `{value, originalValue, currency}` of offers and options (Spec §2.7, §2.9). */
export const offerPriceSchema = wireObject(
  { value: z.number(), originalValue: expected(z.number()), currency: currencySchema },
  { bareKey: 'value' },
);

/** `{URL}`; the standard adds a checksum. */
export const imageSchema = wireObject({ URL: z.string(), 'CRC-32': z.string().optional() });

export const DAYS_OF_WEEK = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
] as const;

/** Opening times of one day, `HH:mm:ss`; real ones carry fractions, `Z` or an offset and are kept so. */
export const timePeriodSchema = wireObject({ startTime: formatted('time'), endTime: formatted('time') });

/** Days and their times; several periods of a day are several entries. */
export const hoursSchema = hinted(
  z.array(wireObject({ dayOfWeek: z.array(openEnum(DAYS_OF_WEEK)), timePeriods: timePeriodSchema })),
  { spreadKey: 'timePeriods' },
);

export const CARD_BRANDS = [
  'VISA',
  'MASTERCARD',
  'DINERS',
  'AMEX',
  'HIPERCARD',
  'ELO',
  'AURA',
  'DISCOVER',
  'VR_BENEFICIOS',
  'SODEXO',
  'TICKET',
  'GOOD_CARD',
  'BANESCARD',
  'SOROCARD',
  'POLICARD',
  'VALECARD',
  'AGICARD',
  'JCB',
  'CREDSYSTEM',
  'CABAL',
  'GREEN_CARD',
  'VEROCHEQUE',
  'AVISTA',
  'OTHER',
] as const;

export const UNITS = ['UN', 'KG', 'L', 'OZ', 'LB', 'GAL'] as const;

/** `PRIORITY1` to `PRIORITY5`. */
export const PRIORITIES = ['PRIORITY1', 'PRIORITY2', 'PRIORITY3', 'PRIORITY4', 'PRIORITY5'] as const;

export const TIMINGS = ['INSTANT', 'SCHEDULED', 'ONDEMAND'] as const;
