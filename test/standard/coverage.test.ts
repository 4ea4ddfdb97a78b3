import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { differencesFrom } from '../../.ci/standard/compare.js';
import { KNOWN_DIFFERENCES } from '../../.ci/standard/known.js';
import { Standard } from '../../.ci/standard/openapi.js';
import file from './opendelivery-1.7.1.json' with { type: 'json' };
import { standard } from './schema.js';

it('our schemas have the fields, types, values and requirements of the standard, with named exceptions', () => {
  expect(differencesFrom(standard)).toEqual(KNOWN_DIFFERENCES);
});

/** A schema that a test changes. */
interface Changed {
  type: string;
  properties: Record<string, Changed>;
  required: string[];
  enum: string[];
  items: Changed;
  allOf: Changed[];
}

/** What is found in the standard with one change, apart from the known differences. */
function foundAfter(change: (schemas: Record<string, Changed>) => void): string[] {
  const next = structuredClone(file);
  change(next.components.schemas as unknown as Record<string, Changed>);
  return differencesFrom(new Standard(next)).filter((line) => !KNOWN_DIFFERENCES.includes(line));
}

const fieldOf = (schema: Changed | undefined, ...keys: string[]): Changed =>
  keys.reduce((at, key) => (at.items ?? at).properties[key] as Changed, schema as Changed);

describe('the comparison of another version with our schemas finds', () => {
  it.each<[string, (schemas: Record<string, Changed>) => void, string[]]>([
    ['nothing in the version itself', () => undefined, []],
    [
      'a new field, with its type, its values and whether it is required',
      ({ Order }) => {
        const takeout = fieldOf(Order, 'takeout');
        takeout.properties.shelf = { type: 'string', enum: ['HOT', 'COLD'] } as unknown as Changed;
        takeout.required.push('shelf');
      },
      ['new field Order.takeout.shelf: string, required, one of HOT, COLD'],
    ],
    [
      'a new object and the fields in it',
      ({ Order }) => {
        const tab = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
        fieldOf(Order).properties.tab = tab as unknown as Changed;
      },
      ['new field Order.tab: object', 'new field Order.tab.id: number, required'],
    ],
    [
      'a field that is gone',
      ({ Order }) => void delete (fieldOf(Order).properties as Record<string, unknown>).extraInfo,
      ['gone field Order.extraInfo'],
    ],
    [
      'a new value',
      ({ Order }) => void fieldOf(Order, 'items', 'unit').enum.push('M'),
      ['new values Order.items[].unit: M'],
    ],
    [
      'a value that is gone',
      ({ RequestDenied }) => void fieldOf(RequestDenied, 'code').enum.pop(),
      ['gone values RequestDenied.code: OUT_FOR_DELIVERY'],
    ],
    [
      'another type',
      ({ Order }) => void (fieldOf(Order, 'displayId').type = 'integer'),
      ['new type Order.displayId: number, was string'],
    ],
    [
      'another type in an array',
      ({ Merchant }) => {
        fieldOf(Merchant).properties.menus = {
          type: 'array',
          items: { type: 'string' },
        } as unknown as Changed;
      },
      ['new type Merchant.menus[]: string, was object'].concat(
        [
          'id',
          'name',
          'description',
          'externalCode',
          'disclaimer',
          'disclaimerURL',
          'categoryId',
          'categoryId[]',
        ].map((key) => `gone field Merchant.menus[].${key}`),
      ),
    ],
    [
      'a field that is required now',
      ({ Order }) => void fieldOf(Order, 'takeout').required.push('billingAddress'),
      ['now required Order.takeout.billingAddress'],
    ],
    [
      'a field that is no longer required',
      ({ Order }) => void fieldOf(Order, 'takeout').required.shift(),
      ['no longer required Order.takeout.mode'],
    ],
    [
      'a new field of a schema that others refer to',
      ({ GeoRadius }) => void (fieldOf(GeoRadius).properties.unit = { type: 'string' } as Changed),
      ['new field Merchant.services[].serviceArea.geoRadius.unit: string'],
    ],
    [
      'a new field of the metadata of one event type',
      ({ EventMetadataConfirm: { allOf } = {} as Changed }) => {
        const metadata = fieldOf(
          allOf.find(({ properties }) => properties),
          'metadata',
        );
        metadata.properties.station = { type: 'string' } as unknown as Changed;
      },
      ['new field Event.metadata.station: string'],
    ],
    ['a schema that is gone', (schemas) => void delete schemas.RequestDenied, ['gone schema RequestDenied']],
    [
      'a new schema that contains itself, once',
      ({ TokenResponse }) => {
        const self = { $ref: '#/components/schemas/TokenResponse' } as unknown as Changed;
        fieldOf(TokenResponse).properties.next = self;
      },
      ['new field TokenResponse.next: object'],
    ],
    [
      'fields of which a document has one',
      ({ OrderConfirmed }) => {
        const variant = (key: string) => ({ required: [key], properties: { [key]: { type: 'string' } } });
        Object.assign(OrderConfirmed ?? {}, { oneOf: [variant('phone'), variant('email')] });
      },
      ['new field OrderConfirmed.phone: string', 'new field OrderConfirmed.email: string'],
    ],
  ])('%s', (_what, change, found) => {
    expect(foundAfter(change)).toEqual(found);
  });
});

/** The version before ours as it was published, if it is in the folder beside this repository. */
const published = ['v1.7.0']
  .map(
    (version) =>
      [
        version,
        fileURLToPath(new URL('../../../shared/spec/opendelivery-1.7.0.yaml', import.meta.url)),
      ] as const,
  )
  .filter(([, path]) => existsSync(path));

it.each(published)('in the published %s, only the billing address is missing', (version, path) => {
  const before = new Standard(parse(readFileSync(path, 'utf8')));
  expect(before.version).toBe(version);
  const found = differencesFrom(before).filter((line) => !KNOWN_DIFFERENCES.includes(line));
  expect(found).toHaveLength(9);
  for (const line of found) expect(line).toMatch(/^gone field Order\.takeout\.billingAddress(?:\.|$)/);
});
