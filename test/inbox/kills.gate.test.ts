import { join } from 'node:path';
import { expect, it } from 'vitest';
import { itWithPostgres } from '../state/postgres/server.js';
import { kills } from './kills.js';

it('two processes that are killed and suspended write one ticket for each order and confirm it once, in SQLite', async () => {
  const report = await kills(1, { kills: 3, suspensions: 1 }, (folder) => ({
    kind: 'sqlite',
    path: join(folder, 'orders.db'),
  }));
  expect(report.breaches).toEqual([]);
  expect(report.committed).toBeGreaterThan(5);
}, 240_000);

itWithPostgres(
  'two processes that are killed and suspended write one ticket for each order and confirm it once, in Postgres',
  async (startPostgres) => {
    const server = await startPostgres();
    try {
      const report = await kills(2, { kills: 3, suspensions: 1 }, () => ({
        kind: 'postgres',
        host: server.address.host,
        schema: 'shop',
      }));
      expect(report.breaches).toEqual([]);
      expect(report.committed).toBeGreaterThan(5);
    } finally {
      await server.close();
    }
  },
  240_000,
);
