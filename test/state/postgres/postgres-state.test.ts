import { ConfigurationError, systemClock } from 'opendelivery-client';
import { type PostgresPool, postgresState } from 'opendelivery-client/sql';
import { expect, it } from 'vitest';

const pool: PostgresPool = { query: () => Promise.resolve({ rows: [] }) };

it('is the same object for one pool and schema, so that two clients of a store share it', () => {
  expect(postgresState(pool)).toBe(postgresState(pool, {}));
  expect(postgresState(pool)).not.toBe(postgresState(pool, { schema: 'other' }));
  expect(postgresState({ query: () => Promise.resolve({ rows: [] }) })).not.toBe(postgresState(pool));
});

it.each([
  { schema: '' },
  { schema: 'a"b' },
  { schema: "a'b" },
  { schema: 'a.b' },
  { schema: '$migrate$' },
  { schema: 'x'.repeat(64) },
  { schema: 1 },
  { shema: 'opendelivery' },
])('refuses the options %j', (options) => {
  expect(() => postgresState(pool, options as object)).toThrow(ConfigurationError);
});

it.each([
  [undefined, /pool.* must be a Pool of node-postgres/],
  ['postgres://localhost', /must be a Pool of node-postgres/],
  [Promise.resolve(), /it is a promise, await it/],
  [{}, /it has no query\(\)/],
])('refuses the pool %j', (pool, message) => {
  expect(() => postgresState(pool as never)).toThrow(message);
});

it.each([[[]], [[1]], [undefined]])('rejects if the query resolves to the rows %j', async (rows) => {
  const state = postgresState({ query: () => Promise.resolve({ rows: rows as unknown[] }) });
  await expect(async () => state.get('v', systemClock)).rejects.toThrow(/invalid reply to 'get'/);
});
