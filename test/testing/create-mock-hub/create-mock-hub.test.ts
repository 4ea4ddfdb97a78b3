import { ConfigurationError, EVENT_TYPES } from 'opendelivery-client';
import {
  createMockHub,
  type Json,
  type MerchantChange,
  type MockHubOptions,
} from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { itemOf } from '../../fixtures/plain.js';
import { clientOf } from '../../support.js';
import { type Api, made } from './support.js';

describe('events', () => {
  it.each([...EVENT_TYPES, 'LOYALTY_POINTS_EARNED'])('emit accepts any type: %s', (eventType) => {
    const { mock } = made();
    const event = mock.emit(eventType);
    expect(event).toMatchObject({ eventType, createdAt: '2026-01-05T12:00:00.000Z' });
    expect([mock.pending(), mock.emitted(), mock.acknowledged()]).toEqual([[event], [event], []]);
  });

  it('emit passes every field on to the client, also those that the standard does not have', async () => {
    const { mock, api } = made();
    const given = {
      orderId: 'o',
      eventId: 'e',
      createdAt: 'yesterday',
      orderURL: 'https://elsewhere.example/o',
      sourceAppId: 'app',
      virtualBrand: 'Sushi da Vila',
      metadata: null,
      merchant: { id: 'm', tags: [1, { x: null }] },
      salesChannel: '',
      priority: 0,
      test: false,
    };
    // @ts-expect-error the type of `metadata` is an object, and a hub may send null
    const event = mock.emit('CREATED', { clientId: '1001', ...given });
    const polled = await (await api.poll(await api.token())).json();
    expect(polled).toEqual([{ eventType: 'CREATED', ...given }]);
    expect(mock.pending()).toEqual([event]);
  });

  it('emit fills in what is missing, and nothing else', () => {
    const { mock } = made();
    const event = mock.emit('LOYALTY_POINTS');
    expect(Object.keys(event).sort()).toEqual(['createdAt', 'eventId', 'eventType', 'orderId', 'orderURL']);
    expect(mock.emit('LOYALTY_POINTS', { eventType: 'OTHER' }).eventType).toBe('LOYALTY_POINTS');
  });

  it('every event and every order has a unique id; an event without an order has a unique orderId', () => {
    const { mock } = made();
    const events = Array.from({ length: 50 }, () => mock.emit('CREATED'));
    const orders = Array.from({ length: 50 }, () => mock.createOrder());
    const all = [...events, ...orders.map(({ event }) => event)];
    const ids = all.flatMap(({ eventId, orderId }) => [eventId, orderId]);
    expect(new Set(ids).size).toBe(200);
  });

  it('acknowledged lists the events with the time of their acknowledgment, in its order', async () => {
    const { clock, mock, api } = made();
    const [first, second] = [mock.emit('CREATED'), mock.emit('CONFIRMED')] as const;
    const token = await api.token();
    await clock.advance('5s');
    await api.acknowledge(token, [itemOf(second)]);
    await clock.advance('5s');
    await api.acknowledge(token, [itemOf(first)]);
    expect(mock.acknowledged()).toEqual([
      { ...second, acknowledgedAt: Date.parse('2026-01-05T12:00:05Z') },
      { ...first, acknowledgedAt: Date.parse('2026-01-05T12:00:10Z') },
    ]);
    expect(mock.emitted()).toEqual([first, second]);
  });

  it('emit without a clientId is about the store that has the order, or else the first store', () => {
    const { mock } = made();
    mock.addStore({ clientId: '2002', clientSecret: 'secret', apiKey: 'key' });
    const { orderId, event } = mock.createOrder({ clientId: '2002' });
    const cancelled = mock.emit('CANCELLED', { orderId });
    const unknown = mock.emit('CANCELLED', { orderId: 'of nobody' });
    const elsewhere = mock.emit('CONFIRMED', { orderId, clientId: '1001' });
    expect(mock.pending('2002')).toEqual([event, cancelled]);
    expect(mock.pending()).toEqual([unknown, elsewhere]);
  });
});

describe('a store', () => {
  const CLIENT_IDS = ['loja 1', 'açaí', '日本', 'a.b', 'a/b?c&d', '~0041', '"a":b', '😀', '\ud800'];

  it.each(CLIENT_IDS)('polls and acknowledges with any clientId: %j', async (clientId) => {
    const { mock, api } = made({ profile: { token: { body: 'json' } } });
    for (const each of CLIENT_IDS) {
      mock.addStore({ clientId: each, clientSecret: 'secret-of-many', apiKey: 'key-of-many' });
    }
    const event = mock.emit('CREATED', { clientId });
    const fields = { client_id: clientId, client_secret: 'secret-of-many', grant_type: 'client_credentials' };
    const granted = await api.form(fields, 'application/json');
    const { access_token: token } = (await granted.json()) as { access_token: string };
    expect(await (await api.poll(token)).json()).toEqual([event]);
    expect((await api.acknowledge(token, [itemOf(event)])).status).toBe(202);
    await api.get(`/${token}`);
    expect(mock.pending(clientId)).toEqual([]);
    expect(mock.requests.map((entry) => entry.clientId)).toEqual([clientId, clientId, clientId, undefined]);
    expect(mock.requests[3]?.path).toBe('/opendelivery/[token 1]');
  });
});

describe('publishMerchant', () => {
  const documentOf = async (api: Api) => (await (await api.merchant()).json()) as Json;

  it.each<[string, MerchantChange]>([
    ['keys to set at the root', { status: 'UNAVAILABLE' }],
    ['a function that changes a copy', (merchant) => void Object.assign(merchant, { status: 'UNAVAILABLE' })],
    ['a function that returns a new document', (merchant) => ({ ...merchant, status: 'UNAVAILABLE' })],
  ])('accepts %s, and updates lastUpdate', async (_what, change) => {
    const { clock, mock, api } = made();
    const before = await documentOf(api);
    await clock.advance('1h');
    mock.publishMerchant(change);
    const after = await documentOf(api);
    expect(after).toEqual({ ...before, status: 'UNAVAILABLE', lastUpdate: '2026-01-05T13:00:00.000Z' });
  });

  it('makes each lastUpdate newer, also if no time has passed', async () => {
    const { mock, api } = made();
    const updates = [];
    for (const status of ['UNAVAILABLE', 'AVAILABLE']) {
      updates.push((await documentOf(api)).lastUpdate);
      mock.publishMerchant({ status });
    }
    updates.push((await documentOf(api)).lastUpdate);
    expect(updates).toEqual(['', '.001', '.002'].map((part) => `2026-01-05T12:00:00${part || '.000'}Z`));
  });

  it.each<[string, MerchantChange]>([
    ['older', { lastUpdate: '2020-01-01T00:00:00Z' }],
    ['the same', { lastUpdate: '2026-01-05T12:00:00.000Z', status: 'UNAVAILABLE' }],
  ])('keeps a lastUpdate set by the change: %s', async (_what, change) => {
    const { clock, mock, api } = made();
    await clock.advance('1h');
    mock.publishMerchant(change);
    expect(await documentOf(api)).toMatchObject(change);
  });
});

describe('requests', () => {
  it('lists every request and its response', async () => {
    const { clock, mock, api } = made({ latencyMs: 0 });
    const event = mock.emit('CREATED');
    const token = await api.token();
    await clock.advance('1s');
    await api.poll(token);
    await api.acknowledge(token, [itemOf(event)]);
    await api.merchant('wrong');
    const start = Date.parse('2026-01-05T12:00:00Z');
    expect(mock.requests).toMatchObject([
      { endpoint: 'token', method: 'POST', path: '/opendelivery/oauth/token', status: 200, at: start },
      { endpoint: 'polling', method: 'GET', path: '/opendelivery/v1/events:polling', events: [event] },
      { endpoint: 'acknowledgment', status: 202, acknowledged: [event.eventId], clientId: '1001' },
      { endpoint: 'merchant', status: 401 },
    ]);
    expect(mock.requests[0]?.body).toContain('grant_type=client_credentials');
    const headers = { authorization: 'Bearer [token 1]' };
    expect(mock.requests[1]).toMatchObject({ monotonicAt: 1000, status: 200, headers });
    expect(mock.requests[3]?.clientId).toBeUndefined();
  });
});

describe('a path', () => {
  const GATEWAY = { baseUrl: 'https://gw.example/hub' };

  it.each([
    ['GET', '/opendelivery/v1/merchants'],
    ['GET', '/opendelivery/v1/events_polling'],
    ['GET', '/opendelivery/v1/orders/'],
    ['GET', '/opendelivery/v1/orders/%ZZ'],
    ['GET', '/opendelivery/v1%2Fevents:polling'],
    ['GET', '/%ZZ/v1/merchant'],
    ['POST', '/opendelivery/v1/events:polling'],
    ['POST', '/oauth/token'],
    ['GET', '/'],
  ])('that the spec does not have gets 404 and is a violation: %s %s', async (method, path) => {
    const { mock } = made();
    const response = await mock.fetch(mock.baseUrl + path, { method });
    expect(response.status).toBe(404);
    expect(mock.violations()).toMatchObject([{ rule: 'unknown-path' }]);
    expect(mock.requests).toMatchObject([{ method, path, status: 404 }]);
  });

  it.each([
    ['no prefix', { basePath: '' }, 'https://hub.example/v1/merchant'],
    ['no prefix, as a slash', { basePath: '/' }, 'https://hub.example/v1/merchant'],
    ['another prefix', { basePath: '/od/api' }, 'https://hub.example/od/api/v1/merchant'],
    ['a prefix that ends with a slash', { basePath: '/hub/' }, 'https://hub.example/hub/v1/merchant'],
    ['another host', { baseUrl: 'http://localhost:8080/' }, 'http://localhost:8080/opendelivery/v1/merchant'],
    ['a host with a path', GATEWAY, 'https://gw.example/hub/opendelivery/v1/merchant'],
    ['a gateway that takes its own path off', GATEWAY, 'https://gw.example/opendelivery/v1/merchant'],
    ['a path that is percent-encoded', GATEWAY, 'https://gw.example/%68ub/open%64elivery/%76%31/merchant'],
  ])('depends on baseUrl and basePath: %s', async (_what, options, url) => {
    const { mock } = made(options);
    const response = await mock.fetch(url, { headers: { 'x-api-key': mock.credentials.apiKey } });
    expect(response.status).toBe(200);
  });

  it.each(['', '/', '/hub', '/hub/', '/a/b/', '/%C3%A7'])(
    'of an order is requested by a client with the same basePath: %j',
    async (basePath) => {
      const { clock, mock } = made({ basePath });
      const { event } = mock.createOrder();
      const { hub } = clientOf(mock, { basePath, fetch: mock.fetch, clock });
      const { events } = await hub.events.poll();
      expect(events).toEqual([event]);
      expect(new URL(event.orderURL).pathname).toBe(
        `${basePath.replace(/\/$/, '')}/v1/orders/${event.orderId}`,
      );
      expect(mock.violations()).toEqual([]);
    },
  );
});

describe('an option', () => {
  it.each<[string, unknown]>([
    ['emptyPol', '204'],
    ['emptyPoll', '200'],
    ['badKeyStatus', 402],
    ['limitHeaders', 'off'],
    ['windows', 'hopping'],
    ['unknownEventStatus', 402],
    ['maxEventsPerPoll', 0],
    ['tokenLifetimeMs', -1],
    ['latencyMs', '5s'],
    ['clock', Date],
    ['baseUrl', 'nonsense'],
    ['baseUrl', 'ftp://hub.example'],
    ['baseUrl', 'https://hub.example?x=1'],
    ['basePath', 5],
    ['basePath', 'hub'],
    ['basePath', '/a b'],
    ['basePath', '/a/../b'],
    ['basePath', '/hub//v2'],
  ])('%s: %s throws an error with its name and a remedy', (name, value) => {
    const make = () => createMockHub({ [name]: value } as MockHubOptions);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(new RegExp(`^${name}: .*(?:must (?:not )?(?:be|contain)|the options are)`));
  });

  it('latencyMs may be a function, called for each request', async () => {
    let ms = 0;
    const { clock, api } = made({ latencyMs: () => (ms += 1000) });
    const done: number[] = [];
    const note = () => void done.push(clock.monotonic());
    void api.merchant().then(note);
    void api.merchant().then(note);
    await clock.advance('5s');
    expect(done).toEqual([1000, 2000]);
  });

  it('two mock hubs share nothing', async () => {
    const [one, other] = [made(), made()];
    const token = await one.api.token();
    one.mock.emit('CREATED');
    expect((await other.api.poll(token)).status).toBe(401);
    expect(other.mock.pending()).toEqual([]);
    expect(one.mock.handlers).toBe(one.mock.handlers);
    expect(one.mock.requests).toHaveLength(1);
  });
});
