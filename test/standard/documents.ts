import fc from 'fast-check';
import { anyCharacter } from '../strings.js';
import { CONDITIONAL, eventSchemaOf, type JsonSchema, resolved, schemaOf } from './schema.js';

type Json = Record<string, unknown>;

const padded = (value: number, length = 2) => String(value).padStart(length, '0');

const numbers = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((value) => padded(value));

const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,9}$/));

const zone = fc.oneof(
  fc.constantFrom('Z', 'z', '+00:00'),
  fc
    .tuple(fc.constantFrom('+', '-'), numbers(0, 23), numbers(0, 59))
    .map(([sign, h, m]) => `${sign}${h}:${m}`),
);

const date = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), numbers(1, 12), numbers(1, 28))
  .map(([year, month, day]) => `${padded(year, 4)}-${month}-${day}`);

/** The full-time of RFC 3339. */
const time = fc
  .tuple(numbers(0, 23), numbers(0, 59), numbers(0, 59), fraction, zone)
  .map(([h, m, s, rest, offset]) => `${h}:${m}:${s}${rest}${offset}`);

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid(),
  // `fc.webUrl` takes a second to make.
  uri: fc.stringMatching(
    /^https:\/\/[a-z0-9]{1,10}\.[a-z]{2,5}(?:\/[\w.~%-]{0,8}){0,3}(?:\?[a-z]{1,4}=[\w-]{0,6})?$/,
  ),
  date,
  time,
  'date-time': fc.tuple(date, fc.constantFrom('T', 't'), time).map((parts) => parts.join('')),
  CRC32: fc.stringMatching(/^[0-9a-f]{8}$/),
};

/** Fields that the standard does not have. It allows them, and promises to add some. */
const unknownFields = fc.dictionary(fc.stringMatching(/^x-[a-z]{1,6}$/), fc.jsonValue({ maxDepth: 1 }), {
  maxKeys: 2,
  noNullPrototype: true,
});

function stringOf({ enum: values, format = '', pattern, minLength, maxLength = 40 }: JsonSchema) {
  if (values) return fc.constantFrom(...values);
  if (pattern) return fc.stringMatching(new RegExp(pattern, 'u'));
  // The standard counts the characters as JSON schema does: in code points.
  if (minLength) return fc.string({ unit: anyCharacter, minLength, maxLength });
  return FORMATS[format] ?? fc.string({ unit: anyCharacter, maxLength: 12 });
}

function objectOf({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<Json> {
  const fields = Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, anyOf(each)]));
  const known = fc.record(fields, { requiredKeys: [...required], noNullPrototype: true });
  return fc
    .tuple(fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, unknownFields), known)
    .map(([more, object]) => ({ ...more, ...object }));
}

const drawn = new Map<JsonSchema, fc.Arbitrary<unknown>>();

/** Values that are valid by a schema. Made once: to make those of a pattern takes longer than to draw them. */
function anyOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const target = resolved(schema);
  const known = drawn.get(target) ?? newAnyOf(target);
  drawn.set(target, known);
  return known;
}

function newAnyOf(target: JsonSchema): fc.Arbitrary<unknown> {
  if (target.type === 'object') return objectOf(target);
  if (target.type === 'array') {
    return fc.array(anyOf(target.items ?? {}), { maxLength: target.maxItems ?? 3 });
  }
  if (target.type === 'boolean') return fc.boolean();
  if (target.type === 'integer') return fc.integer();
  if (target.type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (target.type === 'string') return stringOf(target);
  throw new TypeError(`cannot draw values of ${JSON.stringify(target)}`);
}

/** As it arrives: `-0` and object prototypes do not survive JSON. */
const received = <T>(document: T): T => JSON.parse(JSON.stringify(document));

/** Merchant documents that are valid by the standard. */
export const validMerchants = objectOf(schemaOf('Merchant')).map(received);

/** Orders that are valid by the standard, with what it requires of their type and timing. */
export const validOrders = fc
  .tuple(objectOf(withConditional(schemaOf('Order'))), fc.infiniteStream(fc.boolean()))
  .map(([order, keep]) => {
    for (const { key, field, is } of CONDITIONAL) {
      if (order[field] !== is && !keep.next().value) delete order[key];
    }
    return received(order);
  });

function withConditional(order: JsonSchema): JsonSchema {
  return { ...order, required: [...(order.required ?? []), ...CONDITIONAL.map(({ key }) => key)] };
}

/** Events that are valid by the standard, each with the schema of its type. */
export const validEvents = fc
  .oneof(
    ...(schemaOf('Event').properties?.eventType?.enum ?? []).map((type) => objectOf(eventSchemaOf(type))),
  )
  .map(received);
