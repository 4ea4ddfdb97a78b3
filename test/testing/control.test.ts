import { orderSchema } from 'opendelivery-client/schemas';
import { createMockHub, type FaultLike, type ListenOptions } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientOf } from '../support.js';
import { send, servedConsole } from './console/support.js';

const control = (url: string, path: string, method = 'GET', body?: unknown) => send(url, method, path, body);

/** JSON that is nested so deeply that it cannot be written again. */
const NESTED = `${'['.repeat(5000)}${']'.repeat(5000)}`;

describe('the control API', () => {
  it('takes every field that the standard has for an order', async () => {
    const { url } = await servedConsole();
    const { order } = (await control(url, 'orders', 'POST')).body;
    const fields = { ...order, lastEvent: 'CREATED', sendTracking: true, indoor: null, taxInvoice: {} };
    const { status, body } = await control(url, 'orders', 'POST', { ...fields, orderPriority: 'PRIORITY1' });
    expect([status, body.title]).toEqual([201, undefined]);
    expect(body.order).toEqual({ ...fields, orderPriority: 'PRIORITY1' });
  });

  it('lists its requests, with the examples of its description as OpenAPI', async () => {
    const { url } = await servedConsole();
    const { routes } = (await control(url, '')).body;
    const { paths } = (await control(url, 'openapi.json')).body;
    expect(routes.length).toBeGreaterThan(20);
    for (const { path, method, example } of routes) {
      const { requestBody } = paths[path][method.toLowerCase()];
      expect(requestBody?.content['application/json'].example).toEqual(example);
    }
  });

  it('creates orders and events, and lists their state', async () => {
    const { url, mock, clock } = await servedConsole();
    const { status, body } = await control(url, 'orders', 'POST', { displayId: 'A7' });
    expect(status).toBe(201);
    expect(body.order.displayId).toBe('A7');
    const cancelled = await control(url, 'events', 'POST', { eventType: 'CANCELLED', orderId: body.orderId });
    expect(cancelled.body.eventType).toBe('CANCELLED');
    const { hub } = clientOf(mock, { baseUrl: url, clock });
    const { events } = await hub.events.poll();
    await hub.events.acknowledge(events.slice(0, 1));
    const { emitted, pending, acknowledged } = (await control(url, 'events?clientId=1001')).body;
    expect([emitted.length, pending.length, acknowledged.length]).toEqual([2, 1, 1]);
    await control(url, 'redeliveries', 'POST', { eventId: events[0]?.eventId });
    expect((await control(url, 'events')).body.pending).toHaveLength(2);
    await control(url, 'refusals', 'POST', { eventId: events[1]?.eventId });
    const { rejected } = await hub.events.acknowledge(events);
    expect(rejected.map(({ eventId }) => eventId)).toEqual([events[1]?.eventId]);
  });

  it('passes every field of an event on', async () => {
    const { url } = await servedConsole();
    const fields = { eventType: 'CREATED', orderId: 'o', sourceAppId: 'app', virtualBrand: null };
    expect((await control(url, 'events', 'POST', fields)).body).toMatchObject(fields);
    expect((await control(url, 'events')).body.pending).toMatchObject([fields]);
  });

  it('changes the menu', async () => {
    const { url } = await servedConsole();
    const before = (await control(url, 'merchant')).body;
    expect((await control(url, 'merchant', 'PATCH', { status: 'UNAVAILABLE' })).body).toEqual({ done: true });
    const patched = (await control(url, 'merchant')).body;
    expect(patched).toEqual({ ...before, status: 'UNAVAILABLE', lastUpdate: expect.any(String) });
    await control(url, 'merchant?clientId=1001', 'PUT', { ...patched, items: [], lastUpdate: 'mine' });
    expect((await control(url, 'merchant')).body).toEqual({ ...patched, items: [], lastUpdate: 'mine' });
  });

  it('takes a key `eventId` where it names no event', async () => {
    const { url } = await servedConsole();
    const changed = await control(url, 'merchant', 'PATCH', { eventId: 'abc' });
    expect(changed).toEqual({ status: 200, body: { done: true } });
    expect((await control(url, 'merchant')).body).toMatchObject({ eventId: 'abc' });
    const [step] = (await control(url, 'ui/script')).body.steps;
    expect(step).toMatchObject({ request: 'PATCH merchant', body: { eventId: 'abc' } });
  });

  it('revokes tokens, adds stores, returns the journal and violations, and resets', async () => {
    const { url } = await servedConsole();
    const headers = { authorization: 'Bearer mock.1001.none' };
    const poll = await fetch(`${url}/opendelivery/v1/events:polling?eventType=CREATED`, { headers });
    expect(poll.status).toBe(401);
    expect((await control(url, 'tokens', 'DELETE')).status).toBe(200);
    const added = await control(url, 'stores', 'POST', { clientId: '2', clientSecret: 's', apiKey: 'k' });
    expect(added.status).toBe(201);
    expect((await control(url, 'stores')).body).toHaveLength(2);
    await control(url, 'orders', 'POST', { clientId: '2' });
    expect((await control(url, 'requests')).body).toHaveLength(1);
    expect((await control(url, 'violations')).body[0].rule).toBe('event-filter');
    await control(url, 'merchant', 'PATCH', { status: 'UNAVAILABLE' });
    await control(url, 'reset', 'POST');
    expect((await control(url, 'requests')).body).toEqual([]);
    expect((await control(url, 'violations')).body).toEqual([]);
    expect((await control(url, 'merchant')).body.status).toBe('AVAILABLE');
    expect((await control(url, 'stores')).body).toHaveLength(2);
    expect((await control(url, 'events?clientId=2')).body.emitted).toEqual([]);
  });

  it.each([
    ['POST', 'orders', '{', 400, 'not valid JSON'],
    ['POST', 'orders', '[]', 400, 'a JSON object'],
    ['POST', 'orders', '{"clientId":"9"}', 400, "no store with clientId '9'"],
    ['POST', 'redeliveries', '{"eventId":"x"}', 400, "has not emitted an event with eventId 'x'"],
    ['POST', 'clock', '{}', 400, 'advance or speed is missing'],
    ['POST', 'clock', '{"advance":"soon"}', 400, '"soon" is not a duration'],
    ['POST', 'clock', '{"advance":"-1s"}', 400, '"-1s" is not a duration'],
    ['POST', 'clock', '{"advance":-1}', 400, 'is not a duration'],
    ['POST', 'clock', '{"speed":2}', 400, 'a ManualClock has no speed'],
    ['POST', 'clock', '{"jump":"2h"}', 400, 'jump: is not a known key'],
    ['DELETE', 'orders', '', 404, 'GET /_mock/ lists all requests'],
  ])('responds to %s %s %s with %i and says why', async (method, path, body, status, reason) => {
    const { url, clock } = await servedConsole();
    const response = await fetch(`${url}/_mock/${path}`, { method, ...(body && { body }) });
    expect(response.status).toBe(status);
    expect(((await response.json()) as { title: string }).title).toContain(reason);
    expect(clock.monotonic()).toBe(0);
  });

  const ENDPOINTS = "one of 'token', 'merchant', 'polling', 'acknowledgment', 'order', 'orderStatus'";
  const FAULTS = "'reset', 'lost', 'hang', 'truncate', 'malformed', 'dribble', 'duplicate', 'reorder'";

  const ORDER_KEYS = [
    ...['clientId', 'orderId', 'merchantId', 'type', 'orderTiming', 'deliveredBy', 'include'],
    ...Object.keys(orderSchema.shape).filter((key) => key !== 'type' && key !== 'orderTiming'),
  ].join(', ');

  it.each<[string, string, object, ...string[]]>([
    ['POST', 'orders', { orderId: 7 }, 'orderId: must be a string; it is a number'],
    ['POST', 'orders', { constructor: 1 }, `constructor: is not a known key; the keys are ${ORDER_KEYS}`],
    ['POST', 'events', {}, 'eventType: is missing; it must be a non-empty string'],
    [
      'POST',
      'events',
      { eventType: '', orderURL: 7, metadata: [], createdAt: null },
      'eventType: must be a non-empty string',
      'createdAt: must be a string; it is null',
      'metadata: must be an object; it is an array',
      'orderURL: must be a string; it is a number',
    ],
    ['GET', 'events?clientID=1', {}, 'clientID: is not a known key; the keys are clientId'],
    [
      'POST',
      'redeliveries',
      { id: 'x' },
      'eventId: is missing; it must be a non-empty string',
      'id: is not a known key; the keys are eventId',
    ],
    [
      'POST',
      'faults',
      { endpoint: 'x'.repeat(61), times: 1.5 },
      `endpoint: must be ${ENDPOINTS}; it is a string`,
      'fault: is missing; it must be a number, a string or an object',
      'times: must be a whole number; it is 1.5',
    ],
    [
      'POST',
      'faults',
      { endpoint: 'order', fault: { status: '500', header: {} } },
      'fault.status: must be a number; it is a string',
      'fault.header: is not a known key; the keys are type, status, headers, body',
    ],
    [
      'PUT',
      'faults',
      { rate: 2, types: ['status', 'explode'], endpoints: 'order' },
      'seed: is missing; it must be a number or a string',
      'rate: must be at most 1; it is 2',
      `types[1]: must be one of ${FAULTS}, 'status', 'latency'; it is 'explode'`,
      'endpoints: must be an array; it is a string',
    ],
    [
      'POST',
      'stores',
      { clientId: '2', apiKey: 'k\u0000' },
      'clientSecret: is missing; it must be a non-empty string',
      'apiKey: must be a string without control characters; look for a stray line break',
    ],
  ])(
    'responds to %s %s %j with 400 and one sentence for each mistake',
    async (method, path, body, ...mistakes) => {
      const { url } = await servedConsole();
      const sent = method === 'GET' ? undefined : body;
      expect(await control(url, path, method, sent)).toEqual({
        status: 400,
        body: { title: mistakes.join('. '), status: 400 },
      });
    },
  );

  it('responds with 400 to a fault with a header that cannot be sent', async () => {
    const { url } = await servedConsole();
    const fault = { status: 429, headers: { 'retry-after': '1\n2' } };
    const { status, body } = await control(url, 'faults', 'POST', { endpoint: 'order', fault });
    expect([status, body]).toMatchObject([
      400,
      { title: expect.stringContaining("'retry-after' cannot be sent") },
    ]);
  });

  it('accepts every form of a fault', async () => {
    const { url } = await servedConsole();
    const faults: FaultLike[] = [
      503,
      'reset',
      { type: 'hang' },
      { type: 'latency', ms: 0 },
      { status: 429, headers: { 'retry-after': '7' }, body: null },
      { type: 'status', status: 200 },
    ];
    for (const fault of faults) {
      const { status } = await control(url, 'faults', 'POST', { endpoint: 'token', fault });
      expect(status).toBe(200);
    }
  });

  it.each<[ListenOptions, number]>([
    [{}, 200],
    [{ control: false }, 404],
    [{ host: '0.0.0.0' }, 404],
    [{ host: '0.0.0.0', control: true }, 200],
  ])('is served over HTTP only; with %j its status is %i', async (options, status) => {
    const mock = createMockHub();
    const { url, close } = await mock.listen(options);
    onTestFinished(close);
    expect((await fetch(`http://127.0.0.1:${new URL(url).port}/_mock/`)).status).toBe(status);
    expect((await mock.fetch(`${mock.baseUrl}/_mock/`)).status).toBe(404);
  });

  it.each([
    ['POST', 'events', `{ "eventType": "CREATED", "orderId": "o", "metadata": ${NESTED} }`],
    ['PATCH', 'merchant', `{ "basicInfo": ${NESTED} }`],
    ['POST', 'clock', '{ "advance": 9e15 }'],
    ['POST', 'clock', '{ "advance": "300000000d" }'],
    ['PUT', 'pushes', '{ "url": "file:///etc/hosts" }'],
  ])('refuses what it could not show again, and changes nothing: %s %s', async (method, path, body) => {
    const { url, mock, clock } = await servedConsole();
    const before = [clock.now(), mock.merchant()];
    expect((await fetch(`${url}/_mock/${path}`, { method, body })).status).toBe(400);
    expect(mock.emitted()).toEqual([]);
    expect([clock.now(), mock.merchant()]).toEqual(before);
    expect((await control(url, 'events')).status).toBe(200);
  });

  it('advances a manual clock, and says what time it is', async () => {
    const { url, clock } = await servedConsole();
    expect((await control(url, 'clock')).body).toMatchObject({ now: Date.parse('2026-01-05T12:00:00Z') });
    for (const advance of ['1h30m', 500]) {
      const moved = await control(url, 'clock', 'POST', { advance });
      expect(moved).toEqual({ status: 200, body: { done: true } });
    }
    expect((await control(url, 'clock')).body).toMatchObject({ now: Date.parse('2026-01-05T13:30:00.500Z') });
    expect(clock.monotonic()).toBe(5_400_500);
  });
});
