import * as z from 'zod';
import { merchantSchema } from '../../schemas/merchant.js';
import { orderSchema } from '../../schemas/order.js';
import { hintsOf } from '../../schemas/wire.js';

type IsHarmless = (value: unknown) => boolean;

/** The fields whose values the standard enumerates, and all these values. */
const ENUMERATED = new Set<string>();
const WORDS = new Set<unknown>();

/** @param field - the name of the field, for an array that of its entries. */
function findEnumerations(schema: z.ZodType, field: string): void {
  const { values, spellings = {} } = hintsOf(schema);
  if (values) {
    ENUMERATED.add(field);
    for (const value of [...values, ...Object.keys(spellings)]) WORDS.add(value);
  } else if (schema instanceof z.ZodObject) {
    for (const [name, inner] of Object.entries(schema.shape)) findEnumerations(inner as z.ZodType, name);
  } else if (schema instanceof z.ZodArray) findEnumerations(schema.element as z.ZodType, field);
  else if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    findEnumerations(schema.unwrap() as z.ZodType, field);
}

findEnumerations(orderSchema, '');
findEnumerations(merchantSchema, '');

const isWord: IsHarmless = (value) => WORDS.has(value);

/** Larger numbers could be a document or a telephone number, and more decimal places a position. */
const isSmallNumber: IsHarmless = (value) =>
  typeof value === 'number' && Math.abs(value) < 1e7 && /^-?\d+(?:\.\d{1,4})?$/.test(String(value));

/** Some hubs send amounts as strings. */
const isAmount: IsHarmless = (value) =>
  isSmallNumber(value) || (typeof value === 'string' && /^-?\d{1,6}(?:\.\d{1,4})?$/.test(value));

const isCurrency: IsHarmless = (value) => value === 'BRL';

const DATE_TIME =
  /^(?:19|20)\d\d-[01]\d-[0-3]\d(?:T[0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-][01]\d:?[0-5]\d)?)?$/;
const TIME = /^[0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?(?:Z|[+-][01]\d:?[0-5]\d)?$/;

const isDateTime: IsHarmless = (value) => typeof value === 'string' && DATE_TIME.test(value);
const isTime: IsHarmless = (value) => typeof value === 'string' && TIME.test(value);

/** The fields of the standard that are kept, by what their values must be. */
const FIELDS: ReadonlyArray<readonly [IsHarmless, string]> = [
  [isWord, [...ENUMERATED].join(' ')],
  [
    isAmount,
    'value originalValue itemsPrice otherFees discount orderAmount prepaid pending changeFor unitPrice originalPrice ' +
      'optionsPrice subtotalPrice totalPrice price amount averageTicket',
  ],
  [
    isSmallNumber,
    'index quantity ordersCountOnMerchant TTL averagePreparationTime serving minPermitted maxPermitted size ' +
      'estimateDeliveryTime',
  ],
  [isCurrency, 'currency'],
  [
    isDateTime,
    'createdAt lastUpdate preparationStartDateTime takeoutDateTime indoorDateTime scheduledDateTimeStart ' +
      'scheduledDateTimeEnd estimatedDeliveryDateTime deliveryDateTime startDate endDate date',
  ],
  [isTime, 'startTime endTime'],
];

const BY_FIELD: ReadonlyMap<string, IsHarmless> = new Map(
  FIELDS.flatMap(([isHarmless, names]) => names.split(' ').map((name) => [name, isHarmless] as const)),
);

/**
 * Whether a value may be kept: the field is one of the standard, and the value is one that the standard allows there
 * and that says nothing about a person. Everything else is replaced.
 *
 * @param field - for an entry of an array, that of the array; undefined: the value is in no field.
 */
export const isHarmless = (field: string | undefined, value: unknown): boolean =>
  value === null || typeof value === 'boolean' || BY_FIELD.get(field ?? '')?.(value) === true;
