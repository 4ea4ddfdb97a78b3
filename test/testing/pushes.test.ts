import { createMockHub, type HubEvent, ManualClock, type MockHubOptions } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { running, signatureOf } from '../events/push/support.js';
import { itemOf, plain } from '../fixtures/plain.js';
import { send } from './console/support.js';

it('a push that waits for its retry does not keep a process alive', async () => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const busy = new Response(null, { status: 503, headers: { 'retry-after': '600' } });
  const pushing = mock.push(async () => busy.clone());
  mock.createOrder();
  await clock.advance('1s');
  expect(pushing.deliveries).toHaveLength(1);
  expect(clock.sleepers).toBe(0);
  await clock.advance('10m');
  expect(pushing.deliveries).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
});

it.each([
  ['the webhook has not answered in time', ({ clock }) => clock.advance('10s')],
  ['pushing is stopped', ({ pushing }) => pushing.stop()],
  ['the mock hub is reset', ({ mock }) => mock.reset()],
] satisfies [string, (made: ReturnType<typeof unanswered>) => unknown][])(
  'the request of a push is aborted when %s',
  async (_when, end) => {
    const made = unanswered();
    await made.clock.advance('1s');
    expect(made.sent.map(({ aborted }) => aborted)).toEqual([false]);
    await end(made);
    expect(made.sent[0]?.aborted).toBe(true);
  },
);

/** A hub that pushes an order to a webhook that never answers. */
function unanswered() {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const sent: AbortSignal[] = [];
  const pushing = mock.push(({ signal }) => {
    sent.push(signal);
    return new Promise(() => {});
  });
  mock.createOrder();
  return { clock, mock, pushing, sent };
}

/** A hub that pushes to a webhook, and what it has sent. */
function pushing(options: MockHubOptions = {}) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, ...options });
  const sent: { readonly event: HubEvent; readonly isSigned: boolean }[] = [];
  let status = 204;
  mock.push(async (request) => {
    const body = await request.text();
    const isSigned = request.headers.get('x-app-signature') === signatureOf(body);
    sent.push({ event: JSON.parse(body), isSigned });
    return new Response(null, { status });
  });
  return { clock, mock, sent, respondWith: (next: number) => void (status = next) };
}

// biome-ignore lint/suspicious/noExplicitAny: each test checks the body
const json = async (url: string, init: RequestInit): Promise<any> => (await fetch(url, init)).json();

describe('the orderURL of a pushed event', () => {
  it.each<[string, MockHubOptions]>([
    ['the default', {}],
    ['another base path', { basePath: '/hub/v2' }],
    ['no base path, behind a gateway', { basePath: '', baseUrl: 'https://gateway.example/hub' }],
  ])('responds with the order where the hub listens: %s', async (_what, options) => {
    const { clock, mock, sent } = pushing(options);
    const { url, close } = await mock.listen();
    onTestFinished(close);
    const { orderId, event } = mock.createOrder({ orderId: 'a/b ç?' });
    await clock.advance('1s');
    expect(sent).toMatchObject([{ event: { orderId }, isSigned: true }]);
    const orderUrl = sent[0]?.event.orderURL as string;
    expect(new URL(orderUrl).origin).toBe(url);
    const { clientId, clientSecret } = mock.credentials;
    const { access_token } = await json(`${url}${options.basePath ?? '/opendelivery'}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: clientId,
        client_secret: clientSecret,
        grant_type: 'client_credentials',
      }),
    });
    const headers = { authorization: `Bearer ${access_token}` };
    expect(await json(orderUrl, { headers })).toMatchObject({ id: orderId });
    expect(mock.emitted()).toEqual([event]);
    expect(event.orderURL).toContain(mock.baseUrl);
  });

  it('has baseUrl as long as the hub does not listen', async () => {
    const { clock, mock, sent, respondWith } = pushing();
    respondWith(503);
    const { orderId } = mock.createOrder();
    await clock.advance('500ms');
    const { url, close } = await mock.listen();
    await clock.advance('1s');
    await close();
    await clock.advance('2s');
    const origins = [mock.baseUrl, url, mock.baseUrl];
    expect(sent.map(({ event }) => event.orderURL)).toEqual(
      origins.map((origin) => `${origin}/opendelivery/v1/orders/${orderId}`),
    );
    expect(sent.every(({ isSigned }) => isSigned)).toBe(true);
  });

  it.each(['https://elsewhere.example/o', 7 as never])('is what emit was given: %j', async (orderURL) => {
    const { clock, mock, sent } = pushing();
    onTestFinished((await mock.listen()).close);
    mock.emit('CREATED', { orderURL });
    await clock.advance('1s');
    expect(sent[0]?.event.orderURL).toBe(orderURL);
  });

  it('may differ from that of a poll: the event is handled once', async () => {
    const { clock, mock, poller, noted } = await running();
    onTestFinished((await mock.listen()).close);
    const invalid: unknown[] = [];
    const received: string[] = [];
    poller.on('invalid', ({ issues }) => void invalid.push(...issues));
    poller.on('event', ({ orderURL }) => void received.push(String(orderURL)));
    mock.push((request) => poller.receive(request), { alsoPolled: true });
    const { event } = mock.createOrder();
    await clock.advance('2m');
    expect(received).toHaveLength(1);
    expect(received[0]).not.toBe(event.orderURL);
    expect(noted).toEqual([event.eventId]);
    expect(mock.acknowledged()).toMatchObject([{ eventId: event.eventId }]);
    expect(invalid).toEqual([]);
  });
});

it.each(['127.0.0.1', 'localhost'])(
  'events of the control API have the address of its request: %s',
  async (host) => {
    const mock = createMockHub();
    const { url: served, close } = await mock.listen();
    onTestFinished(close);
    const url = served.replace('127.0.0.1', host);
    const { orderId, event: created } = (await send(url, 'POST', 'orders', {})).body;
    const expected = `${url}/opendelivery/v1/orders/${orderId}`;
    expect(created.orderURL).toBe(expected);
    const { body: confirmed } = await send(url, 'POST', 'events', { eventType: 'CONFIRMED', orderId });
    expect(confirmed.orderURL).toBe(expected);
    const api = plain(mock, fetch, url);
    await api.acknowledge(await api.token(), [itemOf(confirmed)]);
    const { emitted, pending, acknowledged } = (await send(url, 'GET', 'events')).body;
    for (const events of [emitted, pending, acknowledged]) {
      expect(events.map(({ orderURL }: HubEvent) => orderURL)).toEqual(events.map(() => expected));
    }
    expect([emitted.length, pending.length, acknowledged.length]).toEqual([2, 1, 1]);
    expect(mock.emitted()[0]?.orderURL).toBe(`${mock.baseUrl}/opendelivery/v1/orders/${orderId}`);
  },
);
