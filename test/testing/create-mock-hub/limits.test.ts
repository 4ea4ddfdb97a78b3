import type { EndpointName } from 'opendelivery-client';
import type { MockHubOptions } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { problemOf } from '../../fixtures/plain.js';
import { made } from './support.js';

const OTHER = { clientId: '2002', clientSecret: 'other-secret', apiKey: 'other-key' };

async function twoStores(options: MockHubOptions = {}) {
  const { clock, mock, api } = made(options);
  mock.addStore(OTHER);
  const tokens = { own: await api.token(), other: await api.token(OTHER) };
  const calls: Record<EndpointName, (store?: 'own' | 'other') => Promise<Response>> = {
    token: (store) => api.grant(store === 'other' ? OTHER : mock.credentials),
    merchant: (store) => api.merchant(store === 'other' ? OTHER.apiKey : mock.credentials.apiKey),
    polling: (store = 'own') => api.poll(tokens[store]),
    acknowledgment: (store = 'own') => api.acknowledge(tokens[store], []),
    order: (store = 'own') => api.order(tokens[store], 'o'),
    orderStatus: (store = 'own') => api.command(tokens[store], 'o', 'confirm'),
  };
  // The two token requests count against the limit of their hour, so that hour must pass first.
  await clock.advance('2h');
  return { clock, mock, api, calls };
}

const limitHeadersOf = ({ headers }: Response) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));

/** The limits of Spec §8, copied here because the source's own table is under test. */
const LIMITS: ReadonlyArray<[EndpointName, limit: number, windowS: number]> = [
  ['token', 10, 3600],
  ['merchant', 10, 60],
  ['polling', 2, 60],
  ['acknowledgment', 100, 60],
  ['order', 100, 60],
  ['orderStatus', 100, 60],
];

describe('limits', () => {
  it.each(LIMITS)(
    '%s: %d requests succeed, their headers count down, and the next request gets 429',
    async (name, limit, windowS) => {
      const { mock, calls } = await twoStores();
      for (let count = 1; count <= limit; count += 1) {
        const response = await calls[name]();
        expect(response.status).not.toBe(429);
        expect(limitHeadersOf(response)).toEqual([String(limit), String(limit - count), String(windowS)]);
      }
      expect(mock.violations()).toEqual([]);
      const refused = await calls[name]();
      expect(refused.headers.get('retry-after')).toBe(String(windowS));
      expect(limitHeadersOf(refused)).toEqual([String(limit), '0', String(windowS)]);
      expect(await problemOf(refused)).toEqual({ status: 429, title: 'rate limit exceeded' });
      expect(mock.violations()).toMatchObject([{ rule: 'limit', endpoint: name }]);
    },
  );

  it.each(LIMITS)('%s: each store and each endpoint has its own quota', async (name, limit) => {
    const { calls } = await twoStores();
    for (let count = 0; count < limit; count += 1) await calls[name]();
    expect((await calls[name]('other')).status).not.toBe(429);
    for (const [other, call] of Object.entries(calls)) {
      if (other !== name) expect((await call()).status, other).not.toBe(429);
    }
    expect((await calls[name]()).status).toBe(429);
  });

  it('slide: a slot becomes free one window after its request, and refused requests take no slot', async () => {
    const { clock, calls } = await twoStores();
    await calls.polling();
    await clock.advance('20s');
    await calls.polling();
    await clock.advance(39_999);
    const refused = await calls.polling();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    await clock.advance(1);
    expect((await calls.polling()).status).toBe(204);
    expect((await calls.polling()).headers.get('retry-after')).toBe('20');
    await clock.advance('20s');
    expect((await calls.polling()).status).toBe(204);
  });

  it('with fixed windows: all slots become free when the window ends', async () => {
    const { clock, calls } = await twoStores({ windows: 'fixed' });
    await clock.advance('50s');
    await calls.polling();
    const second = await calls.polling();
    expect(limitHeadersOf(second)).toEqual(['2', '0', '10']);
    expect((await calls.polling()).headers.get('retry-after')).toBe('10');
    await clock.advance('10s');
    expect((await calls.polling()).status).toBe(204);
    expect((await calls.polling()).status).toBe(204);
    expect((await calls.polling()).headers.get('retry-after')).toBe('60');
  });

  it('send Retry-After as an HTTP date that is never too early if retryAfter is date', async () => {
    const { clock, calls } = await twoStores({ retryAfter: 'date' });
    await calls.polling();
    await clock.advance(500);
    await calls.polling();
    const text = (await calls.polling()).headers.get('retry-after') ?? '';
    expect(text).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
    await clock.advance(Date.parse(text) - clock.now());
    expect((await calls.polling()).status).toBe(204);
  });

  it('apply without X-RateLimit headers if limitHeaders is off; Retry-After remains', async () => {
    const { calls } = await twoStores({ limitHeaders: false });
    for (let count = 0; count < 2; count += 1) {
      expect(limitHeadersOf(await calls.polling())).toEqual([null, null, null]);
    }
    const refused = await calls.polling();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(limitHeadersOf(refused)).toEqual([null, null, null]);
  });

  it('count requests with a wrong secret, so that nobody can guess it', async () => {
    const { api } = await twoStores();
    const guess = { client_id: '1001', client_secret: 'wrong', grant_type: 'client_credentials' };
    for (let count = 0; count < 10; count += 1) expect((await api.form(guess)).status).toBe(401);
    expect((await api.grant()).status).toBe(429);
    expect((await api.grant(OTHER)).status).toBe(200);
  });

  it('report a request before the Retry-After of a 429 has passed, and not one after it', async () => {
    const { clock, mock, calls } = await twoStores();
    mock.faults.next('order', { type: 'status', status: 429, headers: { 'Retry-After': '7' } });
    expect((await calls.order()).status).toBe(429);
    await clock.advance(6999);
    await calls.order();
    expect(mock.violations()).toMatchObject([{ rule: 'retry-after', endpoint: 'order' }]);
    await clock.advance(1);
    await calls.order();
    await calls.acknowledgment();
    expect(mock.violations()).toHaveLength(1);
  });
});

describe('stores', () => {
  it('do not share tokens, events, orders or merchant documents', async () => {
    const { mock, api } = await twoStores();
    const token = await api.token();
    const other = await api.token(OTHER);
    const { orderId, event } = mock.createOrder({ clientId: '2002' });
    expect(await (await api.poll(other)).json()).toEqual([event]);
    expect((await api.poll(token)).status).toBe(204);
    expect((await api.order(token, orderId)).status).toBe(404);
    expect((await api.command(token, orderId, 'confirm')).status).toBe(404);
    const item = { id: event.eventId, orderId, eventType: 'CREATED' };
    expect((await api.acknowledge(token, [item])).status).toBe(400);
    expect([mock.pending(), mock.pending('2002')]).toEqual([[], [event]]);
    mock.publishMerchant({ status: 'UNAVAILABLE' }, { clientId: '2002' });
    const statusOf = async (key: string) =>
      ((await (await api.merchant(key)).json()) as { status: string }).status;
    expect(await statusOf(OTHER.apiKey)).toBe('UNAVAILABLE');
    expect(await statusOf(mock.credentials.apiKey)).toBe('AVAILABLE');
  });

  it('that do not exist throw an error with their clientId', async () => {
    const { mock } = await twoStores();
    const clientId = '3003';
    const calls = [
      () => mock.createOrder({ clientId }),
      () => mock.emit('CREATED', { clientId }),
      () => mock.pending(clientId),
      () => mock.acknowledged(clientId),
      () => mock.emitted(clientId),
      () => mock.publishMerchant({}, { clientId }),
      () => mock.faults.ofStore(clientId),
      () => mock.reset({ clientId }),
      () => mock.violations(clientId),
    ];
    for (const call of calls) expect(call).toThrow(/no store with clientId '3003'; add it with addStore\(\)/);
  });

  it('can be replaced: a key of the old store then belongs to the next store that has it', async () => {
    const { mock, api } = await twoStores();
    mock.addStore({ clientId: '3', clientSecret: 's', apiKey: 'shared', merchant: { id: 'third' } });
    mock.addStore({ clientId: '4', clientSecret: 's', apiKey: 'shared', merchant: { id: 'fourth' } });
    expect(await (await api.merchant('shared')).json()).toEqual({ id: 'third' });
    mock.addStore({ clientId: '3', clientSecret: 's', apiKey: 'new', merchant: { id: 'third' } });
    expect(await (await api.merchant('shared')).json()).toEqual({ id: 'fourth' });
    expect(await (await api.merchant('new')).json()).toEqual({ id: 'third' });
  });
});
