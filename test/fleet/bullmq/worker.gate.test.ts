import { expect } from 'vitest';
import { itWithRedis } from '../../state/redis/server.js';
import { play, SCENARIOS } from './scenarios.js';

const { killAndStop, roll } = SCENARIOS;

itWithRedis(
  'four processes share 300 stores while one is killed, one is suspended, and all are replaced',
  async (startRedis) => {
    const { breaches, figures } = await play(startRedis, 5000, [killAndStop, roll]);
    console.log('fleet worker:', JSON.stringify(figures));
    expect(breaches).toEqual([]);
  },
  600_000,
);
