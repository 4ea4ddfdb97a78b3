import { describe, expect, it } from 'vitest';
import { forgetful } from '../events/support.js';
import { afterAdvance, gate, watched } from '../support.js';
import { caught, fleetStage, one, overlap, polling, stores } from './support.js';

const at = <Item>(items: readonly Item[], index: number): Item => items[index] as Item;

describe('a fleet under odd sequences of calls', () => {
  it.each(['stop', 'remove'] as const)('%s() during runOnce', async (name) => {
    const all = one();
    const { clock, mock, fleet } = fleetStage(all);
    const g = gate();
    fleet.on('CREATED', () => g.promise);
    mock.createOrder({ clientId: at(all, 0).clientId });
    const once = caught(fleet.runOnce('store-0'));
    await clock.advance(10);
    const ended = caught(name === 'stop' ? fleet.stop() : fleet.remove('store-0'));
    await clock.advance(10);
    g.open();
    await clock.advance(2000);
    expect([await once, await ended]).toEqual(['resolved', 'resolved']);
    expect(fleet.health().stores).toBe(name === 'stop' ? 1 : 0);
  });

  it.each(['stop', 'remove'] as const)('%s() after the application has closed a client', async (name) => {
    const all = stores(2);
    const { clock, fleet } = await polling(fleetStage(all));
    await fleet.hub('store-0').close();
    if (name === 'remove') expect(await caught(fleet.remove('store-0'))).toBe('resolved');
    expect(await caught(fleet.stop())).toBe('resolved');
    await clock.advance('1m');
    expect(clock.sleepers).toBe(0);
    void caught(fleet.start());
    await clock.advance('1m');
    expect(fleet.health().polling).toBe(name === 'stop' ? 2 : 1);
  });

  it('an abort after the application has closed a client leaves no unhandled rejection', async () => {
    const all = stores(2);
    const { clock, fleet } = fleetStage(all);
    fleet.on('event', () => {}).on('error', () => {});
    const controller = new AbortController();
    await afterAdvance(clock, '31s', fleet.start({ signal: controller.signal }));
    await fleet.hub('store-0').close();
    const unhandled: unknown[] = [];
    const listener = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', listener);
    controller.abort();
    await clock.advance(1000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });

  it('a poller of the store client that runs before start: not beside the fleet', async () => {
    const all = one();
    const { clock, mock, fleet } = fleetStage(all, { poller: { listenerTimeoutMs: 600_000 } });
    const g = gate();
    const o = overlap();
    fleet.on('CREATED', (event) => o.run(event.eventId, () => g.promise)).on('error', () => {});
    const poller = fleet.hub('store-0').poller({ listenerTimeoutMs: 600_000 });
    poller.on('CREATED', (event) => o.run(event.eventId, () => g.promise)).on('error', () => {});
    mock.createOrder({ clientId: at(all, 0).clientId });
    await afterAdvance(clock, 100, caught(poller.start()));
    void caught(fleet.start());
    await clock.advance('3m');
    const most = o.most;
    g.open();
    await afterAdvance(clock, '10s', poller.stop());
    expect(most).toBe(1);
    expect(mock.violations()).toEqual([]);
  });

  it.each(['another task', 'the listener'])(
    '%s closes the client of a listener that runs long: one run at a time',
    async (who) => {
      const all = one();
      const { clock, mock, fleet } = fleetStage(all, { poller: { listenerTimeoutMs: 1000 } });
      const g = gate();
      const o = overlap();
      fleet.on('CREATED', (event, { hub }) =>
        o.run(event.eventId, async () => {
          if (who === 'the listener') await hub.close();
          await g.promise;
        }),
      );
      fleet.on('error', () => {});
      mock.createOrder({ clientId: at(all, 0).clientId });
      void caught(fleet.start());
      await clock.advance('32s');
      const closed = who === 'another task' && caught(fleet.hub('store-0').close());
      await clock.advance('3m');
      const most = o.most;
      g.open();
      await clock.advance('2m');
      await closed;
      expect(most).toBe(1);
      expect(mock.pending(at(all, 0).clientId)).toEqual([]);
    },
  );

  it('remove() and start() at the same moment', async () => {
    const all = stores(2);
    const { clock, fleet, pollsOf } = fleetStage(all, { storesRefreshMs: 86_400_000 });
    fleet.on('event', () => {});
    const removed = fleet.remove('store-0');
    void caught(fleet.start());
    await removed;
    await clock.advance('1m');
    expect(fleet.health().stores).toBe(1);
    await fleet.stop();
    const before = pollsOf(at(all, 0)).length;
    await clock.advance('3m');
    expect(pollsOf(at(all, 0)).length - before).toBe(0);
    expect(clock.sleepers).toBe(0);
  });

  it.each(['added', 'listed'])('a store that is %s during stop() is not polled', async (how) => {
    const all = stores(2);
    const g = gate();
    const reading = gate();
    let reads = 0;
    const { clock, mock, fleet, pollsOf } = fleetStage(all, {
      stores: async () => {
        reads += 1;
        if (reads === 1 || how === 'added') return [at(all, 0)];
        await reading.promise;
        return all;
      },
    });
    fleet.on('event', () => g.promise);
    mock.createOrder({ clientId: at(all, 0).clientId });
    void caught(fleet.start());
    await clock.advance('61s');
    const stopped = fleet.stop();
    await clock.advance(10);
    if (how === 'added') await fleet.add(at(all, 1));
    else reading.open();
    await clock.advance(10);
    g.open();
    await clock.advance(2000);
    await stopped;
    await clock.advance('3m');
    expect(pollsOf(at(all, 1))).toEqual([]);
    expect(clock.sleepers).toBe(0);
  });

  it('start, stop, start while the stores are read: the second one runs', async () => {
    const all = one();
    const g = gate();
    const { clock, fleet } = fleetStage(all, {
      stores: async () => {
        await g.promise;
        return all;
      },
    });
    fleet.on('event', () => {});
    const first = caught(fleet.start());
    await clock.advance(10);
    await fleet.stop();
    const second = caught(fleet.start());
    await clock.advance(10);
    g.open();
    await clock.advance('31s');
    expect(await first).toBe('resolved');
    expect(await second).toBe('resolved');
  });

  it('health counts after a restart with a pinned client', async () => {
    const all = one();
    const { clock, mock, fleet } = fleetStage(all);
    fleet.on('CREATED', () => {});
    fleet.hub('store-0');
    for (let i = 0; i < 3; i += 1) mock.createOrder({ clientId: at(all, 0).clientId });
    void caught(fleet.start());
    await clock.advance('31s');
    await fleet.stop();
    void caught(fleet.start());
    mock.createOrder({ clientId: at(all, 0).clientId });
    await clock.advance('61s');
    expect(fleet.health('store-0')).toMatchObject({ handled: 1, acknowledged: 1 });
    expect((await fleet.stop()).get('store-0')).toMatchObject({ handled: 1, acknowledged: 1 });
  });

  it('start() after quick restarts resolves only when each store was polled', async () => {
    const all = one();
    const { clock, fleet, pollsOf } = fleetStage(all);
    fleet.on('event', () => {});
    for (let i = 0; i < 3; i += 1) {
      const before = pollsOf(at(all, 0)).length;
      const started = watched(fleet.start());
      for (let s = 0; s < 120 && !started.done; s += 1) await clock.advance('1s');
      expect(started.done).toBe(true);
      expect(pollsOf(at(all, 0)).length - before, `start ${i}`).toBe(1);
      await fleet.stop();
    }
  });

  it('two runOnce of one store at once, with an asynchronous state', async () => {
    const all = stores(1);
    const { state } = forgetful(async (method) => {
      await null;
      return method();
    });
    const { clock, mock, fleet } = fleetStage(all, { state });
    const o = overlap();
    fleet.on('CREATED', (event) => o.run(event.eventId, async () => {}));
    mock.createOrder({ clientId: at(all, 0).clientId });
    const reports = Promise.allSettled([
      fleet.runOnce('store-0'),
      fleet.runOnce('store-0'),
      fleet.runOnce('store-0'),
    ]);
    await clock.advance('5s');
    const settled = await reports;
    expect(
      settled.map((r) =>
        r.status === 'fulfilled'
          ? { handled: 'handled' in r.value ? r.value.handled : 'skipped' }
          : (r.reason as Error).name,
      ),
    ).toContainEqual({ handled: 1 });
    expect(o.most).toBe(1);
    expect(mock.pending(at(all, 0).clientId)).toEqual([]);
    expect(mock.requests.filter((r) => r.endpoint === 'polling').length).toBe(1);
  });

  it('stop and start while removing', async () => {
    const all = stores(2);
    const { clock, mock, fleet, pollsOf } = fleetStage(all, { storesRefreshMs: 86_400_000 });
    const g = gate();
    fleet.on('CREATED', () => g.promise).on('error', () => {});
    mock.createOrder({ clientId: at(all, 0).clientId });
    void caught(fleet.start());
    await clock.advance('31s');
    const removed = caught(fleet.remove('store-0'));
    await clock.advance(10);
    await Promise.all([fleet.stop({ timeoutMs: 0 }), clock.advance('31s')]);
    void caught(fleet.start());
    await clock.advance('1m');
    g.open();
    await clock.advance('1m');
    await removed;
    expect(fleet.health().stores).toBe(1);
    await Promise.all([fleet.stop({ timeoutMs: 0 }), clock.advance('31s')]);
    const before = pollsOf(at(all, 0)).length;
    await clock.advance('2m');
    expect(pollsOf(at(all, 0)).length).toBe(before);
  });

  it('start() and stop() within a few microtasks', async () => {
    for (let ticks = 0; ticks < 8; ticks += 1) {
      const all = stores(2);
      const { clock, mock, fleet } = fleetStage(all);
      fleet.on('event', () => {});
      let result = 'pending';
      void caught(fleet.start()).then((r) => {
        result = r;
      });
      for (let i = 0; i < ticks; i += 1) await null;
      expect(await afterAdvance(clock, '1s', caught(fleet.stop()))).toBe('resolved');
      expect([ticks, result]).toEqual([ticks, 'resolved']);
      await clock.advance('1m');
      expect([ticks, mock.requests.length, clock.sleepers]).toEqual([ticks, 0, 0]);
    }
  });

  it('remove() inside a listener of the store', async () => {
    const all = stores(3);
    const { clock, mock, fleet } = fleetStage(all, { storesRefreshMs: 86_400_000 });
    let result = 'pending';
    fleet.on('CREATED', async (_e, { storeId }) => {
      await Promise.resolve();
      result = await caught(fleet.remove(storeId));
    });
    mock.createOrder({ clientId: at(all, 1).clientId });
    void caught(fleet.start());
    await clock.advance('31s');
    expect(result).toBe('resolved');
    await clock.advance('1m');
    expect(fleet.health()).toMatchObject({ stores: 2, running: 0 });
  });

  it('a state that forgets everything', async () => {
    const all = stores(4);
    const { state, forget } = forgetful(async (method) => method());
    const { clock, mock, fleet } = fleetStage(all, { state });
    fleet.on('CREATED', (_e, { hub }) => void hub).on('error', () => {});
    for (let i = 0; i < 30; i += 1) {
      void caught(fleet.start());
      mock.createOrder({ clientId: at(all, i % 4).clientId });
      await clock.advance(7_300);
      forget();
      await clock.advance(3_100);
      if (i % 4 === 3) {
        await afterAdvance(clock, 1100, fleet.stop());
      }
    }
    expect(mock.violations()).toEqual([]);
    for (const s of all)
      expect(
        mock.requests.filter((r) => r.endpoint === 'token' && r.clientId === s.clientId).length,
      ).toBeLessThanOrEqual(1);
  });

  it('a state that forgets everything while a store is removed and added', async () => {
    const all = stores(1);
    const { state, forget } = forgetful();
    const { clock, mock, fleet } = fleetStage(all, { state, stores: [] });
    fleet.on('CREATED', () => {});
    void caught(fleet.start());
    for (let i = 0; i < 6; i += 1) {
      await fleet.add(at(all, 0));
      await clock.advance('31s');
      await afterAdvance(clock, 10, fleet.remove('store-0'));
      forget();
    }
    expect(mock.violations()).toEqual([]);
  });

  it('refused credentials cost at most ten tokens an hour, however often the fleet is restarted', async () => {
    const all = stores(1).map((s) => ({ ...s, clientSecret: 'wrong' }));
    const { clock, mock, fleet } = fleetStage(stores(1), { stores: all });
    fleet.on('event', () => {}).on('error', () => {});
    for (let i = 0; i < 30; i += 1) {
      void caught(fleet.start());
      await clock.advance('61s');
      await afterAdvance(clock, 100, fleet.stop());
    }
    const hour = mock.requests.filter((r) => r.endpoint === 'token').length;
    expect(hour).toBeLessThanOrEqual(10);
    expect(mock.violations()).toEqual([]);
  });

  it('a start after a stop in a listener resolves when the store was polled again', async () => {
    const all = stores(1);
    const { clock, mock, fleet, pollsOf } = fleetStage(all);
    let startedAt: number | undefined;
    fleet
      .on('error', () => {})
      .on('CREATED', async () => {
        await fleet.stop();
        void fleet.start().then(() => {
          startedAt = clock.monotonic();
        });
      });
    void fleet.start();
    await clock.advance('40s');
    mock.createOrder({ clientId: at(all, 0).clientId });
    await clock.advance('2m');
    const sent = pollsOf(at(all, 0));
    expect(startedAt).toBe(sent[2]);
    await fleet.stop();
  });
});
