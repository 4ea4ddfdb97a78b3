import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ClosedError,
  type EventPoller,
  HubClient,
  type HubClientOptions,
  memoryState,
} from 'opendelivery-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pushOf } from '../events/push/support.js';
import { methodsOf as methodsOfState } from '../state/methods.js';
import { afterAdvance, settledNow, stage } from '../support.js';
import { CALLS, EVENT } from './calls.js';

/** Every public method that needs the hub. */
const NEED_THE_HUB: Readonly<Record<string, (hub: HubClient, poller: EventPoller) => unknown>> = {
  ...Object.fromEntries(
    CALLS.map(({ name, call }) => [
      name,
      (hub: HubClient, poller: EventPoller) => call(hub, undefined, poller),
    ]),
  ),
  'events.verify': (hub) => hub.events.verify(new Request('https://pos.example')),
  'orders.tracking': (hub) => hub.orders.tracking('o', { deliveryTrackingInfo: {} }),
  'orders.validateCode': (hub) => hub.orders.validateCode('o', '1'),
  'orders.details': (hub) => hub.orders.details('o', {}),
  'hub.poller': (hub) => hub.poller(),
  'poller.events': (_hub, poller) => poller.events().next(),
  'poller.startPersistently': (_hub, poller) => poller.startPersistently(),
};

/** Every other public method. */
const LOCAL: Readonly<Record<string, (hub: HubClient, poller: EventPoller) => unknown>> = {
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
  'poller.removeListener': (_hub, poller) => poller.removeListener('CREATED', () => {}),
  'poller.stop': (_hub, poller) => poller.stop(),
  'poller.close': (_hub, poller) => poller.close(),
  'poller.pause': (_hub, poller) => poller.pause(),
  'poller.resume': (_hub, poller) => poller.resume(),
  'poller.health': (_hub, poller) => poller.health(),
  'poller.receive': (_hub, poller) => poller.receive(new Request('https://pos.example', { method: 'POST' })),
};

/** A closed client that had a token, a merchant copy and a running poller. */
async function closedClient() {
  const all = stage();
  const { hub, mock, clock } = all;
  const poller = hub.poller().on('event', () => {});
  await hub.merchant.get();
  await afterAdvance(clock, '1s', poller.start());
  await hub.close();
  return { ...all, poller, sent: mock.requests.length };
}

function methodsOf(name: string, object: object, from = object): string[] {
  const prototype = Object.getPrototypeOf(from) as object;
  if (prototype === Object.prototype) return [];
  const own = Object.getOwnPropertyNames(prototype)
    .filter((key) => key !== 'constructor' && typeof Reflect.get(object, key) === 'function')
    .map((key) => `${name}.${key}`);
  return [...own, ...methodsOf(name, object, prototype)];
}

describe('a closed client', () => {
  it('has no public method that these tests do not call', async () => {
    const { hub, poller } = await closedClient();
    const all = [
      ...methodsOf('hub', hub),
      ...methodsOf('auth', hub.auth),
      ...methodsOf('merchant', hub.merchant),
      ...methodsOf('events', hub.events),
      ...methodsOf('orders', hub.orders),
      ...methodsOf('poller', poller),
    ];
    expect(all.sort()).toEqual([...Object.keys(NEED_THE_HUB), ...Object.keys(LOCAL)].sort());
  });

  it.each(Object.entries(NEED_THE_HUB))(
    '%s rejects with ClosedError and sends nothing',
    async (_name, call) => {
      const { hub, poller, mock, sent, clock } = await closedClient();
      await expect((async () => call(hub, poller))()).rejects.toBeInstanceOf(ClosedError);
      await clock.advance('1h');
      expect(mock.requests).toHaveLength(sent);
      expect(clock.sleepers).toBe(0);
    },
  );

  it.each(Object.entries(LOCAL))('%s still works and sends nothing', async (_name, call) => {
    const { hub, poller, mock, sent } = await closedClient();
    await call(hub, poller);
    expect(mock.requests).toHaveLength(sent);
  });

  it('does not affect a new client of the same store', async () => {
    const { mock, clock } = await closedClient();
    const { hub } = stage({}, { baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock });
    expect((await hub.merchant.get()).stale).toBe(false);
  });
});

describe('await using', () => {
  it('closes the client at the end of the block, at return and at an exception', async () => {
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
});

const forever = () => new Promise<never>(() => {});

/** What the application gives to a client, and never returns. */
const HANGING: Readonly<Record<string, () => Partial<HubClientOptions>>> = {
  'the function of a secret': () => ({ clientSecret: forever, apiKey: forever }),
  'state.get': () => ({ state: { ...methodsOfState(memoryState()), get: forever } }),
  'state.set': () => ({ state: { ...methodsOfState(memoryState()), set: forever } }),
};

const WAITING: Readonly<Record<string, (hub: HubClient) => Promise<unknown>>> = {
  'auth.getToken': (hub) => hub.auth.getToken(),
  'auth.renew': (hub) => hub.auth.renew(),
  'merchant.get': (hub) => hub.merchant.get(),
  'events.poll': (hub) => hub.events.poll(),
  'events.acknowledge': (hub) => hub.events.acknowledge([EVENT]),
  'orders.get': (hub) => hub.orders.get('o'),
};

describe('close', () => {
  it('ends the calls in progress with ClosedError, whatever they wait for, and may be called twice', async () => {
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
    await hub.close();
    await ended;
    expect(clock.sleepers).toBe(0);
  });

  describe.each(Object.entries(HANGING))('while %s hangs', (_what, options) => {
    it.each(Object.entries(WAITING))('ends %s at once with ClosedError', async (_name, call) => {
      const { hub, clock } = stage({}, options());
      const outcome = call(hub);
      expect(await settledNow(clock, outcome)).toBe('pending');
      await hub.close();
      expect(await settledNow(clock, outcome)).toEqual({ error: expect.any(ClosedError) });
    });
  });

  it('ends the check of a push at once with ClosedError while the function of a secret hangs', async () => {
    const { hub, clock } = stage({}, { clientSecret: forever });
    const outcome = hub.events.verify(pushOf(EVENT));
    expect(await settledNow(clock, outcome)).toBe('pending');
    await hub.close();
    expect(await settledNow(clock, outcome)).toEqual({ error: expect.any(ClosedError) });
  });

  it('closes every socket', async () => {
    const sockets = new Set<unknown>();
    const server = createServer((_request, response) => response.end('{"id":"x"}'));
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const hub = new HubClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' });
    await hub.merchant.get();
    expect(sockets.size).toBe(1);
    const gone = new Promise<void>((resolve) => {
      for (const socket of sockets) (socket as NodeJS.EventEmitter).once('close', () => resolve());
    });
    await hub.close();
    await gone;
    expect(sockets.size).toBe(0);
  });
});
