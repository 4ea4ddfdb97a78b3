import { type FleetStore, memoryState } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { cuttable } from '../events/support.js';
import { gate, stage } from '../support.js';
import { caught, fleetStage, one, polling, stores } from './support.js';

const HOUR_MS = 3_600_000;

const NOTHING_OPEN = { oldestOpenMs: 0, oldestOpenStoreId: undefined, failingListeners: [] };

it('health of a fleet that was restarted while the hub refuses polls (429) says that it is backing off', async () => {
  const all = one();
  const { clock, mock, fleet } = await polling(fleetStage(all));
  mock.faults.next('polling', { status: 429, headers: { 'retry-after': '3600' } });
  await clock.advance('31s');
  expect(fleet.health()).toMatchObject({ polling: 0, backingOff: 1 });
  await fleet.stop();
  void caught(fleet.start());
  await clock.advance('2m');
  expect(fleet.health()).toMatchObject({ polling: 0, backingOff: 1 });
  expect(fleet.health('store-0').lastError).toMatchObject({ code: 'rate_limit' });
  await clock.advance('1h');
  expect(fleet.health()).toMatchObject({ polling: 1, backingOff: 0 });
  expect(fleet.health('store-0').lastError).toBeUndefined();
});

it('health of a fleet tells the newest poll of all, and the oldest one of a store that should be polled', async () => {
  const all = stores(5);
  const { clock, mock, fleet, pollsOf } = fleetStage(all);
  fleet.on('event', () => {}).on('error', () => {});
  expect(fleet.health()).toMatchObject({ newestPollMs: 0, oldestPollMs: 0, oldestPollStoreId: undefined });
  void caught(fleet.start());
  await clock.advance('31s');
  mock.faults.next('polling', { status: 429, headers: { 'retry-after': '7200' } });
  await clock.advance('1h');
  const lastPolls = all.map((store) => pollsOf(store).at(-1) as number).sort((a, b) => a - b);
  const health = fleet.health();
  expect(health).toMatchObject({ polling: 4, backingOff: 1 });
  expect(health.newestPollMs).toBe(clock.monotonic() - (lastPolls.at(-1) as number));
  expect(health.oldestPollMs).toBeGreaterThan(HOUR_MS);
  const late = health.oldestPollStoreId as string;
  expect(clock.now() - (fleet.health(late).lastPolledAt as number)).toBe(health.oldestPollMs);
});

it('health of a fleet expects no poll of stores that are refused', async () => {
  const [first, second] = stores(2) as [FleetStore, FleetStore];
  const { fleet } = await polling(
    fleetStage([first, second], {
      stores: [first, { ...second, clientSecret: 'wrong' }],
    }),
    '1h',
  );
  expect(fleet.health()).toMatchObject({ stores: 2, refused: 1, oldestPollStoreId: 'store-0' });
  expect(fleet.health().oldestPollMs).toBeLessThanOrEqual(31_000);
  await fleet.remove('store-0');
  expect(fleet.health()).toMatchObject({ newestPollMs: 0, oldestPollMs: 0, oldestPollStoreId: undefined });
});

it('health of a fleet expects no poll of stores that are paused', async () => {
  const { clock, fleet } = await polling(fleetStage(stores(2)));
  fleet.pause('store-1');
  await clock.advance('1h');
  expect(fleet.health().oldestPollStoreId).toBe('store-0');
  expect(fleet.health().oldestPollMs).toBeLessThanOrEqual(31_000);
  fleet.pause();
  await clock.advance('1h');
  expect(fleet.health()).toMatchObject({ newestPollMs: 0, oldestPollMs: 0, oldestPollStoreId: undefined });
  fleet.resume();
  await clock.advance('31s');
  expect(fleet.health().oldestPollMs).toBeLessThanOrEqual(31_000);
});

it('health of a fleet tells the oldest open event and its store, and whose listeners fail', async () => {
  const [first, second, third] = stores(3) as [FleetStore, FleetStore, FleetStore];
  const { clock, mock, fleet } = fleetStage([first, second, third], {
    poller: { listenerTimeoutMs: HOUR_MS },
  });
  const isBroken = new Set(['store-1', 'store-2']);
  const slow = gate();
  fleet.on('CREATED', async ({ orderId }, { storeId, attempt }) => {
    if (storeId === 'store-0') await slow.promise;
    if (!isBroken.has(storeId)) return;
    throw Object.assign(new TypeError(`${storeId}: attempt ${attempt}`), { customer: orderId });
  });
  fleet.on('error', () => {});
  void caught(fleet.start());
  await clock.advance('31s');
  // The fleet keeps the objects of this one, which have no events.
  fleet.hub('store-0');
  expect(fleet.health()).toMatchObject(NOTHING_OPEN);
  mock.createOrder({ clientId: second.clientId });
  await clock.advance('40s');
  const openMs = fleet.health('store-1').oldestOpenMs;
  expect(openMs).toBeGreaterThan(0);
  for (const { clientId } of [first, third]) mock.createOrder({ clientId });
  await clock.advance('40s');
  const attempts = (storeId: string) => {
    const health = fleet.health(storeId);
    return { storeId, error: health.listenerError };
  };
  const health = fleet.health();
  expect(health).toMatchObject({ oldestOpenMs: openMs + 40_000, oldestOpenStoreId: 'store-1' });
  expect(health.failingListeners).toEqual([attempts('store-1'), attempts('store-2')]);
  // Whatever else the application's error has stays out.
  expect(JSON.parse(JSON.stringify(health.failingListeners[1]))).toEqual({
    storeId: 'store-2',
    error: { name: 'TypeError', message: expect.stringMatching(/^store-2: attempt \d$/) },
  });
  expect(fleet.health('store-0')).toMatchObject({ unacknowledged: 1, listenerError: undefined });
  isBroken.clear();
  await clock.advance('3m');
  expect(fleet.health()).toMatchObject({ oldestOpenStoreId: 'store-0', failingListeners: [] });
  slow.open();
  await clock.advance('1m');
  expect(fleet.health()).toMatchObject({ oldestOpenMs: 0, oldestOpenStoreId: undefined, unacknowledged: 0 });
});

it('health of a fleet leaves the open events of a store to the process that has taken it over', async () => {
  const all = one();
  const shared = memoryState();
  const { link, state } = cuttable(shared);
  const { clock, mock, fleet } = fleetStage(all, { state });
  fleet.on('CREATED', () => Promise.reject(new Error('no printer'))).on('error', () => {});
  void caught(fleet.start());
  await clock.advance('31s');
  mock.createOrder({ clientId: all[0]?.clientId as string });
  await clock.advance('31s');
  expect(fleet.health()).toMatchObject({ oldestOpenStoreId: 'store-0' });
  expect(fleet.health().failingListeners).toHaveLength(1);
  await shared.lease(link.key, { holder: link.holder, leaseMs: 0 }, clock);
  await shared.lease(link.key, { holder: 'another process', leaseMs: HOUR_MS }, clock);
  await clock.advance('1m');
  expect(fleet.health()).toMatchObject({ standby: 1, ...NOTHING_OPEN });
});

it('health of a poller tells how old the oldest open event is, and what a listener last failed with, until it handles the event', async () => {
  const { clock, mock, hub } = stage();
  const poller = hub.poller().on('error', () => {});
  let isBroken = true;
  poller.on('CREATED', () => {
    const { clientSecret } = mock.credentials;
    if (isBroken) throw new RangeError(`${clientSecret} ${'x'.repeat(1000)}`);
  });
  await poller.start();
  expect(poller.health()).toMatchObject({ oldestOpenMs: 0, listenerError: undefined });
  mock.createOrder();
  await clock.advance('30s');
  mock.createOrder();
  await clock.advance('30s');
  expect(poller.health()).toMatchObject({ unacknowledged: 2, oldestOpenMs: 30_000 });
  const { name, message } = poller.health().listenerError ?? {};
  expect(name).toBe('RangeError');
  expect(message?.length).toBeLessThanOrEqual(200);
  expect(message).not.toContain(mock.credentials.clientSecret);
  isBroken = false;
  mock.faults.random({ seed: 1, rate: 1, endpoints: ['acknowledgment'], types: ['reset'] });
  await clock.advance('5m');
  // Handled, and not acknowledged yet.
  expect(poller.health()).toMatchObject({
    unacknowledged: 2,
    oldestOpenMs: 330_000,
    listenerError: undefined,
  });
  mock.faults.clear();
  await clock.advance('5m');
  expect(poller.health()).toMatchObject({ unacknowledged: 0, oldestOpenMs: 0 });
});

it('health of a fleet counts a store whose polls failed twice in a row, not one that failed once', async () => {
  const { clock, mock, fleet } = await polling(fleetStage(one()));
  mock.faults.next('polling', 503);
  await clock.advance('30s');
  expect(fleet.health()).toMatchObject({ backingOff: 1, failingPolls: 0 });
  await clock.advance('30s');
  expect(fleet.health()).toMatchObject({ polling: 1, failingPolls: 0 });
  mock.faults.next('polling', 503, 2);
  await clock.advance('30s');
  expect(fleet.health()).toMatchObject({ backingOff: 1, failingPolls: 0 });
  await clock.advance('31s');
  expect(fleet.health()).toMatchObject({ backingOff: 1, failingPolls: 1 });
  await clock.advance('3m');
  expect(fleet.health()).toMatchObject({ polling: 1, failingPolls: 0 });
});

it('health of a fleet tells how long no poll was good, also if the wall clock was set back', async () => {
  const { clock, mock, fleet } = await polling(fleetStage(one()));
  fleet.on('error', () => {});
  await clock.advance('5m');
  clock.step(-3 * HOUR_MS);
  for (let n = 0; n < 40; n += 1) mock.faults.next('polling', 503);
  await clock.advance('20m');
  expect(fleet.health().newestPollMs).toBeGreaterThan(19 * 60_000);
  expect(fleet.health().oldestPollMs).toBeGreaterThan(19 * 60_000);
});
