/** @module-tag slow */
import fc from 'fast-check';
import { InvalidResponseError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { validEvents, validMerchants, validOrders } from './documents.js';
import { type Mutation, mutated, mutationsOf } from './mutations.js';
import { type Read, readAsEvent, readAsMerchant, readAsOrder } from './reading.js';
import { CONDITIONAL, schemaOf } from './schema.js';

const changes = (path: Mutation['path'], value?: unknown): Mutation => ({ path, value });

/** The issues of a document against the standard, also of one that cannot be used at all. */
async function againstStandard(
  read: (document: unknown) => Promise<Read>,
  document: unknown,
): Promise<readonly unknown[]> {
  try {
    const { issues } = await read(document);
    return issues.filter(({ against }) => against === 'standard');
  } catch (error) {
    if (!(error instanceof InvalidResponseError)) throw error;
    return error.issues.filter(({ against }) => against === 'standard');
  }
}

describe.each([
  ['merchant document', validMerchants, readAsMerchant, schemaOf('Merchant')],
  ['order', validOrders, readAsOrder, schemaOf('Order')],
  ['event', validEvents, readAsEvent, schemaOf('Event')],
] as const)('any %s with one value that the standard forbids', (_name, documents, read, schema) => {
  it('has an issue against the standard', async () => {
    await fc.assert(
      fc.asyncProperty(documents, fc.nat(), async (document, at) => {
        const all = [...mutationsOf(document, schema)];
        const mutation = all[at % all.length] ?? changes([]);
        expect([mutation, await againstStandard(read, mutated(document, mutation))]).not.toEqual([
          mutation,
          [],
        ]);
      }),
      { seed: 172, numRuns: runs(1000, 30) },
    );
  });
});

it('an order without what its type or timing requires has an issue against the standard', async () => {
  await fc.assert(
    fc.asyncProperty(validOrders, fc.constantFrom(...CONDITIONAL), async (order, { key, field, is }) => {
      const without = { ...order, [field]: is, [key]: undefined };
      expect((await readAsOrder(without)).issues).toContainEqual({
        path: [key],
        code: 'missing',
        message: `absent; required if ${field} is ${is}`,
        against: 'standard',
      });
    }),
    { seed: 173, numRuns: runs(400, 8) },
  );
});
