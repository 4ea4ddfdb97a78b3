import { memoryState, readinessHandler } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { describeWithRedis } from '../../state/redis/server.js';
import { hubWith } from '../support.js';
import { TWELVE, until, workersWith } from './support.js';

const LOCK_MS = 1000;

describeWithRedis('the locks of a fleet worker', (startRedis) => {
  const { start } = workersWith(startRedis);

  it('are renewed, so that a process keeps its shard for longer than a lock, and returned when it is closed', async () => {
    const clock = new ManualClock();
    const mock = hubWith(TWELVE, { clock });
    const shared = { clock, mock, shards: 1, lockMs: LOCK_MS, state: memoryState() };
    const one = start('renewed', shared);
    await until(() => one.worker.health().shards === 1);
    const end = performance.now() + 1.3 * LOCK_MS;
    await until(() => one.worker.health().shards === 0 || performance.now() > end);
    expect(one.worker.health()).toMatchObject({ shards: 1, stores: 12, alive: 1, share: 1 });
    await clock.advance('31s');
    expect(one.worker.health()).toMatchObject({ polling: 12 });
    const other = start('renewed', shared);
    expect(other.worker.health()).toMatchObject({ shards: 0, stores: 0 });
    const closed = one.worker.close();
    await until(() => other.worker.health().shards === 1);
    await closed;
    await clock.advance('61s');
    expect(TWELVE.map((store) => one.pollsOf(store).length)).toEqual(TWELVE.map(() => 3));
    expect([...one.errors, ...other.errors, ...mock.violations()]).toEqual([]);
  });

  it('make its process ready with the first good poll, or if it has no store to poll, until it is closed', async () => {
    const clock = new ManualClock();
    const mock = hubWith(TWELVE, { clock });
    const { worker } = start('ready', { clock, mock, shards: 1, lockMs: LOCK_MS, state: memoryState() });
    const isReady = () => readinessHandler(worker)(new Request('http://pod/readyz')).status === 200;
    await until(() => worker.health().stores === 12);
    expect([isReady(), worker.health().status]).toEqual([false, 'starting']);
    await clock.advance('31s');
    expect([isReady(), worker.health().status]).toEqual([true, 'running']);
    const closed = worker.close();
    expect([isReady(), worker.health().status]).toEqual([false, 'stopping']);
    await closed;
    expect([isReady(), worker.health().status]).toEqual([false, 'idle']);

    const idle = start('ready without stores', { shards: 1, lockMs: LOCK_MS, stores: [] });
    expect(idle.worker.health().status).toBe('starting');
    await until(() => idle.worker.health().status === 'running');
    expect(idle.worker.health()).toMatchObject({ shards: 1, stores: 0 });
  });
});
