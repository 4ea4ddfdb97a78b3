import { expect, it } from 'vitest';
import { interrupt } from '../lease/interrupt.js';
import { INTERVAL_MS, LEASE_MS } from '../lease/phase.js';
import { printFigures } from './figures.js';

const COUNTS = { kills: 100, standbyKills: 15, stops: 25 };

it('115 kills and 25 short stops of four processes over one file', async () => {
  const { breaches, takeOverMs, refusedWrites, figures } = await interrupt('file', 3000, COUNTS);
  printFigures('leases in SQLite, kills and stops', { takeOverMs, refusedWrites, ...figures });
  expect(breaches).toEqual([]);
  expect(refusedWrites).toBe(0);
  expect(takeOverMs.p99).toBeLessThanOrEqual(LEASE_MS + INTERVAL_MS);
}, 1_800_000);
