import { HubClient } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

/** Serves a mock hub with its control API. */
async function served() {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const { url, close } = await mock.listen({ control: true });
  onTestFinished(close);
  return { url, clock };
}

const control = async (url: string, path: string, method = 'GET', body?: unknown) => {
  const response = await fetch(`${url}/_mock/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: each test checks the body
  return { status: response.status, body: (await response.json()) as any };
};

describe('the control API', () => {
  it('responds to HEAD as to GET, and to /_mock without a slash', async () => {
    const { url } = await served();
    expect((await fetch(`${url}/_mock/stores`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${url}/_mock`)).status).toBe(200);
  });

  it('describes its requests', async () => {
    const { url } = await served();
    const { status, body } = await control(url, '');
    expect(status).toBe(200);
    const routes = body.routes as { method: string; path: string; does: string }[];
    expect(routes.length).toBeGreaterThan(12);
    for (const { does } of routes) expect(does).not.toBe('');
  });

  it('creates orders and events, and lists their state', async () => {
    const { url, clock } = await served();
    const { status, body } = await control(url, 'orders', 'POST', { displayId: 'A7' });
    expect(status).toBe(201);
    expect(body.order.displayId).toBe('A7');
    const cancelled = await control(url, 'events', 'POST', { eventType: 'CANCELLED', orderId: body.orderId });
    expect(cancelled.body.eventType).toBe('CANCELLED');
    const hub = new HubClient({
      baseUrl: url,
      clientId: '1001',
      clientSecret: 'mock-client-secret',
      clock,
    });
    onTestFinished(() => hub.close());
    const { events } = await hub.events.poll();
    await hub.events.acknowledge(events.slice(0, 1));
    const after = await control(url, 'events?clientId=1001');
    expect(after.body.emitted).toHaveLength(2);
    expect(after.body.pending).toHaveLength(1);
    expect(after.body.acknowledged).toHaveLength(1);
    await control(url, 'redeliveries', 'POST', { eventId: events[0]?.eventId });
    expect((await control(url, 'events')).body.pending).toHaveLength(2);
    await control(url, 'refusals', 'POST', { eventId: events[1]?.eventId });
    const { rejected } = await hub.events.acknowledge(events);
    expect(rejected.map(({ eventId }) => eventId)).toEqual([events[1]?.eventId]);
  });

  it('changes the menu', async () => {
    const { url } = await served();
    const before = (await control(url, 'merchant')).body;
    expect((await control(url, 'merchant', 'PATCH', { status: 'UNAVAILABLE' })).body).toEqual({ done: true });
    const patched = (await control(url, 'merchant')).body;
    expect(patched).toEqual({ ...before, status: 'UNAVAILABLE', lastUpdate: expect.any(String) });
    await control(url, 'merchant?clientId=1001', 'PUT', { ...patched, items: [], lastUpdate: 'mine' });
    expect((await control(url, 'merchant')).body).toEqual({ ...patched, items: [], lastUpdate: 'mine' });
  });

  it('adds and removes faults', async () => {
    const { url } = await served();
    const menu = () => fetch(`${url}/opendelivery/v1/merchant`, { headers: { 'x-api-key': 'mock-api-key' } });
    await control(url, 'faults', 'POST', { endpoint: 'merchant', fault: 503, times: 2 });
    expect((await menu()).status).toBe(503);
    await control(url, 'faults', 'DELETE');
    expect((await menu()).status).toBe(200);
    await control(url, 'faults', 'PUT', { seed: 1, rate: 1, types: ['status'] });
    expect((await menu()).status).not.toBe(200);
  });

  it('revokes tokens, adds stores, returns the journal and violations, and resets', async () => {
    const { url } = await served();
    const auth = { authorization: 'Bearer mock.1001.none' };
    expect(
      (await fetch(`${url}/opendelivery/v1/events:polling?eventType=CREATED`, { headers: auth })).status,
    ).toBe(401);
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
    ['POST', 'events', '{}', 400, 'eventType is missing'],
    ['POST', 'faults', '{"endpoint":"pol","fault":500}', 400, "'pol' is not an endpoint"],
    ['POST', 'stores', '{"clientId":"2"}', 400, 'clientSecret'],
    ['POST', 'redeliveries', '{"eventId":"x"}', 400, "has not emitted an event with eventId 'x'"],
    ['DELETE', 'orders', '', 404, 'GET /_mock/ lists all requests'],
  ])('responds to %s %s %s with %i and says why', async (method, path, body, status, reason) => {
    const { url } = await served();
    const response = await fetch(`${url}/_mock/${path}`, { method, ...(body && { body }) });
    expect(response.status).toBe(status);
    expect(((await response.json()) as { title: string }).title).toContain(reason);
  });

  it('is served over HTTP only, and only with control: true', async () => {
    const mock = createMockHub();
    const { url, close } = await mock.listen();
    onTestFinished(close);
    expect((await fetch(`${url}/_mock/`)).status).toBe(404);
    expect((await mock.fetch(`${mock.baseUrl}/_mock/`)).status).toBe(404);
  });
});
