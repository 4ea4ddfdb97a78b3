import { setImmediate as turn } from 'node:timers/promises';
import { setupServer } from 'msw/node';
import { createMockHub, ManualClock, type MockHub, type MockHubOptions } from 'opendelivery-client/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { itemOf, plain, problemOf } from '../fixtures/plain.js';

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The three ways into a mock hub, for plain requests. */
const WAYS: Readonly<Record<string, (mock: MockHub) => Promise<ReturnType<typeof plain>>>> = {
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

async function made(way: string, options: MockHubOptions = {}) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, ...options });
  const api = await WAYS[way]?.(mock);
  if (!api) throw new Error(`no way ${way}`);
  return { clock, mock, api, token: await plain(mock).token() };
}

/** Until the mock hub has so many requests before it. */
async function arrived(mock: MockHub, count: number): Promise<void> {
  while (mock.requests.length < count) await turn();
}

function watched(promise: Promise<unknown>): { done: boolean } {
  const seen = { done: false };
  const note = () => {
    seen.done = true;
  };
  promise.then(note, note);
  return seen;
}

describe.each(Object.keys(WAYS))('the next request through %s meets', (way) => {
  it('a status with headers and a body, once, and nothing is processed', async () => {
    const { mock, api, token } = await made(way);
    const item = itemOf(mock.emit('CREATED'));
    mock.faults.next('acknowledgment', {
      type: 'status',
      status: 503,
      headers: { 'x-why': 'deploy' },
      body: { a: 1 },
    });
    const answer = await api.acknowledge(token, [item]);
    expect([answer.status, answer.headers.get('x-why'), await answer.json()]).toEqual([
      503,
      'deploy',
      { a: 1 },
    ]);
    expect(mock.acknowledged()).toEqual([]);
    expect((await api.acknowledge(token, [item])).status).toBe(202);
  });

  it('a status by its number, as often as asked for, and pages that are no JSON', async () => {
    const { mock, api } = await made(way);
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

  it('a connection that breaks before anything is processed', async () => {
    const { mock, api, token } = await made(way);
    const item = itemOf(mock.emit('CREATED'));
    mock.faults.next('acknowledgment', 'reset');
    await expect(api.acknowledge(token, [item])).rejects.toThrow(TypeError);
    expect(mock.acknowledged()).toEqual([]);
    expect(mock.requests.at(-1)).toMatchObject({ endpoint: 'acknowledgment', fault: { type: 'reset' } });
    expect(mock.requests.at(-1)?.status).toBeUndefined();
  });

  it('a connection that breaks after it is processed', async () => {
    const { mock, api, token } = await made(way);
    const item = itemOf(mock.emit('CREATED'));
    mock.faults.next('acknowledgment', 'lost');
    await expect(api.acknowledge(token, [item])).rejects.toThrow(TypeError);
    expect(mock.acknowledged()).toHaveLength(1);
    expect(mock.requests.at(-1)?.acknowledged).toEqual([item.id]);
  });

  it('no answer at all, until the client gives up', async () => {
    const { clock, mock, api, token } = await made(way);
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

  it('a body that ends in its middle with the connection', async () => {
    const { mock, api } = await made(way);
    mock.faults.next('merchant', 'truncate');
    const answer = await api.merchant();
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow(TypeError);
  });

  it('a body that ends in its middle as if it were whole', async () => {
    const { mock, api } = await made(way);
    const whole = await (await api.merchant()).text();
    mock.faults.next('merchant', 'malformed');
    const bytes = new Uint8Array(await (await api.merchant()).arrayBuffer());
    expect(bytes.length).toBe(Math.floor(new TextEncoder().encode(whole).length / 2));
    expect(() => JSON.parse(new TextDecoder().decode(bytes))).toThrow(SyntaxError);
  });

  it('a body that comes a byte a second, its headers at once', { timeout: 3000 }, async () => {
    const { clock, mock, api, token } = await made(way, { emptyPoll: '[]' });
    mock.faults.next('polling', 'dribble');
    const answer = await api.poll(token);
    const text = answer.text();
    const seen = watched(text);
    await clock.advance(1999);
    expect(seen.done).toBe(false);
    await clock.advance('10s');
    expect(await text).toBe('[]');
  });

  it('an answer that takes its time', async () => {
    const { clock, mock, api } = await made(way);
    mock.faults.next('merchant', { type: 'latency', ms: 9000 });
    const answer = api.merchant();
    const seen = watched(answer);
    await arrived(mock, 2);
    await clock.advance(8999);
    expect(seen.done).toBe(false);
    await clock.advance(1);
    expect((await answer).status).toBe(200);
  });

  it('events twice, and events in another order', async () => {
    const { mock, api, token } = await made(way);
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

it('a wrong path meets the 404 of the mock hub on every way, and never the network', async () => {
  for (const way of Object.keys(WAYS)) {
    const { mock, api } = await made(way);
    expect(await problemOf(await api.get('/v1/merchants'))).toEqual({ status: 404, title: 'not found' });
    expect(mock.violations()).toMatchObject([{ rule: 'unknown-path' }]);
    for (const cleanup of cleanups.splice(0)) await cleanup();
  }
});
