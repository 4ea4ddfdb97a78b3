import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mistakesInBody } from '../../src/testing/command-bodies.js';
import { runs } from '../runs.js';
import file from '../standard/opendelivery-1.7.1.json' with { type: 'json' };
import { faultsByStandard } from './standard.js';

/** The part of JSON Schema that the standard uses for these bodies. */
interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly { readonly $ref: string }[];
}

const definitions = file.components.schemas as Readonly<Record<string, Schema>>;

/** Values of the wrong type, and strings of no format. */
const wrong = fc.constantFrom<unknown>(
  null,
  true,
  7,
  1.5,
  '',
  'x',
  '2026-01-05',
  '2026-01-05T12:00:00',
  [],
  {},
  [7],
  ['x'],
);

/** Documents of a schema, with all fields; of a `doubtful` one, one in eight values is wrong and any field may be missing. */
function documentOf(schema: Schema, isDoubtful: boolean): fc.Arbitrary<unknown> {
  const document = typedOf(schema, isDoubtful);
  return isDoubtful
    ? fc.oneof({ weight: 7, arbitrary: document }, { weight: 1, arbitrary: wrong })
    : document;
}

function typedOf(
  { type, format, pattern, enum: values, properties, items, allOf }: Schema,
  isDoubtful: boolean,
): fc.Arbitrary<unknown> {
  if (allOf) return typedOf(definitions[allOf[0]?.$ref.split('/').at(-1) ?? ''] as Schema, isDoubtful);
  if (values) return fc.constantFrom(...values);
  if (format === 'date-time') return fc.constantFrom('2026-01-05T12:00:00Z', '2026-01-05T12:00:00.123-03:00');
  if (format === 'uuid') return fc.constant('00000001-0000-4000-8000-00000000000a');
  if (pattern) return isDoubtful ? fc.constantFrom('BR', 'br', 'BRA') : fc.constant('BR');
  if (type === 'integer') return fc.integer();
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (type === 'array') return fc.array(documentOf(items as Schema, isDoubtful), { maxLength: 3 });
  if (!properties) return fc.string();
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, documentOf(field, isDoubtful)] as const,
  );
  return fc.record(Object.fromEntries(fields), isDoubtful ? { requiredKeys: [] } : {});
}

const BODIES = [
  ['confirm', 'OrderConfirmed'],
  ['requestCancellation', 'RequestCancelled'],
  ['denyCancellation', 'RequestDenied'],
  ['dispatch', 'OrderDispatched'],
  ['tracking', 'OrderTracking'],
] as const;

// Of the check itself: thousands of bodies would take as many requests.
describe('the body of a command', () => {
  it.each(BODIES)('%s is checked as the schema %s of the standard says', (command, name) => {
    const check = (body: unknown) => ({
      faults: faultsByStandard(name, body),
      mistakes: mistakesInBody(command, JSON.stringify(body)),
    });
    const schema = definitions[name] as Schema;
    fc.assert(
      fc.property(documentOf(schema, false), (body) => {
        expect(check(body)).toEqual({ faults: [], mistakes: undefined });
      }),
      { numRuns: runs(200) },
    );
    fc.assert(
      fc.property(documentOf(schema, true), (body) => {
        const { faults, mistakes } = check(body);
        expect(mistakes, faults.join('\n')).toEqual(faults.length === 0 ? undefined : expect.any(String));
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each([
    ['confirm', '', undefined],
    ['preparing', 'x', undefined],
    ['details', '{}', undefined],
    ['requestCancellation', '', 'the body is missing; it must be a JSON object'],
    ['confirm', '{', 'the body is not valid JSON; it must be a JSON object'],
    ['confirm', '[]', 'must be an object; it is an array'],
    [
      'confirm',
      '{"createdAt":"yesterday"}',
      "createdAt: must be an ISO 8601 date-time with its offset, such as '2026-01-05T12:00:00Z'; it is 'yesterday'. orderExternalCode: is missing; it must be a string",
    ],
    [
      'denyCancellation',
      '{"reason":"x","code":"NO"}',
      "code: must be 'DISH_ALREADY_DONE' or 'OUT_FOR_DELIVERY'; it is 'NO'",
    ],
    [
      'requestCancellation',
      JSON.stringify({
        reason: 'x',
        code: 'RISK_AREA',
        mode: 'AUTO',
        invalidItems: ['7'],
        outOfStockItems: Array(101).fill('00000001-0000-4000-8000-00000000000a'),
      }),
      "outOfStockItems: must have at most 100 entries. invalidItems[0]: must be a UUID; it is '7'",
    ],
  ])('%s with %s: %s', (command, body, mistakes) => {
    expect(mistakesInBody(command, body)).toBe(mistakes);
  });
});
