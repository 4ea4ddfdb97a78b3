import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { describeWithRedis } from './server.js';
import { redisForSuite, redisStateAt } from './support.js';

describeWithRedis('the fence of a lease in Redis', (startRedis) => {
  const clients = redisForSuite(startRedis);
  const request = (holder: string) => ({ holder, leaseMs: 45_000 });

  it('increases also after Redis has lost all data', async () => {
    const clock = new ManualClock();
    const state = redisStateAt(clients, clock);
    const first = await state.lease('q', request('a'), clock);
    await clients.ioredis.flushall();
    await clock.advance(1);
    const second = await state.lease('q', request('b'), clock);
    expect(first.granted && second.granted && second.fence > first.fence).toBe(true);
  });

  it('increases also after a day without a lease, when the clock of Redis was set back', async () => {
    const clock = new ManualClock();
    const state = redisStateAt(clients, clock);
    const first = await state.lease('q', request('a'), clock);
    await state.lease('q', { holder: 'a', leaseMs: 0 }, clock);
    const [key = ''] = await clients.ioredis.keys('*lease*');
    expect(await clients.ioredis.pttl(key)).toBeGreaterThan(86_400_000);
    clock.step(-600_000);
    const second = await state.lease('q', request('b'), clock);
    expect(first.granted && second.granted && second.fence > first.fence).toBe(true);
  });
});
