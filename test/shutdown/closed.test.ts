import { ClosedError, type EventPoller, type HubClient } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { stage } from '../support.js';

const EVENT = { eventId: 'e', orderId: 'o', eventType: 'CREATED' };

/** Every public method that would have to ask the hub. */
const ASKING: Readonly<Record<string, (hub: HubClient, poller: EventPoller) => unknown>> = {
  'auth.getToken': (hub) => hub.auth.getToken(),
  'auth.renew': (hub) => hub.auth.renew(),
  'merchant.get': (hub) => hub.merchant.get(),
  'events.poll': (hub) => hub.events.poll(),
  'events.acknowledge': (hub) => hub.events.acknowledge([EVENT]),
  'orders.get': (hub) => hub.orders.get('o'),
  'orders.updateStatus': (hub) => hub.orders.updateStatus('o', 'x'),
  'orders.confirm': (hub) => hub.orders.confirm('o'),
  'orders.preparing': (hub) => hub.orders.preparing('o'),
  'orders.readyForPickup': (hub) => hub.orders.readyForPickup('o'),
  'orders.dispatch': (hub) => hub.orders.dispatch('o'),
  'orders.pickedUp': (hub) => hub.orders.pickedUp('o'),
  'orders.delivered': (hub) => hub.orders.delivered('o'),
  'orders.requestCancellation': (hub) =>
    hub.orders.requestCancellation('o', { reason: 'x', code: 'x', mode: 'AUTO' }),
  'orders.acceptCancellation': (hub) => hub.orders.acceptCancellation('o'),
  'orders.denyCancellation': (hub) => hub.orders.denyCancellation('o', { reason: 'x', code: 'x' }),
  'hub.poller': (hub) => hub.poller(),
  'poller.start': (_hub, poller) => poller.start(),
  'poller.runOnce': (_hub, poller) => poller.runOnce(),
};

/** Those that know without asking, and those that end things. */
const KNOWING: Readonly<Record<string, (hub: HubClient, poller: EventPoller) => unknown>> = {
  'auth.invalidate': (hub) => hub.auth.invalidate('a token'),
  'merchant.peek': (hub) => hub.merchant.peek(),
  'merchant.on': (hub) => hub.merchant.on('updated', () => {}),
  'merchant.off': (hub) => hub.merchant.off('updated', () => {}),
  'hub.rateLimits': (hub) => hub.rateLimits(),
  'hub.on': (hub) => hub.on('request', () => {}),
  'hub.off': (hub) => hub.off('request', () => {}),
  'hub.close': (hub) => hub.close(),
  'poller.on': (_hub, poller) => poller.on('CREATED', () => {}),
  'poller.once': (_hub, poller) => poller.once('CREATED', () => {}),
  'poller.off': (_hub, poller) => poller.off('CREATED', () => {}),
  'poller.stop': (_hub, poller) => poller.stop(),
  'poller.pause': (_hub, poller) => poller.pause(),
  'poller.resume': (_hub, poller) => poller.resume(),
  'poller.health': (_hub, poller) => poller.health(),
};

/** Of the token manager's class and not of the interface the application sees. */
const INTERNAL = ['auth.authorize'];

/** A client that has a token, a menu and a poller, and is closed. */
async function closed() {
  const all = stage();
  const { hub, mock, clock } = all;
  const poller = hub.poller();
  poller.on('event', () => {});
  await hub.merchant.get();
  const started = poller.start();
  await clock.advance('1s');
  await started;
  await hub.close();
  return { ...all, poller, asked: mock.requests.length };
}

function methodsOf(name: string, object: object): string[] {
  const prototype = Object.getPrototypeOf(object) as object;
  return Object.getOwnPropertyNames(prototype)
    .filter((key) => key !== 'constructor' && typeof Reflect.get(object, key) === 'function')
    .map((key) => `${name}.${key}`);
}

describe('after close', () => {
  it('no public method is forgotten here', async () => {
    const { hub, poller } = await closed();
    const all = [
      ...methodsOf('hub', hub),
      ...methodsOf('auth', hub.auth),
      ...methodsOf('merchant', hub.merchant),
      ...methodsOf('events', hub.events),
      ...methodsOf('orders', hub.orders),
      ...methodsOf('poller', poller),
    ];
    expect(all.sort()).toEqual([...Object.keys(ASKING), ...Object.keys(KNOWING), ...INTERNAL].sort());
  });

  it.each(Object.entries(ASKING))('%s is a ClosedError, and nothing is sent', async (_name, call) => {
    const { hub, poller, mock, asked, clock } = await closed();
    await expect((async () => call(hub, poller))()).rejects.toBeInstanceOf(ClosedError);
    await clock.advance('1h');
    expect(mock.requests).toHaveLength(asked);
    expect(clock.sleepers).toBe(0);
  });

  it.each(Object.entries(KNOWING))('%s works as before, and nothing is sent', async (_name, call) => {
    const { hub, poller, mock, asked } = await closed();
    await call(hub, poller);
    expect(mock.requests).toHaveLength(asked);
  });

  it('a new client of the same store works', async () => {
    const { mock, clock } = await closed();
    const { hub } = stage({}, { baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock });
    expect((await hub.merchant.get()).stale).toBe(false);
  });
});

describe('await using', () => {
  it('closes when the block is left, by its end, by return and by an error', async () => {
    const clients: HubClient[] = [];
    const leave = async (how: 'end' | 'return' | 'throw') => {
      const { hub: made } = stage();
      clients.push(made);
      await using hub = made;
      await hub.merchant.get();
      if (how === 'return') return;
      if (how === 'throw') throw new Error('out of the block');
    };
    await leave('end');
    await leave('return');
    await expect(leave('throw')).rejects.toThrow('out of the block');
    for (const hub of clients) await expect(hub.merchant.get()).rejects.toBeInstanceOf(ClosedError);
  });

  it('stops the poller and confirms what it has handled', async () => {
    const { hub: made, mock, clock } = stage();
    mock.createOrder();
    let poller: EventPoller;
    {
      await using hub = made;
      poller = hub.poller().on('event', () => {});
      const started = poller.start();
      await clock.advance(10);
      await started;
    }
    expect(poller.health().status).toBe('idle');
    expect(mock.pending()).toEqual([]);
    expect(clock.sleepers).toBe(0);
  });
});

it('close ends calls in every stage with ClosedError', async () => {
  const { hub, mock, clock } = stage();
  await hub.auth.getToken();
  mock.faults.next('merchant', 'hang');
  mock.faults.next('order', { type: 'status', status: 429, headers: { 'retry-after': '100' } });
  await hub.events.poll();
  await hub.events.poll();
  const calls = [hub.merchant.get(), hub.orders.get('1'), hub.events.poll(), hub.auth.renew()];
  const ended = Promise.all(calls.map((call) => expect(call).rejects.toBeInstanceOf(ClosedError)));
  mock.faults.next('token', 'hang');
  await clock.advance(10);
  await hub.close();
  await ended;
  expect(clock.sleepers).toBe(0);
});
