import { join } from 'node:path';
import { expect, it } from 'vitest';
import { kills } from '../inbox/kills.js';
import { printFigures } from './figures.js';

it('150 kills and 25 suspensions leave one ticket and one confirmation for each order, with the inbox in SQLite', async () => {
  const { breaches, ...figures } = await kills(3000, { kills: 150, suspensions: 25 }, (folder) => ({
    kind: 'sqlite',
    path: join(folder, 'orders.db'),
  }));
  printFigures('kills with the inbox in SQLite', figures);
  expect(breaches).toEqual([]);
  expect(figures.onlyByFence).toBeGreaterThan(0);
  expect(figures.acknowledgedInTime).toBeGreaterThanOrEqual(0.99);
}, 3_600_000);
