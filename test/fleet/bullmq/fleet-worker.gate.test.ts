import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { type FleetStore, memoryState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { createClient } from 'redis';
import { expect, it, onTestFinished } from 'vitest';
import { describeWithRedis } from '../../state/redis/server.js';
import { gate } from '../../support.js';
import { fleetOf, hubWith, stores } from '../support.js';
import { TWELVE as all, until, workersWith } from './support.js';

const SHARDS = 4;

describeWithRedis('a fleet worker', (startRedis) => {
  const { redis, clientOf, start } = workersWith(startRedis);

  it.each([
    ['the client of ioredis that the state has too', async () => clientOf()],
    ['the options of an ioredis client', async () => ({ path: redis().socketPath })],
    [
      'a client of node-redis',
      async () => {
        const client = createClient({ socket: { path: redis().socketPath, tls: false } });
        await client.connect();
        onTestFinished(() => client.destroy());
        return client;
      },
    ],
  ])('takes %s', async (title, connect) => {
    const connection = await connect();
    const { worker, errors, fleet } = start(`takes ${title}`, { connection });
    expect(worker.health()).toMatchObject({ shards: 0, alive: 0, share: 0, stores: 0 });
    await until(() => worker.health().shards === SHARDS);
    expect(worker.health()).toMatchObject({ shards: SHARDS, alive: 1, share: SHARDS, stores: all.length });
    expect(worker.health()).toMatchObject({ polling: all.length, oldestPollStoreId: expect.any(String) });
    await worker.close();
    expect(worker.health()).toMatchObject({ shards: 0, stores: 0 });
    expect(errors).toEqual([]);
    // The application's client stays open, and its fleet can be started again.
    if ('ping' in connection) expect(await (connection.ping as () => Promise<string>)()).toBe('PONG');
    void fleet.start();
    await until(() => fleet.health().polling === all.length);
  });

  it('waits for a lock before its first poll ever, because Redis may have lost its data', async () => {
    const { worker } = start('waits');
    const from = performance.now();
    await until(() => worker.health().shards > 0);
    expect(performance.now() - from).toBeGreaterThan(990);
  });

  it('returns its shards when it is closed, so that another process takes them before their locks end', async () => {
    // Three heartbeats, after which a process does not count any more, are longer than the test waits.
    const options = { lockMs: 4000 };
    const one = start('returns', options);
    await until(() => one.worker.health().shards === SHARDS);
    const other = start('returns', options);
    await until(() => one.worker.health().shards === 2 && other.worker.health().shards === 2);
    const from = performance.now();
    await one.worker.close();
    await until(() => other.worker.health().shards === SHARDS);
    expect(performance.now() - from).toBeLessThan(1500);
    expect(other.worker.health()).toMatchObject({ alive: 1, share: SHARDS });
    expect([...one.errors, ...other.errors]).toEqual([]);
  });

  it.each(['program', 'listener'])(
    'waits for a listener that closes it too, after a close by the %s',
    async (first) => {
      // The more there are, the sooner the first one is polled.
      const many = stores(100);
      const mock = hubWith(many);
      const { fleet, worker } = start(`both-${first}`, { mock, stores: many });
      const [begun, closing, closed, end] = [gate(), gate(), gate(), gate()];
      const log: string[] = [];
      let handled: string | undefined;
      fleet.on('CREATED', async ({ orderId }, { signal }) => {
        if (handled) return;
        handled = orderId;
        begun.open();
        if (first === 'program') await closing.promise;
        const own = worker.close();
        closing.open();
        await own;
        closed.open();
        await end.promise;
        log.push(signal.aborted ? 'aborted' : 'listener');
      });
      for (const { clientId } of many) mock.createOrder({ clientId });
      await (first === 'program' ? begun : closing).promise;
      const ofProgram = worker.close().then(() => log.push('program'));
      closing.open();
      await closed.promise;
      expect(log).toEqual([]);
      end.open();
      await ofProgram;
      expect(log).toEqual(['listener', 'program']);
      expect(mock.pending().map(({ orderId }) => orderId)).not.toContain(handled);
    },
  );

  it('sends no heartbeat when it is closed while its stores are read', async () => {
    const reading: { stores?: (stores: readonly FleetStore[]) => void } = {};
    const slow = () =>
      new Promise<readonly FleetStore[]>((resolve) => Object.assign(reading, { stores: resolve }));
    const one = start('closed early', { stores: slow });
    await until(() => reading.stores !== undefined);
    const closed = one.worker.close();
    reading.stores?.(all);
    await closed;
    const other = start('closed early');
    await until(() => other.worker.health().alive > 0);
    expect(other.worker.health().alive).toBe(1);
  });

  it('reports no error of what it still sends when it is closed', async () => {
    const { worker, errors } = start('closed soon', { shards: 256 });
    // It adds the jobs of the shards now.
    while (worker.health().alive === 0) await turn();
    await worker.close();
    await pause(50);
    expect(errors).toEqual([]);
  });

  it('polls no store that is added before it has a shard', async () => {
    const more = stores(40);
    const { worker, fleet, mock } = start('added', { mock: hubWith(more) });
    for (const store of more.slice(12)) await fleet.add(store);
    expect(worker.health()).toMatchObject({ shards: 0, stores: 0, alive: 0 });
    await until(() => worker.health().shards === SHARDS);
    expect(worker.health().stores).toBe(40);
    expect(mock.violations()).toEqual([]);
  });

  it('counts each store of its shards in its health: polled, failing, refused, and polled by another process', async () => {
    const clock = new ManualClock();
    const mock = hubWith(all, { clock });
    const [refused, failing, elsewhere, ...others] = all as [FleetStore, FleetStore, FleetStore];
    const shared = { clock, state: memoryState() };
    const { fleet: other } = fleetOf(mock, { ...shared, stores: [elsewhere] });
    other.on('event', () => {});
    void other.start();
    await clock.advance('31s');
    const { worker } = start('health', {
      ...shared,
      mock,
      stores: [{ ...refused, clientSecret: 'wrong' }, failing, elsewhere, ...others],
      fetch: async (url, init) =>
        String(init?.body).includes(`client_id=${failing.clientId}`)
          ? new Response(null, { status: 503 })
          : mock.fetch(url, init),
    });
    await until(() => worker.health().shards === SHARDS);
    await clock.advance('31s');
    const counts = { polling: 9, backingOff: 1, refused: 1, standby: 1 };
    expect(worker.health()).toMatchObject({ stores: 12, ...counts });
  });

  it('sends Redis few commands while nothing happens', async () => {
    const clock = new ManualClock();
    const { worker, client } = start('quiet', { clock, mock: hubWith(all, { clock }), state: memoryState() });
    await until(() => worker.health().shards === SHARDS);
    const commands = async () =>
      Number(/total_commands_processed:(\d+)/.exec(await client.info('stats'))?.[1]);
    const before = await commands();
    await pause(1000);
    // Six heartbeats and six looks for lost locks in the time of a lock; those in scripts count too.
    expect((await commands()) - before).toBeLessThan(200);
  });

  it('is closed at the end of a block, and leaves no timer for which a process would wait', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const { worker } = start('block');
    await until(() => worker.health().shards === SHARDS);
    const ended = (async () => {
      await using _ = worker;
    })();
    await ended;
    expect(worker.health()).toMatchObject({ shards: 0, stores: 0 });
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('is closed when its fleet is stopped', async () => {
    const one = start('stopped');
    await until(() => one.worker.health().shards === SHARDS);
    await one.fleet.stop();
    const other = start('stopped');
    await until(() => other.worker.health().shards === SHARDS);
    expect(other.worker.health().alive).toBe(1);
  });

  it('tries again if the stores cannot be read, and takes no shard before', async () => {
    let isAway = true;
    const { worker, errors } = start('stores', {
      stores: async () => {
        if (isAway) throw new Error('the database is away');
        return all;
      },
    });
    await until(() => errors.length > 0);
    await pause(1500);
    expect([worker.health().shards, errors]).toEqual([0, ['the database is away']]);
    isAway = false;
    await until(() => worker.health().stores === all.length);
  });

  it('reports once what Redis refuses, and goes on when it does not', async () => {
    const client = clientOf();
    await client.set('bull:refused-4:wait', 'not a list');
    const { worker, errors } = start('refused');
    await until(() => errors.length > 0);
    await pause(500);
    expect(errors).toEqual([expect.stringMatching(/^the queue of the shards in Redis failed: .*WRONGTYPE/)]);
    await client.del('bull:refused-4:wait');
    await until(() => worker.health().shards === SHARDS);
  });

  it('restores the jobs of the shards when Redis has lost its data', async () => {
    const { worker } = start('restores');
    await until(() => worker.health().shards === SHARDS);
    await clientOf().flushall();
    await until(() => worker.health().shards === 0);
    await until(() => worker.health().shards === SHARDS);
    expect(worker.health()).toMatchObject({ shards: SHARDS, alive: 1 });
  });

  it('keeps no secret and no store in the queue', async () => {
    const { worker } = start('secrets');
    await until(() => worker.health().shards === SHARDS);
    await worker.close();
    const client = clientOf();
    const keys = await client.keys('bull:secrets-4:s?');
    expect(keys).toHaveLength(SHARDS);
    for (const key of keys) {
      expect(JSON.parse((await client.hget(key, 'data')) ?? '')).toEqual({ polledUntil: expect.any(Number) });
    }
  });
});
