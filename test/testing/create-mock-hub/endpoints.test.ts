import { merchantSchema, orderSchema } from 'opendelivery-client/schemas';
import type { Json } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { problemOf } from '../../fixtures/plain.js';
import { type Api, made } from './support.js';

describe('POST /oauth/token', () => {
  const fields = { client_id: '1001', client_secret: 'mock-client-secret', grant_type: 'client_credentials' };

  it('issues a bearer token for seven days', async () => {
    const { api } = made();
    const response = await api.form(fields);
    expect(response.status).toBe(200);
    const body = await response.json();
    expect(body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 604_800 });
  });

  it.each([
    ['client_id', '', 400],
    ['client_secret', '', 400],
    ['grant_type', '', 400],
    ['grant_type', 'refresh_token', 400],
    ['client_id', 'wrong', 401],
    ['client_secret', 'wrong', 401],
  ])('refuses the %s %j with %d', async (name, value, status) => {
    const { [name as keyof typeof fields]: _, ...rest } = fields;
    const response = await made().api.form({ ...rest, ...(value !== '' && { [name]: value }) });
    expect([response.status, await problemOf(response)]).toEqual([
      status,
      { status, title: expect.any(String) },
    ]);
  });

  it('responds with 400 to JSON, and reports a violation', async () => {
    const { api, rules } = made();
    expect((await api.form(fields, 'application/json')).status).toBe(400);
    expect(rules()).toEqual(['content-type']);
  });

  it.each([
    ['seconds', 3600],
    ['text', '3600'],
    ['absent', undefined],
    ['epoch', Date.parse('2026-01-05T13:00:00Z')],
  ] as const)('sends the lifetime in the form of the switch expiresIn: %s', async (expiresIn, expires_in) => {
    const { api } = made({ expiresIn, tokenLifetimeMs: 3_600_000 });
    expect(await (await api.grant()).json()).toMatchObject(expires_in === undefined ? {} : { expires_in });
    const body = (await (await api.grant()).json()) as object;
    expect('expires_in' in body).toBe(expires_in !== undefined);
  });
});

describe('bearer tokens', () => {
  const BEARER = ['poll', 'acknowledge', 'order', 'command'] as const;
  const call = (api: Api, name: (typeof BEARER)[number], token: string) => {
    if (name === 'poll') return api.poll(token);
    if (name === 'acknowledge') return api.acknowledge(token, []);
    return name === 'order' ? api.order(token, 'o') : api.command(token, 'o', 'confirm');
  };

  it.each(BEARER)(
    '%s is refused without a token, with an unknown token and with the API key',
    async (name) => {
      const { mock, api } = made();
      for (const token of ['', 'invented', 'mock.1001.invented', mock.credentials.apiKey]) {
        const response = await call(api, name, token);
        expect(response.status).toBe(401);
        expect(await problemOf(response)).toEqual({ status: 401, title: expect.any(String) });
      }
      expect(mock.violations()).toEqual([]);
    },
  );

  it('are valid until the millisecond of their expiry; a store can have several', async () => {
    const { clock, api } = made({ tokenLifetimeMs: 60_000 });
    const first = await api.token();
    await clock.advance('30s');
    const second = await api.token();
    await clock.advance(29_999);
    expect((await api.poll(first)).status).toBe(204);
    await clock.advance(1);
    expect((await api.poll(first)).status).toBe(401);
    expect((await api.acknowledge(second, [])).status).toBe(202);
  });

  it('are refused after revokeTokens; new ones are accepted', async () => {
    const { mock, api } = made();
    const token = await api.token();
    mock.revokeTokens();
    expect((await api.order(token, 'o')).status).toBe(401);
    expect((await api.order(await api.token(), 'o')).status).toBe(404);
  });
});

describe('GET /v1/merchant', () => {
  it('returns a document that is valid by the schema', async () => {
    const { api } = made();
    const response = await api.merchant();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(merchantSchema.safeParse(await response.json()).success).toBe(true);
  });

  it.each([401, 403] as const)(
    'responds with %d to a wrong key, a missing key and a bearer token',
    async (badKeyStatus) => {
      const { api } = made({ badKeyStatus });
      const token = await api.token();
      const headers = { authorization: `Bearer ${token}` };
      for (const response of [
        await api.merchant('wrong'),
        await api.get('/v1/merchant'),
        await api.get('/v1/merchant', { headers }),
      ]) {
        expect(response.status).toBe(badKeyStatus);
        expect(await problemOf(response)).toMatchObject({ status: badKeyStatus });
      }
    },
  );
});

describe('GET /v1/events:polling', () => {
  it.each([
    ['204', 204, ''],
    ['[]', 200, '[]'],
  ] as const)('responds to a poll without events with %s', async (emptyPoll, status, text) => {
    const { api } = made({ emptyPoll });
    const response = await api.poll(await api.token());
    expect([response.status, await response.text()]).toEqual([status, text]);
  });

  it('lists all pending events at every poll, oldest first, in the form of the spec', async () => {
    const { mock, api } = made();
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    const token = await api.token();
    const first = (await (await api.poll(token)).json()) as Json[];
    expect(first).toEqual(mock.pending());
    expect(first.map(({ eventType }) => eventType)).toEqual(['CREATED', 'CONFIRMED']);
    expect(first[0]).toEqual({
      eventId: expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      eventType: 'CREATED',
      orderId,
      createdAt: '2026-01-05T12:00:00.000Z',
      orderURL: `https://hub.example/opendelivery/v1/orders/${orderId}`,
    });
    expect(await (await api.poll(token)).json()).toEqual(first);
  });

  it('lists at most 1000 events, or maxEventsPerPoll', async () => {
    for (const [options, count] of [
      [{}, 1000],
      [{ maxEventsPerPoll: 3 }, 3],
    ] as const) {
      const { mock, api } = made(options);
      for (let order = 0; order < 1001; order += 1) mock.emit('CREATED');
      expect(await (await api.poll(await api.token())).json()).toEqual(mock.pending().slice(0, count));
    }
  });

  it('shuffles the events of each poll if order is shuffled', async () => {
    const { mock, api } = made({ order: 'shuffled' });
    for (let order = 0; order < 20; order += 1) mock.emit('CREATED');
    const token = await api.token();
    const lists = [await (await api.poll(token)).json(), await (await api.poll(token)).json()] as Json[][];
    const ids = lists.map((list) => list.map(({ eventId }) => eventId));
    expect(ids[0]).not.toEqual(ids[1]);
    const sent = mock.pending().map(({ eventId }) => eventId);
    for (const each of ids) expect(each.sort()).toEqual(sent.sort());
  });

  it('shuffles the events in the same way after a reset, whatever other stores have polled', async () => {
    const { mock, api } = made({ order: 'shuffled' });
    const other = mock.addStore({ clientId: '2002', clientSecret: 'secret-of-2002', apiKey: 'key-of-2002' });
    const polled = async () => {
      for (let number = 0; number < 8; number += 1) mock.emit('CREATED', { eventId: `e-${number}` });
      return ((await (await api.poll(await api.token())).json()) as Json[]).map(({ eventId }) => eventId);
    };
    const first = await polled();
    mock.reset();
    await api.poll(await api.token(other));
    expect(await polled()).toEqual(first);
  });

  it('reports a filter as a violation, and forgets what it leaves out, as real hubs do', async () => {
    const { mock, api } = made();
    const headers = { authorization: `Bearer ${await api.token()}` };
    const [created] = ['CREATED', 'CANCELLED', 'CONFIRMED'].map((type) => mock.emit(type));
    const response = await api.get('/v1/events:polling?eventType=CREATED&eventType=PREPARING', { headers });
    expect(await response.json()).toEqual([created]);
    expect([mock.pending(), mock.acknowledged()]).toEqual([[created], []]);
    expect(mock.violations()).toMatchObject([{ rule: 'event-filter', endpoint: 'polling' }]);
  });
});

describe('GET /v1/orders/{orderId}', () => {
  it("returns the standard's order with its last event, and 404 for an unknown id", async () => {
    const { mock, api } = made();
    const { orderId } = mock.createOrder({ displayId: '42' });
    const token = await api.token();
    mock.emit('CONFIRMED', { orderId });
    const order = await (await api.order(token, orderId)).json();
    expect(order).toMatchObject({ id: orderId, displayId: '42', lastEvent: 'CONFIRMED' });
    expect(orderSchema.safeParse(order).success).toBe(true);
    const response = await api.order(token, 'unknown');
    expect(await problemOf(response)).toEqual({ status: 404, title: 'order not found' });
  });
});
