import { expect } from 'vitest';
import { itWithRedis } from '../../state/redis/server.js';
import { play, SCENARIOS } from './scenarios.js';

const { killAndStop } = SCENARIOS;

itWithRedis(
  'four processes share 300 stores while one is killed and one is suspended',
  async (startRedis) => {
    const { breaches, figures } = await play(startRedis, 5000, [killAndStop]);
    console.log('fleet worker:', JSON.stringify(figures));
    expect(breaches).toEqual([]);
  },
  600_000,
);
