import { createHmac } from 'node:crypto';
import { type HostProfile, HubClient } from 'opendelivery-client';
import { food99, keeta } from 'opendelivery-client/hosts';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { expect, it, onTestFinished } from 'vitest';
import { stage } from '../support.js';

it('gives client and mock hub one profile', async () => {
  const clock = new ManualClock();
  // #region profile
  const profile: HostProfile = {
    basePath: '',
    paths: { polling: '/v1/events', order: '/v2/orders/{orderId}' },
    token: { body: 'json', extra: { scope: 'od.all' } },
    headers: { 'x-partner': 'my-key' },
    limits: { token: { requests: 20, windowMs: 60_000 } },
  };
  const mock = createMockHub({ profile, clock });
  const hub = new HubClient({
    baseUrl: mock.baseUrl,
    ...mock.credentials,
    profile,
    clock,
    fetch: mock.fetch,
  });
  // #endregion
  onTestFinished(async () => void (await hub.close()));
  const { orderId } = mock.createOrder();
  const { events } = await hub.events.poll();
  expect(events.map((event) => event.orderId)).toEqual([orderId]);
  expect((await hub.orders.get(orderId)).order.id).toBe(orderId);
  expect(hub.rateLimits().token.limit).toBe(20);
  expect(mock.violations()).toEqual([]);
});

it('signs requests', async () => {
  const clock = new ManualClock();
  const key = 'a-key-of-the-host';
  // #region sign
  const profile: HostProfile = {
    sign: ({ method, url, headers, body }) => {
      const at = headers['x-signed-at'] ?? new Date().toISOString(); // the mock hub gets it with the request
      const text = [method, new URL(url).pathname, at, body].join('\n');
      return { 'x-signed-at': at, 'x-signature': createHmac('sha256', key).update(text).digest('hex') };
    },
  };
  // #endregion
  const mock = createMockHub({ profile, clock });
  const hub = new HubClient({
    baseUrl: mock.baseUrl,
    ...mock.credentials,
    profile,
    clock,
    fetch: mock.fetch,
  });
  onTestFinished(async () => void (await hub.close()));
  await hub.merchant.get();
  expect(mock.violations()).toEqual([]);
});

it('polls for some of the shops of a credential', async () => {
  const { mock, hub } = stage();
  const saved: unknown[] = [];
  const save = async (orderId: string, shop: string | undefined) => void saved.push([orderId, shop]);
  // #region merchants
  const poller = hub.poller({ merchants: ['shop-1', 'shop-2'] });
  poller.on('CREATED', async (event, { merchantId }) => {
    await save(event.orderId, merchantId);
  });

  const { orderId } = mock.createOrder({ merchantId: 'shop-2' });
  mock.createOrder({ merchantId: 'shop-3' }); // stays at the hub
  // #endregion
  await poller.runOnce();
  expect(saved).toEqual([[orderId, 'shop-2']]);
  expect(mock.pending()).toHaveLength(1);
});

it('has the profile of a host', async () => {
  const clock = new ManualClock();
  const said: string[] = [];
  const console = { log: (message: string) => void said.push(message) };
  // #region named
  const { profile } = food99;
  const mock = createMockHub({ profile, clock });
  const hub = new HubClient({
    baseUrl: mock.baseUrl,
    ...mock.credentials,
    profile,
    clock,
    fetch: mock.fetch,
  });
  await hub.events.poll().catch((error) => console.log(error.message)); // … 404: 99Food answers this until …
  mock.allow(); // as the host does when it adds the application to its allow list
  // #endregion
  onTestFinished(async () => void (await hub.close()));
  expect(said).toEqual([expect.stringContaining('404: 99Food answers this until')]);
  expect((await hub.events.poll()).events).toEqual([]);
});

it('changes the profile of a host', () => {
  const sign = () => ({ 'x-signature': 'right' });
  // #region changed
  const profile: HostProfile = { ...keeta.profile, basePath: '', sign };
  // #endregion
  expect(() => createMockHub({ profile })).not.toThrow();
});

it('explains the statuses of a host', async () => {
  // #region meanings
  const profile: HostProfile = {
    name: 'my host',
    statusMeanings: [
      { status: 409, endpoints: ['orderStatus'], meaning: 'another application has the order' },
    ],
  };
  // #endregion
  const { mock, hub } = stage({}, { profile });
  const { orderId } = mock.createOrder();
  mock.faults.next('orderStatus', 409);
  await expect(hub.orders.confirm(orderId)).rejects.toThrow('409: another application has the order');
  mock.faults.next('order', 409);
  await expect(hub.orders.get(orderId)).rejects.not.toThrow('another application');
});
