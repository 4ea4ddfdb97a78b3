import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubClient } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { interrupt, opendelivery } from './support.js';

/** A mock hub served by the command, and its address. */
async function served(words = '', clock = new ManualClock()) {
  const ran = opendelivery(`mock --port 0 ${words}`, { clock });
  await vi.waitFor(() => expect(ran.out).toContain('/_mock/orders'));
  const url = /HUB_BASE_URL=(\S+)/.exec(ran.out)?.[1] ?? '';
  onTestFinished(async () => {
    interrupt();
    await ran.code;
  });
  return { ran, url, clock };
}

const control = async (url: string, path: string, method = 'GET', body?: unknown) => {
  const response = await fetch(`${url}/_mock/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the tests below say what it is
  return { status: response.status, body: (await response.json()) as any };
};

describe('opendelivery mock', () => {
  it('prints its credentials and a curl line that works', async () => {
    const { ran, url } = await served();
    const [, key = '', address = ''] = /curl -H 'x-api-key: ([^']+)' (\S+)/.exec(ran.out) ?? [];
    const response = await fetch(address, { headers: { 'x-api-key': key } });
    expect(response.status).toBe(200);
    expect(((await response.json()) as { basicInfo: { name: string } }).basicInfo.name).toBe('Forno da Vila');
    const [, form = ''] = /curl -d '([^']+)'/.exec(ran.out) ?? [];
    const token = await fetch(`${url}/opendelivery/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    expect(token.status).toBe(200);
  });

  it('prints each request as it comes', async () => {
    const { ran, url } = await served();
    await fetch(`${url}/opendelivery/v1/merchant`);
    await fetch(`${url}/nowhere`);
    expect(ran.out).toMatch(/\d\d:\d\d:\d\d {2}401 {2}GET {2}\/opendelivery\/v1\/merchant\n/);
    expect(ran.out).toMatch(/404 {2}GET {2}\/nowhere\n/);
  });

  it('ends at once when it is told to, and with 0, connections open or not', async () => {
    const ran = opendelivery('mock --port 0');
    await vi.waitFor(() => expect(ran.out).toContain('/_mock/orders'));
    const url = /HUB_BASE_URL=(\S+)/.exec(ran.out)?.[1] ?? '';
    await control(url, 'faults', 'POST', { endpoint: 'merchant', fault: 'hang' });
    const hanging = fetch(`${url}/opendelivery/v1/merchant`, { headers: { 'x-api-key': 'mock-api-key' } });
    hanging.catch(() => {});
    await vi.waitFor(async () => expect((await control(url, 'requests')).body).toHaveLength(1));
    process.emit('SIGTERM');
    expect(await ran.code).toBe(0);
    await expect(hanging).rejects.toThrow();
  });

  it('fails by chance with --faults, the same way for the same seed', async () => {
    const statuses = async () => {
      const { url } = await served('--faults 0.5 --seed 7');
      const seen: unknown[] = [];
      for (let count = 0; count < 8; count += 1) {
        const answer = fetch(`${url}/opendelivery/v1/merchant`, { signal: AbortSignal.timeout(300) });
        seen.push(
          await answer.then(
            (response) => response.status,
            () => 'broken',
          ),
        );
      }
      const { body } = await control(url, 'requests');
      return (body as { fault?: { type: string } }[]).map(({ fault }) => fault?.type);
    };
    const first = await statuses();
    expect(first.filter(Boolean).length).toBeGreaterThan(1);
    expect(await statuses()).toEqual(first);
  });

  it('plays an evening by itself', async () => {
    const { ran, url, clock } = await served('--script evening');
    await clock.advance('100m');
    expect(ran.out).toContain('the evening is over');
    const { body } = await control(url, 'events');
    expect(body.emitted.length).toBe(48 + 43 + 42 + 2 + 42);
  });

  it('speeds its clock with --scale', async () => {
    const { url } = await served('--scale 100000');
    await control(url, 'orders', 'POST');
    await control(url, 'orders', 'POST');
    const { body } = await control(url, 'events');
    const [one, other] = body.emitted.map(({ createdAt }: { createdAt: string }) => Date.parse(createdAt));
    expect(other - one).toBeGreaterThan(50);
  });

  it.each([
    ['a merchant document', { id: 'x', basicInfo: { name: 'Mine' } }],
    [
      'stores',
      { stores: [{ clientId: '1001', clientSecret: 's', apiKey: 'mock-api-key', merchant: { id: 'x' } }] },
    ],
    [
      'stores whose menus are files',
      { stores: [{ clientId: '7', clientSecret: 's', apiKey: 'mock-api-key', merchant: 'menu.json' }] },
    ],
  ])('loads %s', async (_, content) => {
    const directory = mkdtempSync(join(tmpdir(), 'mock-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'store.json');
    writeFileSync(file, JSON.stringify(content));
    writeFileSync(join(directory, 'menu.json'), JSON.stringify({ id: 'x' }));
    const { url } = await served(`--store ${file}`);
    const response = await fetch(`${url}/opendelivery/v1/merchant`, {
      headers: { 'x-api-key': 'mock-api-key' },
    });
    expect(((await response.json()) as { id: string }).id).toBe('x');
  });

  it('says in a sentence that its port is in use, and what to do', async () => {
    const { url } = await served();
    const { port } = new URL(url);
    const ran = opendelivery(`mock --port ${port}`);
    expect(await ran.code).toBe(2);
    expect(ran.err).toBe(
      `error: --port: port ${port} is already in use; stop the program that uses it, or choose another one with --port (0 takes a free one)\n`,
    );
    expect(ran.out).toBe('');
    expect(process.listenerCount('SIGTERM')).toBe(1);
  });

  it('ends when nobody reads its first lines, and leaves its port free', async () => {
    const ran = opendelivery('mock --port 0', { failAfter: 3 });
    expect(await ran.code).toBe(0);
    const url = /HUB_BASE_URL=(\S+)/.exec(ran.out)?.[1] ?? '';
    await expect(fetch(url)).rejects.toThrow();
  });

  it('refuses a store without credentials', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'mock-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'store.json');
    writeFileSync(file, JSON.stringify({ stores: [{ clientId: '1' }] }));
    const ran = opendelivery(`mock --port 0 --store ${file}`);
    expect(await ran.code).toBe(2);
    expect(ran.err).toContain('stores[0].clientSecret');
  });
});

describe('the control API', () => {
  it('tells what it can do', async () => {
    const { url } = await served();
    const { status, body } = await control(url, '');
    expect(status).toBe(200);
    const routes = body.routes as { method: string; path: string; does: string }[];
    expect(routes.length).toBeGreaterThan(12);
    for (const { does } of routes) expect(does).not.toBe('');
  });

  it('makes orders and events, and says what has become of them', async () => {
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

  it('sets faults and ends them', async () => {
    const { url } = await served();
    const menu = () => fetch(`${url}/opendelivery/v1/merchant`, { headers: { 'x-api-key': 'mock-api-key' } });
    await control(url, 'faults', 'POST', { endpoint: 'merchant', fault: 503, times: 2 });
    expect((await menu()).status).toBe(503);
    await control(url, 'faults', 'DELETE');
    expect((await menu()).status).toBe(200);
    await control(url, 'faults', 'PUT', { seed: 1, rate: 1, types: ['status'] });
    expect((await menu()).status).not.toBe(200);
  });

  it('revokes tokens, adds stores, reads journal and violations, and starts over', async () => {
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
    ['POST', 'orders', '{', 400, 'no JSON'],
    ['POST', 'orders', '[]', 400, 'a JSON object'],
    ['POST', 'orders', '{"clientId":"9"}', 400, "no store with clientId '9'"],
    ['POST', 'events', '{}', 400, 'eventType is missing'],
    ['POST', 'faults', '{"endpoint":"pol","fault":500}', 400, "'pol' is no endpoint"],
    ['POST', 'stores', '{"clientId":"2"}', 400, 'clientSecret'],
    ['POST', 'redeliveries', '{"eventId":"x"}', 400, "never emitted an event 'x'"],
    ['DELETE', 'orders', '', 404, 'GET /_mock/ lists what there is'],
  ])('answers %s %s %s with %i and says why', async (method, path, body, status, reason) => {
    const { url } = await served();
    const response = await fetch(`${url}/_mock/${path}`, { method, ...(body && { body }) });
    expect(response.status).toBe(status);
    expect(((await response.json()) as { title: string }).title).toContain(reason);
  });

  it('is there over HTTP only where it is asked for', async () => {
    const { createMockHub } = await import('opendelivery-client/testing');
    const mock = createMockHub();
    const { url, close } = await mock.listen();
    onTestFinished(close);
    expect((await fetch(`${url}/_mock/`)).status).toBe(404);
    expect((await mock.fetch(`${mock.baseUrl}/_mock/`)).status).toBe(404);
  });
});
