import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidResponseError } from '../../src/errors.js';
import { runs } from '../runs.js';
import { validEvents, validMerchants, validOrders } from './documents.js';
import { type Mutation, mutated, mutationsOf } from './mutations.js';
import { type Read, readAsEvent, readAsMerchant, readAsOrder } from './reading.js';
import { CONDITIONAL, schemaOf } from './schema.js';

const changes = (path: Mutation['path'], value?: unknown): Mutation => ({ path, value });

/** The issues of a document against the standard, also of one that cannot be used at all. */
function againstStandard(read: (document: unknown) => Read, document: unknown): readonly unknown[] {
  try {
    return read(document).issues.filter(({ against }) => against === 'standard');
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
  it('has an issue against the standard', () => {
    fc.assert(
      fc.property(documents, fc.nat(), (document, at) => {
        const all = [...mutationsOf(document, schema)];
        const mutation = all[at % all.length] ?? changes([]);
        expect([mutation, againstStandard(read, mutated(document, mutation))]).not.toEqual([mutation, []]);
      }),
      { seed: 172, numRuns: runs(4000, 60) },
    );
  });
});

it('an order without what its type or timing requires has an issue against the standard', () => {
  fc.assert(
    fc.property(validOrders, fc.constantFrom(...CONDITIONAL), (order, { key, field, is }) => {
      const without = { ...order, [field]: is, [key]: undefined };
      expect(readAsOrder(without).issues).toContainEqual({
        path: [key],
        code: 'missing',
        message: `absent; required if ${field} is ${is}`,
        against: 'standard',
      });
    }),
    { seed: 173, numRuns: runs(400, 8) },
  );
});
