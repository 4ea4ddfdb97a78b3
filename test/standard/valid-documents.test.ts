import fc from 'fast-check';
import type { InvalidResponseError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { answered } from '../answered.js';
import { runs } from '../runs.js';
import { validEvents, validMerchants, validOrders } from './documents.js';
import { readAsEvent, readAsMerchant, readAsOrder } from './reading.js';

/** The paths of the values of a document that another one lacks or has differently. */
function lostIn(before: unknown, after: unknown, path = ''): string[] {
  if (typeof before !== 'object' || before === null) return Object.is(before, after) ? [] : [path];
  if (typeof after !== 'object' || after === null) return [path];
  if (Array.isArray(before) && (!Array.isArray(after) || after.length !== before.length)) return [path];
  return Object.entries(before).flatMap(([key, value]) =>
    lostIn(value, Object.hasOwn(after, key) ? Reflect.get(after, key) : undefined, `${path}/${key}`),
  );
}

describe.each([
  ['merchant document', validMerchants, readAsMerchant],
  ['order', validOrders, readAsOrder],
  ['event', validEvents, readAsEvent],
] as const)('any %s that is valid by the standard', (_name, documents, read) => {
  it('is read without loss and has no issue against the standard', async () => {
    await fc.assert(
      fc.asyncProperty(documents, async (document) => {
        const { value, issues } = await read(document);
        expect(issues.filter(({ against }) => against === 'standard')).toEqual([]);
        expect(lostIn(document, value)).toEqual([]);
      }),
      { seed: 170, numRuns: runs(1000, 30) },
    );
  });
});

it('a merchant document that is valid by the standard is refused by strict validation for its ids at most', async () => {
  await fc.assert(
    fc.asyncProperty(validMerchants, async (document) => {
      const get = answered(
        (hub) => hub.merchant.get(),
        () => Response.json(document),
        { merchant: { validation: 'strict' } },
      );
      const refused = await get.then(
        () => [],
        (error: InvalidResponseError) => [...error.issues],
      );
      const codes = refused.filter(({ against }) => against !== 'spec').map(({ code }) => code);
      expect(codes.filter((code) => code !== 'dangling' && code !== 'duplicate')).toEqual([]);
    }),
    { seed: 171, numRuns: runs(500, 30) },
  );
});
