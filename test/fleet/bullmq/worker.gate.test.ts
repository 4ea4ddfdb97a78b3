import { expect, it } from 'vitest';
import { hasRedis, REDIS_MISSING } from '../../state/redis/server.js';
import { play, SCENARIOS } from './scenarios.js';

const { killAndStop, roll } = SCENARIOS;

it.skipIf(!hasRedis())(
  `four processes share 300 stores while one is killed, one is suspended, and all are replaced${REDIS_MISSING}`,
  async () => {
    const { breaches, figures } = await play(5000, [killAndStop, roll]);
    console.log('fleet worker:', JSON.stringify(figures));
    expect(breaches).toEqual([]);
  },
  600_000,
);
