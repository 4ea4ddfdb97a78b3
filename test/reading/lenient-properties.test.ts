import fc from 'fast-check';
import { merchantSchema, orderSchema } from 'opendelivery-client/schemas';
import { describe, expect, it } from 'vitest';

import { merchantFixture } from '../../src/testing/fixtures.js';
import { orderFixture } from '../../src/testing/orders.js';
import { runs } from '../runs.js';
import { readMerchant, readOrder } from '../schemas/support.js';
import { placesOf } from './arbitrary.js';

const isInexact = (value: unknown) => typeof value === 'number' && !Number.isSafeInteger(value);

const NOW = '2026-05-04T03:02:01Z';

describe.each([
  ['merchant', merchantSchema, readMerchant, () => merchantFixture(NOW)],
  ['order', orderSchema, readOrder, () => orderFixture('o', '1', NOW)],
] as const)('the reader of any %s', (name, _schema, read, fixture) => {
  it('never throws for any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const { usable, issues } = read(structuredClone(value));
        expect(usable || issues.length > 0).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });

  it('never throws for any value in one place, and refuses a document only if its own id is ambiguous', () => {
    const count = placesOf(fixture()).length;
    fc.assert(
      fc.property(fc.nat(count - 1), fc.jsonValue({ maxDepth: 3 }), (index, value) => {
        const document = fixture();
        const { parent, key } = placesOf(document)[index] ?? { parent: {}, key: '' };
        parent[key] = value;
        const reading = read(document);
        const isAmbiguous = name === 'order' && parent === document && key === 'id' && isInexact(value);
        expect(reading.usable).toBe(!isAmbiguous);
        if (isAmbiguous) return;
        const again = read(structuredClone(reading.usable ? reading.value : undefined));
        const still = again.issues.map(({ code }) => code);
        for (const code of ['left_out', 'invalid', 'coerced', 'null', 'defaulted', 'alias'])
          expect(still).not.toContain(code);
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('a key', () => {
  it('that the schema does not name is kept, at every depth', () => {
    const document = merchantFixture(NOW);
    const objects = [document, ...placesOf(document).map(({ parent, key }) => parent[key])].filter(
      (value): value is Record<string, unknown> =>
        typeof value === 'object' && value !== null && !Array.isArray(value),
    );
    for (const object of objects) object['x-partner'] = { any: ['thing', null] };
    const before = structuredClone(document);
    const reading = readMerchant(document);
    expect(reading.issues).toEqual([]);
    expect(reading.usable && reading.value).toEqual(before);
  });

  it('named like an inherited method is not read as a field', () => {
    const reading = readMerchant(JSON.parse('{"constructor": 1, "toString": 2, "hasOwnProperty": 3}'));
    expect(reading.usable).toBe(true);
    expect(reading.issues.map(({ code }) => code)).not.toContain('invalid');
  });
});
