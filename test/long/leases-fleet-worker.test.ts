import { expect, it } from 'vitest';
import { play, SCENARIOS } from '../fleet/bullmq/scenarios.js';
import { describeWithRedis } from '../state/redis/server.js';
import { printFigures } from './figures.js';

const { kill, killAndStop, leave, join, roll, stop3, stop20, block, pause, restart, restartAof, flush } =
  SCENARIOS;

const AOF = ['--appendonly', 'yes'];
const DEFAULT_LOCK_MS = 30_000;

describeWithRedis('fleetWorker', (startRedis) => {
  it.each([
    ['a lock of 5 s, and processes that end', 5000, [killAndStop, leave, join, roll], []],
    ['a lock of 5 s, and processes that stand still', 5000, [stop3, stop20, block], []],
    ['a lock of 5 s, and a Redis that stands still or loses its data', 5000, [pause, flush, restart], []],
    ['a lock of 5 s, and a Redis that keeps its data', 5000, [restartAof, kill], AOF],
    ['the default lock, and processes that end', DEFAULT_LOCK_MS, [kill, roll, stop20], []],
    ['the default lock, and a Redis that is restarted', DEFAULT_LOCK_MS, [restart], []],
  ] as const)(
    `four processes share 300 stores: %s`,
    async (title, lockMs, scenarios, redis) => {
      const { breaches, figures } = await play(startRedis, lockMs, scenarios, { redis, isCounting: true });
      printFigures(`fleet worker, ${title}`, figures);
      expect(breaches).toEqual([]);
    },
    1_200_000,
  );
});
