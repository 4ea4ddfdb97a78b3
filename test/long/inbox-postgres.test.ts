import { expect } from 'vitest';
import { kills } from '../inbox/kills.js';
import { itWithPostgres } from '../state/postgres/server.js';
import { printFigures } from './figures.js';

itWithPostgres(
  '150 kills and 25 suspensions leave one ticket and one confirmation for each order, with the inbox in Postgres',
  async (startPostgres) => {
    const server = await startPostgres();
    try {
      const { breaches, ...figures } = await kills(4000, { kills: 150, suspensions: 25 }, () => ({
        kind: 'postgres',
        host: server.address.host,
        schema: 'shop',
      }));
      printFigures('kills with the inbox in Postgres', figures);
      expect(breaches).toEqual([]);
      expect(figures.onlyByFence).toBeGreaterThan(0);
      expect(figures.acknowledgedInTime).toBeGreaterThanOrEqual(0.99);
    } finally {
      await server.close();
    }
  },
  3_600_000,
);
