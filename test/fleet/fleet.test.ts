import { ConfigurationError, type FleetStore, fileState, memoryState } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { runs, some } from '../runs.js';
import { afterAdvance, gate, settledNow } from '../support.js';
import { temporaryDirectory } from '../temporary.js';
import { caught, fleetOf, fleetStage, polling, stores } from './support.js';

const INTERVAL_MS = 30_000;

/** The longest time without a poll of the store between `from` and `to`. */
function longestGap(times: readonly number[], from: number, to: number): number {
  const inside = [from, ...times.filter((time) => time > from && time < to), to];
  return Math.max(...inside.slice(1).map((time, index) => time - (inside[index] as number)));
}

describe('a fleet', () => {
  it('polls every store, and passes each event to the listeners with its store', async () => {
    const all = stores(5);
    const { clock, mock, fleet } = fleetStage(all);
    const seen: string[] = [];
    fleet.on('CREATED', async (event, { storeId, hub, signal, attempt, fence, redelivered }) => {
      expect(signal.aborted).toBe(false);
      expect(redelivered).toBe(false);
      expect(fence).toBeGreaterThan(0);
      const { order } = await hub.orders.get(event.orderId);
      seen.push(`${storeId} ${order.id === event.orderId} ${attempt}`);
    });
    for (const { clientId } of all) mock.createOrder({ clientId });
    await afterAdvance(clock, '31s', fleet.start());
    expect(seen.sort()).toEqual(all.map(({ storeId }) => `${storeId} true 1`));
    expect(fleet.health()).toMatchObject({ stores: 5, polling: 5, backingOff: 0, standby: 0, refused: 0 });
    const reports = await fleet.stop();
    expect([...reports.keys()].sort()).toEqual(all.map(({ storeId }) => storeId));
    expect(reports.get('store-3')).toEqual({
      handled: 1,
      acknowledged: 1,
      unacknowledged: [],
      timedOut: false,
    });
    for (const { clientId } of all) expect(mock.pending(clientId)).toEqual([]);
    expect(mock.violations()).toEqual([]);
  });

  it.each(some([700, 2000], 2))(
    'polls each store at most twice in any minute, and hardly less, for hours, with a latency of %i ms',
    async (latencyMs) => {
      const all = stores(20);
      const { clock, mock, fleet, pollsOf } = fleetStage(all, {}, { latencyMs });
      fleet.on('event', () => {});
      void fleet.start();
      const minutes = runs(120, 10);
      await clock.advance(minutes * 60_000);
      for (const store of all) {
        const times = pollsOf(store);
        expect(times.length).toBeGreaterThan(minutes * 1.9);
        times.forEach((time, index) => {
          if (index >= 2) expect(time - (times[index - 2] as number)).toBeGreaterThanOrEqual(60_000);
        });
      }
      expect(mock.requests.filter(({ endpoint }) => endpoint === 'token')).toHaveLength(20);
      expect(mock.violations()).toEqual([]);
    },
  );

  it('spreads the polls and the token requests of a start over the interval, the same after a restart', async () => {
    const count = runs(300, 3);
    const all = stores(count);
    const { clock, mock, fleet } = fleetStage(all);
    fleet.on('event', () => {});
    const begunAt = clock.monotonic();
    await afterAdvance(clock, '31s', fleet.start());
    for (const endpoint of ['polling', 'token']) {
      const requests = mock.requests.filter((request) => request.endpoint === endpoint).reverse();
      const first = new Map(requests.map(({ clientId, monotonicAt }) => [clientId, monotonicAt]));
      const phases = [...first.values()].map((time) => (time - begunAt) / INTERVAL_MS);
      expect(phases).toHaveLength(count);
      // In each tenth of the interval is about a tenth of them.
      for (let tenth = 0; tenth < 10; tenth += 1) {
        const inside = phases.filter((phase) => Math.floor(phase * 10) === tenth).length;
        expect(inside).toBeGreaterThan(count / 25);
        expect(inside).toBeLessThan(count / 5.5);
      }
    }
    const polls = mock.requests.filter(({ endpoint }) => endpoint === 'polling').reverse();
    const phases = new Map(polls.map(({ clientId, monotonicAt }) => [clientId, monotonicAt]));
    await fleet.stop();
    await clock.advance(INTERVAL_MS * 4 - ((clock.monotonic() - begunAt) % INTERVAL_MS));
    const again = fleetOf(mock, { clock, stores: all });
    again.fleet.on('event', () => {});
    const from = clock.monotonic();
    await afterAdvance(clock, '31s', again.fleet.start());
    for (const { clientId, endpoint, monotonicAt } of mock.requests) {
      if (endpoint !== 'polling' || monotonicAt < from) continue;
      const before = ((phases.get(clientId) ?? 0) - begunAt) % INTERVAL_MS;
      const apart = Math.abs(monotonicAt - from - before) % INTERVAL_MS;
      expect(Math.min(apart, INTERVAL_MS - apart)).toBeLessThanOrEqual(200);
    }
  });

  it('begins at most 500 stores without a break, and none that was removed meanwhile or after a stop', async () => {
    const all = stores(600);
    const { clock, fleet, pollsOf } = fleetStage(all);
    fleet.on('event', () => {});
    const started = fleet.start().catch((error: Error) => error.name);
    await new Promise(setImmediate);
    expect(fleet.health().polling).toBe(500);
    await afterAdvance(clock, 0, fleet.remove('store-550'));
    expect(fleet.health().polling).toBe(599);
    await afterAdvance(clock, 0, fleet.stop({ timeoutMs: 0 }));
    expect(await started).toBe(undefined);
    const again = fleet.start();
    await new Promise(setImmediate);
    await afterAdvance(clock, '31s', fleet.stop({ timeoutMs: 0 }));
    expect(await again).toBe(undefined);
    expect(fleet.health().polling).toBe(0);
    expect(all.flatMap(pollsOf)).toEqual([]);
  });

  it('delays no other store by more than a second, whatever happens to some', async () => {
    const all = stores(40);
    const { clock, mock, fleet, pollsOf } = fleetStage(
      all,
      {
        stores: all.map((store, index) => (index === 1 ? { ...store, clientSecret: 'wrong' } : store)),
        poller: { listenerTimeoutMs: 3_600_000 },
      },
      { latencyMs: 100 },
    );
    const never = gate();
    const failed: string[] = [];
    fleet.on('CREATED', async (_event, { storeId }) => {
      if (storeId === 'store-2') await never.promise;
      if (storeId === 'store-3') throw new Error('this store always fails');
    });
    fleet.on('error', (_error, { storeId }) => void failed.push(storeId as string));
    for (const index of [2, 3]) mock.createOrder({ clientId: all[index]?.clientId as string });
    for (let count = 0; count < runs(5000, 50); count += 1)
      mock.createOrder({ clientId: all[4]?.clientId as string });
    await afterAdvance(clock, '31s', fleet.start());
    mock.faults.next('polling', { type: 'status', status: 429, headers: { 'retry-after': '600' } });
    const from = clock.monotonic();
    await clock.advance('10m');
    const to = clock.monotonic();
    const late = all
      .map((store, index) => ({ index, gapMs: longestGap(pollsOf(store), from, to) }))
      .filter(({ gapMs }) => gapMs > INTERVAL_MS + 1000)
      .map(({ index }) => index);
    // The refused one, the one that never ends, and the one that got the 429.
    expect(late).toHaveLength(3);
    expect(late).toEqual(expect.arrayContaining([1, 2]));
    // All of them, the one that never ends because its poll is overdue.
    expect(new Set(failed)).toEqual(new Set(late.concat(3).map((index) => `store-${index}`)));
    expect(fleet.health()).toMatchObject({ refused: 1, backingOff: 1, polling: 38, running: 1 });
    expect(mock.pending(all[4]?.clientId)).toEqual([]);
    expect(mock.violations()).toEqual([]);
    never.open();
  });

  it('never has more requests in flight than requestsInFlight', async () => {
    const all = stores(12);
    let inFlight = 0;
    let most = 0;
    const { clock, mock, fleet } = fleetStage(
      all,
      {
        requestsInFlight: 3,
        fetch: async (url, init): Promise<Response> => {
          inFlight += 1;
          most = Math.max(most, inFlight);
          try {
            return await mock.fetch(url, init);
          } finally {
            inFlight -= 1;
          }
        },
      },
      { latencyMs: 1000 },
    );
    fleet.on('event', () => {});
    for (const { clientId } of all) mock.createOrder({ clientId });
    await afterAdvance(clock, '2m', fleet.start());
    expect(most).toBe(3);
    expect(mock.violations()).toEqual([]);
  });

  it('delays no other store when the hub takes long to answer the many requests of one', async () => {
    const all = stores(12);
    const [busy, ...others] = all as [FleetStore, ...FleetStore[]];
    const { clock, mock, fleet, pollsOf } = fleetStage(all, { requestsInFlight: 4 });
    mock.faults.next('order', { type: 'latency', ms: 25_000 }, 1000);
    fleet
      .on('CREATED', async ({ orderId }, { hub }) => void (await hub.orders.get(orderId)))
      .on('error', () => {});
    for (let order = 0; order < 40; order += 1) mock.createOrder({ clientId: busy.clientId });
    void fleet.start();
    await clock.advance('5m');
    for (const store of others) {
      const at = pollsOf(store);
      expect(at.length).toBe(10);
      expect(at.filter((time, index) => index > 0 && time - (at[index - 1] as number) > 31_000)).toEqual([]);
    }
    expect(mock.violations()).toEqual([]);
  });

  it('handles each event in one of two fleets that share a state; the other one stands by and takes over', async () => {
    const all = stores(6);
    const state = memoryState();
    const { clock, mock, fleet } = fleetStage(all, { state });
    const other = fleetOf(mock, { clock, stores: all, state });
    const seen: string[] = [];
    fleet.on('CREATED', (_event, { storeId }) => void seen.push(`first ${storeId}`));
    other.fleet.on('CREATED', (_event, { storeId }) => void seen.push(`other ${storeId}`));
    await afterAdvance(clock, '31s', fleet.start());
    const waiting = other.fleet.start();
    await clock.advance('31s');
    // Another process polls them: that is reported too.
    await waiting;
    expect(other.fleet.health()).toMatchObject({ standby: 6, polling: 0 });
    expect(other.fleet.health('store-0').status).toBe('standby');
    for (const { clientId } of all) mock.createOrder({ clientId });
    await clock.advance('1m');
    expect(seen.sort()).toEqual(all.map(({ storeId }) => `first ${storeId}`));
    await fleet.stop();
    for (const { clientId } of all) mock.createOrder({ clientId });
    await clock.advance('1m');
    expect(seen.filter((line) => line.startsWith('other')).sort()).toEqual(
      all.map(({ storeId }) => `other ${storeId}`),
    );
    expect(mock.violations()).toEqual([]);
  });

  it('remembers handled events and tokens over a restart, with a persistent state', async () => {
    const all = stores(3);
    const directory = temporaryDirectory();
    const { clock, mock } = fleetStage(all);
    const seen: string[] = [];
    mock.faults.next('acknowledgment', { type: 'status', status: 503 }, 100);
    for (const { clientId } of all) mock.createOrder({ clientId });
    for (let process = 0; process < 2; process += 1) {
      const state = fileState(directory);
      const { fleet } = fleetOf(mock, { clock, stores: all, state });
      fleet.on('CREATED', ({ eventId }) => void seen.push(eventId));
      await afterAdvance(clock, '2m', fleet.start());
      await fleet.stop();
      await state.close();
      mock.faults.clear();
    }
    expect(seen).toHaveLength(3);
    for (const { clientId } of all) expect(mock.pending(clientId)).toEqual([]);
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'token')).toHaveLength(3);
  });
});

describe('the stores of a fleet', () => {
  it('are read again: new ones are polled, missing ones drained, changed ones replaced', async () => {
    const all = stores(4);
    const [first, second, third, fourth] = all as [never, never, never, never];
    let listed = [first, second];
    const { clock, mock, fleet, pollsOf } = fleetStage(all, { stores: () => Promise.resolve(listed) });
    fleet.on('event', () => {});
    expect(() => fleet.hub('store-0')).toThrow(/are read by start/);
    await afterAdvance(clock, '31s', fleet.start());
    expect(fleet.health().stores).toBe(2);
    await fleet.add(fourth);
    listed = [second, third];
    await clock.advance('2m');
    expect(fleet.health()).toMatchObject({ stores: 3, polling: 3 });
    expect(() => fleet.health('store-0')).toThrow(ConfigurationError);
    const from = clock.monotonic();
    await clock.advance('1m');
    const polled = all.map((store) => pollsOf(store).filter((time) => time > from).length > 0);
    expect(polled).toEqual([false, true, true, true]);
    await fleet.remove('store-3');
    expect(fleet.health().stores).toBe(2);
    await expect(fleet.remove('store-3')).rejects.toThrow(ConfigurationError);
    expect(mock.violations()).toEqual([]);
  });

  it('stay as they are if they cannot be read, or their function returns something else, or one of them is invalid', async () => {
    const all = stores(2);
    let read = (): unknown => all;
    const { clock, fleet } = fleetStage(all, { stores: (() => read()) as () => never });
    const errors: string[] = [];
    fleet.on('event', () => {});
    fleet.on('error', (error) => void errors.push(error.message));
    await afterAdvance(clock, '31s', fleet.start());
    read = () => Promise.reject(new Error('the database is down'));
    await clock.advance('1m');
    for (const value of [undefined, null, {}, 'rows']) {
      read = () => value;
      await clock.advance('1m');
    }
    const [first, second] = all;
    const listed = [first, { ...second, clientSecret: '' }, { storeId: 'store-9' }];
    read = () => [...listed, { ...first, storeId: 'another name' }];
    await clock.advance('1m');
    expect(fleet.health()).toMatchObject({ stores: 2, polling: 2 });
    const notStores = expect.stringMatching(/^stores: its function must return an array/);
    expect(errors).toEqual([
      'the database is down',
      ...[notStores, notStores, notStores, notStores],
      expect.stringContaining('stores[1].clientSecret'),
      expect.stringContaining('stores[2].clientId'),
      expect.stringContaining("'another name' is also that of 'store-0'"),
    ]);
  });

  it('are read before one is added or removed, also without a start', async () => {
    const all = stores(2);
    const [first] = all as [FleetStore];
    const added = fleetStage(all, { stores: () => all }).fleet;
    await expect(added.add(first)).rejects.toThrow(/'store-0' is already in this fleet/);
    const removed = fleetStage(all, { stores: () => all }).fleet;
    await removed.remove('store-0');
    expect([added, removed].map((fleet) => fleet.health().stores)).toEqual([2, 1]);
  });

  it('have another account when a secret changes, and not when its function is another one', async () => {
    const [store] = stores(1) as [FleetStore];
    let read: () => FleetStore = () => ({ ...store, clientSecret: () => store.clientSecret as string });
    const { clock, fleet } = await polling(fleetStage([store], { stores: () => [read()] }));
    const hub = fleet.hub('store-0');
    await clock.advance('5m');
    expect(fleet.hub('store-0')).toBe(hub);
    read = () => store;
    await clock.advance('5m');
    expect(fleet.hub('store-0')).not.toBe(hub);
    expect(fleet.health()).toMatchObject({ stores: 1, polling: 1 });
  });

  it('may come from a generator, which is read once, or an asynchronous one', async () => {
    const all = stores(3);
    const sources = [
      (function* () {
        yield* all;
      })(),
      (async function* () {
        yield* all;
      })(),
      new Set(all),
    ];
    for (const source of sources) {
      const { fleet } = await polling(fleetStage(all, { stores: source }), '5m');
      expect(fleet.health()).toMatchObject({ stores: 3, polling: 3 });
      await fleet.stop();
    }
  });

  it('are checked: an array at construction, with the index of the wrong one', () => {
    const all = stores(2);
    const fleet = (given: unknown) => () => fleetStage(all, { stores: given as never });
    expect(fleet([...all, { storeId: 'x', clientId: '1' }])).toThrow(/stores\[2\]\.clientSecret/);
    expect(fleet([...all, all[0]])).toThrow(/'store-0' is already in this fleet/);
    expect(fleet([{ ...all[0], secret: 'x' }])).toThrow(/stores\[0\]\.secret/);
    expect(fleet('a string')).toThrow(/stores/);
    expect(fleet(undefined)).toThrow(/stores: is missing/);
    expect(() => fleetStage(all, { poller: { intervalMs: 1000 } })).toThrow(ConfigurationError);
    expect(() => fleetStage(all, { clientId: '1' } as never)).toThrow(ConfigurationError);
  });
});

describe('start of a fleet', () => {
  it('needs a listener, and only once at a time', async () => {
    const { clock, fleet } = fleetStage(stores(1));
    const listener = () => {};
    for (const each of [fleet, fleet.on('event', listener).off('event', listener)]) {
      expect(await afterAdvance(clock, '31s', caught(each.start()))).toMatch(/^ConfigurationError/);
    }
    const started = fleet.once('event', listener).start();
    await expect(fleet.start()).rejects.toThrow(/already running/);
    await clock.advance('31s');
    await started;
  });

  it('resolves when the fleet is stopped, rejects when its signal aborts, and leaves no timer', async () => {
    const { clock, fleet } = fleetStage(stores(3));
    fleet.on('event', () => {});
    const started = fleet.start().catch((error: Error) => error.name);
    await clock.advance(10);
    await fleet.stop();
    expect(await started).toBe(undefined);
    const controller = new AbortController();
    const aborted = fleet.start({ signal: controller.signal }).catch((error: unknown) => error);
    await clock.advance(10);
    controller.abort('enough');
    expect(await aborted).toBe('enough');
    await clock.advance(0);
    expect(clock.sleepers).toBe(0);
  });

  it('resolves also if every store is refused', async () => {
    const all = stores(3).map((store) => ({ ...store, clientSecret: 'wrong' }));
    const { clock, mock, fleet } = fleetStage(stores(3), { stores: all });
    const refused: string[] = [];
    fleet.on('event', () => {}).on('error', (_error, { storeId }) => void refused.push(storeId as string));
    await afterAdvance(clock, '31s', fleet.start());
    expect(refused.sort()).toEqual(['store-0', 'store-1', 'store-2']);
    expect(fleet.health().refused).toBe(3);
    await clock.advance('1h');
    // Ten are allowed.
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'token').length).toBeLessThanOrEqual(3 * 6);
  });

  it('rejects if the stores cannot be read', async () => {
    const { fleet } = fleetStage([], { stores: () => Promise.reject(new Error('no database')) });
    fleet.on('event', () => {});
    await expect(fleet.start()).rejects.toThrow('no database');
    expect(fleet.health().stores).toBe(0);
  });
});

describe('one store of a fleet', () => {
  it('has the health of a poller', async () => {
    const all = stores(2);
    const { clock, mock, fleet } = fleetStage(all);
    fleet.on('CREATED', () => {});
    expect(fleet.health('store-0')).toMatchObject({ status: 'idle', nextPollAt: undefined, handled: 0 });
    const started = fleet.start();
    expect(fleet.health('store-0').status).toBe('idle');
    await clock.advance(0);
    expect(fleet.health('store-0').status).toBe('starting');
    mock.createOrder({ clientId: all[0]?.clientId as string });
    await clock.advance('31s');
    await started;
    const health = fleet.health('store-0');
    expect(health).toMatchObject({ status: 'running', handled: 1, acknowledged: 1, unacknowledged: 0 });
    const nextPollAt = health.nextPollAt as number;
    expect(nextPollAt).toBeGreaterThanOrEqual(clock.now());
    expect(nextPollAt - (health.lastPolledAt as number)).toBeLessThanOrEqual(INTERVAL_MS + 200);
    await clock.advance('5m');
    expect(fleet.health('store-0')).toMatchObject({ handled: 1, acknowledged: 1 });
    expect(fleet.health().oldestPollMs).toBeLessThanOrEqual(INTERVAL_MS + 200);
  });

  it('can be polled once without a start, for any queue', async () => {
    const all = stores(2);
    const { clock, mock, fleet } = fleetStage(all);
    const seen: string[] = [];
    fleet.on('CREATED', (_event, { storeId }) => void seen.push(storeId));
    mock.createOrder({ clientId: all[1]?.clientId as string });
    expect(await fleet.runOnce('store-1')).toMatchObject({ received: 1, handled: 1, acknowledged: 1 });
    expect(seen).toEqual(['store-1']);
    await expect(fleet.runOnce('unknown')).rejects.toThrow(ConfigurationError);
    await afterAdvance(clock, '1m', fleet.start());
    const before = mock.requests.length;
    const skipped = await fleet.runOnce('store-1');
    expect(skipped).toEqual({ skipped: 'leased', retryAfterMs: expect.any(Number) });
    expect(mock.requests).toHaveLength(before);
    await fleet.stop();
    await clock.advance('1m');
    expect(await fleet.runOnce('store-1')).toMatchObject({ received: 0 });
    expect(mock.violations()).toEqual([]);
  });

  it('has one client, which polls not beside the fleet, and comes back after it was closed', async () => {
    const all = stores(1);
    const { clock, mock, fleet } = fleetStage(all);
    const clients = new Set<unknown>();
    fleet.on('CREATED', (_event, { hub }) => void clients.add(hub)).on('error', () => {});
    await afterAdvance(clock, '31s', fleet.start());
    const clientId = all[0]?.clientId as string;
    for (let count = 0; count < 3; count += 1) {
      mock.createOrder({ clientId });
      await clock.advance('31s');
    }
    const hub = fleet.hub('store-0');
    clients.add(hub);
    expect(clients.size).toBe(1);
    expect((await hub.merchant.get()).merchant.id).toBeTypeOf('string');
    const poller = hub.poller().on('event', () => {});
    await clock.advance('31s');
    await expect(poller.start()).rejects.toThrow(/another poller of this client is running/);
    await hub.close();
    mock.createOrder({ clientId });
    await clock.advance('2m');
    expect(mock.pending(clientId)).toEqual([]);
    expect(clients.size).toBe(2);
  });

  it('writes its id into every line of the log', async () => {
    const all = stores(1).map((store) => ({ ...store, clientSecret: 'wrong-secret-of-the-store' }));
    const { clock, fleet, log } = fleetStage(stores(1), { stores: all });
    fleet.on('event', () => {});
    await afterAdvance(clock, '31s', fleet.start());
    expect(log).toHaveLength(1);
    expect(log[0]).toContain('"storeId":"store-0"');
    expect(log[0]).not.toContain('wrong-secret');
  });
});

describe('stop of a fleet', () => {
  it('waits for the listeners, reports each store, and releases the leases at once', async () => {
    const all = stores(4);
    const state = memoryState();
    const { clock, mock, fleet } = fleetStage(all, { state });
    const pending = gate();
    const stopped: string[] = [];
    fleet.on('CREATED', () => pending.promise);
    fleet.on('stopped', (_report, { storeId }) => void stopped.push(storeId));
    mock.createOrder({ clientId: all[2]?.clientId as string });
    await afterAdvance(clock, '31s', fleet.start());
    const stop = fleet.stop();
    expect(fleet.stop()).not.toBe(undefined);
    await clock.advance('5s');
    expect(await settledNow(clock, stop)).toBe('pending');
    pending.open();
    await clock.advance('1s');
    const reports = await stop;
    expect(reports.size).toBe(4);
    expect(reports.get('store-2')).toMatchObject({ handled: 1, acknowledged: 1, timedOut: false });
    expect(stopped.sort()).toEqual(['store-0', 'store-1', 'store-2', 'store-3']);
    const other = fleetOf(mock, { clock, stores: all, state });
    other.fleet.on('event', () => {});
    expect(await other.fleet.runOnce('store-0')).toMatchObject({ received: 0 });
    expect(clock.sleepers).toBe(0);
  });
});
