import { setupServer } from 'msw/node';
import { HubClient, memoryState } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';
import { servedMock } from '../cli/support.js';
import { soon } from '../soon.js';
import { clientOf, stage } from '../support.js';
import { fileWith } from '../temporary.js';
import { codeBlocksOf, readText } from './blocks.js';
import { typesOf } from './support.js';

// #region rate-limit
it('waits as long as the hub asks for', async () => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const server = setupServer(...mock.handlers);
  server.listen({ onUnhandledRequest: 'error' });
  const hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, clock });
  const poller = hub.poller();
  poller.on('event', () => {});
  poller.on('error', () => {});

  mock.faults.next('polling', { status: 429, headers: { 'retry-after': '90' } });
  const started = poller.start(); // resolves after the first successful poll:
  await clock.advance('2m'); // the retry needs 90 seconds
  await started;
  expect(mock.requests.map(({ endpoint, status }) => [endpoint, status])).toEqual([
    ['token', 200],
    ['polling', 429],
    ['polling', 204],
  ]);
  expect(mock.violations()).toEqual([]);

  await hub.close();
  server.close();
});
// #endregion

it('loses the response of a command', async () => {
  const { mock, hub, clock } = stage();
  const poller = hub.poller();
  poller.on('CREATED', async ({ orderId }) => {
    const { order } = await hub.orders.get(orderId);
    if (order.lastEvent !== 'CANCELLED') await hub.orders.confirm(orderId);
  });
  await poller.start();
  // #region lost-response
  mock.faults.next('orderStatus', 'lost'); // the hub confirms the order, and its response is lost
  mock.createOrder();
  await clock.advance('2m');
  const confirmations = mock.emitted().filter(({ eventType }) => eventType === 'CONFIRMED');
  expect(confirmations).toHaveLength(1);
  // #endregion
});

it('restarts the application', async () => {
  const state = memoryState();
  const { mock, hub, clock } = stage({}, { state });
  const connect = () => clientOf(mock, { clock, state }).hub;
  const runs: string[] = [];
  const receiveOrders = async (client: HubClient) => {
    const poller = client.poller();
    poller.on('CREATED', ({ orderId }) => void runs.push(orderId));
    await poller.start();
  };
  // #region restart
  const { orderId, event } = mock.createOrder();
  await receiveOrders(hub);
  await clock.advance('1m');
  await hub.close();

  mock.redeliver(event.eventId); // hubs do this, even after 202
  const restarted = connect(); // a new HubClient with the same `state`
  const started = receiveOrders(restarted); // the state also counts the polls before the restart,
  await clock.advance('2m'); // so the next poll must wait for the limit
  await started;
  expect(runs).toEqual([orderId]); // handled once
  await restarted.close();
  // #endregion
});

it('plays the same bad hour at every run', async () => {
  const { mock, hub, clock } = stage();
  const handled: string[] = [];
  const poller = hub.poller();
  poller.on('CREATED', ({ orderId }) => void handled.push(orderId));
  poller.on('error', () => {});
  // #region random-faults
  mock.faults.random({ seed: 7, rate: 0.3, types: ['status', 'reset', 'lost', 'hang'] });
  const started = poller.start();
  const orders = [mock.createOrder(), mock.createOrder()];
  await clock.advance('1h');
  mock.faults.clear();
  await clock.advance('10m');
  await started;
  expect(handled.sort()).toEqual(orders.map(({ orderId }) => orderId).sort());
  expect(mock.pending()).toEqual([]);
  // #endregion
});

it('holds the clock while a listener does other work', async () => {
  const { mock, hub, clock } = stage();
  const saved: string[] = [];
  const database = {
    save: (orderId: string) =>
      new Promise<void>((resolve) => {
        setTimeout(() => {
          saved.push(orderId);
          resolve();
        }, 30);
      }),
  };
  const poller = hub.poller();
  // #region hold
  poller.on('CREATED', async ({ orderId }) => {
    const release = clock.hold(); // advance() now waits for this listener
    await database.save(orderId).finally(release);
  });
  // #endregion
  const { orderId } = mock.createOrder();
  await poller.start();
  await clock.advance('30s');
  expect(saved).toEqual([orderId]);
});

it('serves the mock hub over HTTP', async () => {
  const clock = new ManualClock();
  // #region listen
  const mock = createMockHub({ clock });
  const { url, close } = await mock.listen(); // http://127.0.0.1 and a free port
  const hub = new HubClient({ baseUrl: url, ...mock.credentials, clock });
  // #endregion
  onTestFinished(async () => {
    await hub.close();
    await close();
  });
  expect((await hub.merchant.get()).issues).toEqual([]);
});

it('serves the console', async () => {
  const mock = createMockHub();
  // #region console
  const { url, close } = await mock.listen(); // open `${url}/_mock/ui` in a browser
  // #endregion
  onTestFinished(close);
  expect(await (await fetch(`${url}/_mock/ui`)).text()).toContain('<title>Passaprato</title>');
});

it('plays the script of the guide', async () => {
  const [block] = codeBlocksOf(readText('docs/console.md')).filter(({ code }) => code.includes('"steps"'));
  const { ran, url, clock } = await servedMock(`--script ${fileWith(block?.code ?? '', 'script.json')}`);
  await clock.advance('2m');
  await soon(() => expect(ran.out).toContain('has ended'));
  const { emitted } = (await (await fetch(`${url}/_mock/events`)).json()) as {
    emitted: { eventType: string }[];
  };
  expect(typesOf(emitted)).toEqual(['CREATED', 'CANCELLED']);
  expect(clock.monotonic()).toBe(7_320_000);
});

it('has a second store, with its own events and limits', async () => {
  const { mock } = stage();
  // #region two-stores
  const second = mock.addStore({ clientId: '2002', clientSecret: 'secret', apiKey: 'key' });
  mock.createOrder({ clientId: second.clientId, displayId: '77' });
  expect(mock.pending(second.clientId)).toHaveLength(1);
  expect(mock.pending()).toEqual([]); // of the default store
  // #endregion
});

it('has faults, violations and a reset of one store', () => {
  const { mock } = stage();
  mock.createOrder();
  // #region one-store
  const { clientId } = mock.addStore({ clientId: 'test-7', clientSecret: 'secret', apiKey: 'key-7' });
  mock.faults.ofStore(clientId).next('polling', 503);
  expect(mock.violations(clientId)).toEqual([]);
  mock.reset({ clientId });
  // #endregion
  expect(mock.pending()).toHaveLength(1);
});

it('creates orders of every kind', () => {
  const { mock } = stage();
  // #region kinds
  mock.createOrder({ type: 'TAKEOUT', orderTiming: 'SCHEDULED' }); // with `takeout` and `schedule`
  mock.createOrder({ type: 'INDOOR', include: ['options', 'discounts'] });
  const { order } = mock.createOrder({ deliveredBy: 'MARKETPLACE', include: ['fees', 'change'] });
  expect(order.payments).toMatchObject({ pending: 68.79, methods: [{ method: 'CASH', changeFor: 100 }] });
  // #endregion
  expect(mock.pending()).toHaveLength(3);
});

it('moves an order on as the platform would', async () => {
  const { mock } = stage();
  // #region emit
  const { orderId } = mock.createOrder();
  mock.emit('ORDER_CANCELLATION_REQUEST', { orderId, metadata: { reason: 'Wrong address' } });
  mock.publishMerchant((merchant) => {
    merchant.itemOffers[0].status = 'UNAVAILABLE';
  });
  // #endregion
  expect(typesOf(mock.pending())).toEqual(['CREATED', 'ORDER_CANCELLATION_REQUEST']);
});
