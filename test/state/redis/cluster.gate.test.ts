import { Redis } from 'ioredis';
import { type State, systemClock } from 'opendelivery-client';
import { redisState } from 'opendelivery-client/redis';
import { expect, it, onTestFinished, vi } from 'vitest';
import { idOf, NOT_RENEWED } from '../calls.js';
import { describeWithRedis } from './server.js';

const clock = systemClock;
const lease = { holder: 'a', leaseMs: 60_000 };

/** Keys as the client makes them. */
const CALLS: Readonly<Record<keyof State, (state: State) => unknown>> = {
  get: (state) => state.get('token:5f2b', clock),
  set: (state) => state.set('token:5f2b', 'value', { forMs: 60_000, ifEquals: 'other' }, clock),
  reserve: (state) => state.reserve('quota:5f2b:polling', { limit: 2, holdMs: 60_000, lease }, clock),
  settle: (state) => state.settle('quota:5f2b:polling', { id: '1', freeInMs: 60_000, shutMs: 1 }, clock),
  lease: (state) => state.lease('quota:5f2b:polling', lease, clock),
  recall: (state) => state.recall('events:5f2b', ['1'], NOT_RENEWED, clock),
  mark: (state) => state.mark('events:5f2b', ['1'], { handled: true, forMs: 60_000 }, clock),
};

describeWithRedis('redisState on a Redis Cluster', (startRedis) => {
  it.each(['opendelivery:', 'app:{hub}:'])(
    'calls each script with keys of one hash slot, with the prefix %s',
    async (prefix) => {
      const server = await startRedis('--cluster-enabled', 'yes');
      onTestFinished(async () => void (await server.close()));
      const node = new Redis(server.socketPath);
      onTestFinished(() => node.disconnect());
      // It has all slots, and refuses a script whose keys are in two of them.
      await node.call('CLUSTER', ['ADDSLOTSRANGE', '0', '16383']);
      await vi.waitFor(() => node.get('any'), { timeout: 10_000 });
      await expect(node.eval('return 1', 2, 'a', 'b')).rejects.toThrow('CROSSSLOT');
      const state = redisState(node, { prefix });
      for (const call of Object.values(CALLS)) await call(state);
      expect(idOf(await state.reserve('quota:5f2b:order', { limit: 1, holdMs: 1 }, clock))).toBeTruthy();
    },
  );
});
