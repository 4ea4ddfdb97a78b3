import { postgresState } from 'opendelivery-client/sql';
import { expect } from 'vitest';
import { interrupt } from '../lease/interrupt.js';
import { INTERVAL_MS, LEASE_MS } from '../lease/phase.js';
import { itWithPostgres } from '../state/postgres/server.js';
import { printFigures } from './figures.js';

const COUNTS = { kills: 100, standbyKills: 15, stops: 25 };

itWithPostgres(
  '115 kills and 25 short stops of four processes over one Postgres',
  async (startPostgres) => {
    const postgres = await startPostgres();
    try {
      await postgresState(postgres.pool()).migrate();
      const { breaches, takeOverMs, refusedWrites, figures } = await interrupt(postgres, 3000, COUNTS);
      printFigures('leases in Postgres, kills and stops', { takeOverMs, refusedWrites, ...figures });
      expect(breaches).toEqual([]);
      expect(refusedWrites).toBe(0);
      expect(takeOverMs.p99).toBeLessThanOrEqual(LEASE_MS + INTERVAL_MS);
    } finally {
      await postgres.close();
    }
  },
  1_800_000,
);
