import { setImmediate as turn } from 'node:timers/promises';
import { setupServer } from 'msw/node';
import { createMockHub, ManualClock, type MockHub, type MockHubOptions } from 'opendelivery-client/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { itemOf, plain, problemOf } from '../../fixtures/plain.js';
import { watched } from '../../support.js';

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The three transports to a mock hub, for requests without the client. */
const TRANSPORTS: Readonly<Record<string, (mock: MockHub) => Promise<ReturnType<typeof plain>>>> = {
  fetch: async (mock) => plain(mock),
  listen: async (mock) => {
    const server = await mock.listen();
    cleanups.push(server.close);
    return plain(mock, globalThis.fetch, server.url);
  },
  MSW: async (mock) => {
    const server = setupServer(...mock.handlers);
    server.listen({ onUnhandledRequest: 'error' });
    cleanups.push(() => server.close());
    return plain(mock, globalThis.fetch);
  },
};

async function made(transport: string, options: MockHubOptions = {}) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, ...options });
  const api = await TRANSPORTS[transport]?.(mock);
  if (!api) throw new Error(`there is no transport ${transport}`);
  return { clock, mock, api, token: await plain(mock).token() };
}

/** Waits until the mock hub has received `count` requests. */
async function arrived(mock: MockHub, count: number): Promise<void> {
  while (mock.requests.length < count) await turn();
}

describe.each(Object.keys(TRANSPORTS))('the next request through %s gets', (transport) => {
  it('a status with headers and a body, once, and the hub processes nothing', async () => {
    const { mock, api, token } = await made(transport);
    const item = itemOf(mock.emit('CREATED'));
    mock.faults.next('acknowledgment', {
      type: 'status',
      status: 503,
      headers: { 'x-why': 'deploy' },
      body: { a: 1 },
    });
    const response = await api.acknowledge(token, [item]);
    expect([response.status, response.headers.get('x-why'), await response.json()]).toEqual([
      503,
      'deploy',
      { a: 1 },
    ]);
    expect(mock.acknowledged()).toEqual([]);
    expect((await api.acknowledge(token, [item])).status).toBe(202);
  });

  it('a status by its number, several times, or an HTML page', async () => {
    const { mock, api } = await made(transport);
    mock.faults.next('merchant', 500, 2);
    mock.faults.next('merchant', { type: 'status', status: 502, body: '<html>Bad Gateway</html>' });
    expect([(await api.merchant()).status, (await api.merchant()).status]).toEqual([500, 500]);
    const page = await api.merchant();
    expect([page.headers.get('content-type'), await page.text()]).toEqual([
      'text/html',
      '<html>Bad Gateway</html>',
    ]);
    expect((await api.merchant()).status).toBe(200);
  });

  it('a broken connection before the hub processes it (reset)', async () => {
    const { mock, api, token } = await made(transport);
    const item = itemOf(mock.emit('CREATED'));
    mock.faults.next('acknowledgment', 'reset');
    await expect(api.acknowledge(token, [item])).rejects.toThrow(TypeError);
    expect(mock.acknowledged()).toEqual([]);
    expect(mock.requests.at(-1)).toMatchObject({ endpoint: 'acknowledgment', fault: { type: 'reset' } });
    expect(mock.requests.at(-1)?.status).toBeUndefined();
  });

  it('a broken connection after the hub has processed it (lost)', async () => {
    const { mock, api, token } = await made(transport);
    const item = itemOf(mock.emit('CREATED'));
    mock.faults.next('acknowledgment', 'lost');
    await expect(api.acknowledge(token, [item])).rejects.toThrow(TypeError);
    expect(mock.acknowledged()).toHaveLength(1);
    expect(mock.requests.at(-1)?.acknowledged).toEqual([item.id]);
  });

  it('no response until the client aborts (hang)', async () => {
    const { clock, mock, api, token } = await made(transport);
    const controller = new AbortController();
    mock.faults.next('polling', 'hang');
    const poll = api.poll(token, { signal: controller.signal });
    const seen = watched(poll);
    await arrived(mock, 2);
    await clock.advance('1d');
    expect(seen.done).toBe(false);
    controller.abort(new Error('enough'));
    await expect(poll).rejects.toThrow('enough');
    while (clock.sleepers > 0) await turn();
    expect((await api.poll(await plain(mock).token())).status).toBe(204);
  });

  it('half of the body and a broken connection (truncate)', async () => {
    const { mock, api } = await made(transport);
    mock.faults.next('merchant', 'truncate');
    const response = await api.merchant();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow(TypeError);
  });

  it('half of the body as if it were complete (malformed)', async () => {
    const { mock, api } = await made(transport);
    const whole = await (await api.merchant()).text();
    mock.faults.next('merchant', 'malformed');
    const bytes = new Uint8Array(await (await api.merchant()).arrayBuffer());
    expect(bytes.length).toBe(Math.floor(new TextEncoder().encode(whole).length / 2));
    expect(() => JSON.parse(new TextDecoder().decode(bytes))).toThrow(SyntaxError);
  });

  it('its headers at once and its body at one byte per second (dribble)', { timeout: 3000 }, async () => {
    const { clock, mock, api, token } = await made(transport, { emptyPoll: '[]' });
    mock.faults.next('polling', 'dribble');
    const response = await api.poll(token);
    const text = response.text();
    const seen = watched(text);
    await clock.advance(1999);
    expect(seen.done).toBe(false);
    await clock.advance('10s');
    expect(await text).toBe('[]');
  });

  it('a delayed response (latency)', async () => {
    const { clock, mock, api } = await made(transport);
    mock.faults.next('merchant', { type: 'latency', ms: 9000 });
    const response = api.merchant();
    const seen = watched(response);
    await arrived(mock, 2);
    await clock.advance(8999);
    expect(seen.done).toBe(false);
    await clock.advance(1);
    expect((await response).status).toBe(200);
  });

  it('events twice (duplicate), or in another order (reorder)', async () => {
    const { mock, api, token } = await made(transport);
    const ids = Array.from({ length: 10 }, () => mock.emit('CREATED').eventId);
    const poll = async () =>
      ((await (await api.poll(token)).json()) as { eventId: string }[]).map(({ eventId }) => eventId);
    mock.faults.next('polling', 'duplicate');
    expect(await poll()).toEqual([...ids, ...ids]);
    mock.faults.next('polling', 'reorder');
    const reordered = await poll();
    expect(reordered).not.toEqual(ids);
    expect(reordered.sort()).toEqual([...ids].sort());
  });
});

it('a wrong path gets the 404 of the mock hub through every transport, and never reaches the network', async () => {
  for (const transport of Object.keys(TRANSPORTS)) {
    const { mock, api } = await made(transport);
    expect(await problemOf(await api.get('/v1/merchants'))).toEqual({ status: 404, title: 'not found' });
    expect(mock.violations()).toMatchObject([{ rule: 'unknown-path' }]);
    for (const cleanup of cleanups.splice(0)) await cleanup();
  }
});
