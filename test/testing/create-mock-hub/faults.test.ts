import { setImmediate as turn } from 'node:timers/promises';
import type { MockHub, MockHubOptions } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { itemOf, plain, problemOf } from '../../fixtures/plain.js';
import { watched } from '../../support.js';
import { TRANSPORTS } from '../transports.js';
import { made } from './support.js';

async function connected(open: (typeof TRANSPORTS)[number][1], options: MockHubOptions = {}) {
  const { clock, mock, api: direct } = made(options);
  const { baseUrl, fetch = globalThis.fetch } = await open(mock);
  return { clock, mock, api: plain(mock, fetch, baseUrl), token: await direct.token() };
}

/** Waits until the mock hub has received `count` requests. */
async function arrived(mock: MockHub, count: number): Promise<void> {
  while (mock.requests.length < count) await turn();
}

describe.each(TRANSPORTS)('the next request through %s gets', (_name, transport) => {
  it('a status with headers and a body, once, and the hub processes nothing', async () => {
    const { mock, api, token } = await connected(transport);
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
    const { mock, api } = await connected(transport);
    mock.faults.next('merchant', 500, 2);
    mock.faults.next('merchant', { type: 'status', status: 502, body: '<html>Bad Gateway</html>' });
    expect([(await api.merchant()).status, (await api.merchant()).status]).toEqual([500, 500]);
    const page = await api.merchant();
    expect(page.headers.get('content-type')).toBe('text/html');
    expect(await page.text()).toBe('<html>Bad Gateway</html>');
    expect((await api.merchant()).status).toBe(200);
  });

  it('a broken connection before the hub processes it (reset)', async () => {
    const { mock, api, token } = await connected(transport);
    const item = itemOf(mock.emit('CREATED'));
    mock.faults.next('acknowledgment', 'reset');
    await expect(api.acknowledge(token, [item])).rejects.toThrow(TypeError);
    expect(mock.acknowledged()).toEqual([]);
    expect(mock.requests.at(-1)).toMatchObject({ endpoint: 'acknowledgment', fault: { type: 'reset' } });
    expect(mock.requests.at(-1)?.status).toBeUndefined();
  });

  it('a broken connection after the hub has processed it (lost)', async () => {
    const { mock, api, token } = await connected(transport);
    const item = itemOf(mock.emit('CREATED'));
    mock.faults.next('acknowledgment', 'lost');
    await expect(api.acknowledge(token, [item])).rejects.toThrow(TypeError);
    expect(mock.acknowledged()).toHaveLength(1);
    expect(mock.requests.at(-1)?.acknowledged).toEqual([item.id]);
  });

  it('no response until the client aborts (hang)', async () => {
    const { clock, mock, api, token } = await connected(transport);
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
    const { mock, api } = await connected(transport);
    mock.faults.next('merchant', 'truncate');
    const response = await api.merchant();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow(TypeError);
  });

  it('half of the body as if it were complete (malformed)', async () => {
    const { mock, api } = await connected(transport);
    const whole = await (await api.merchant()).text();
    mock.faults.next('merchant', 'malformed');
    const bytes = new Uint8Array(await (await api.merchant()).arrayBuffer());
    expect(bytes.length).toBe(Math.floor(new TextEncoder().encode(whole).length / 2));
    expect(() => JSON.parse(new TextDecoder().decode(bytes))).toThrow(SyntaxError);
  });

  it('its headers at once and its body at one byte per second (dribble)', { timeout: 3000 }, async () => {
    const { clock, mock, api, token } = await connected(transport, { emptyPoll: '[]' });
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
    const { clock, mock, api } = await connected(transport);
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
    const { mock, api, token } = await connected(transport);
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

it.each(TRANSPORTS)(
  'a wrong path gets the 404 of the mock hub, and never reaches the network: %s',
  async (_name, transport) => {
    const { mock, api } = await connected(transport);
    expect(await problemOf(await api.get('/v1/merchants'))).toEqual({ status: 404, title: 'not found' });
    expect(mock.violations()).toMatchObject([{ rule: 'unknown-path' }]);
  },
);
