import { createMockHub, ManualClock, type Violation } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../support.js';
import { get, send, servedConsole } from './console/support.js';

/** Clients of two stores that share one mock hub, and requests to the control API. */
async function twoStores() {
  const { url, mock, clock } = await servedConsole();
  mock.addStore({ clientId: 'two/2.b', clientSecret: 'secret', apiKey: 'key' });
  const [one, two] = mock.stores.map((store) => {
    const path = `stores/${encodeURIComponent(store.clientId)}`;
    return {
      ...store,
      hub: clientOf(mock, { baseUrl: url, ...store, clock, retry: { attempts: 1 } }).hub,
      ask: (method: string, below: string, body?: unknown) => send(url, method, `${path}/${below}`, body),
    };
  });
  if (!one || !two) throw new Error('there are two stores');
  return { mock, clock, url, one, two };
}

describe('the control paths of one store', () => {
  it('create its orders and events, and list its events only', async () => {
    const { mock, one, two } = await twoStores();
    const created = await two.ask('POST', 'orders', { type: 'TAKEOUT', displayId: 'A7' });
    expect([created.status, created.body.order.displayId]).toEqual([201, 'A7']);
    const { orderId } = created.body;
    const cancelled = await two.ask('POST', 'events', { eventType: 'CANCELLED', orderId });
    expect([cancelled.status, cancelled.body.orderId]).toEqual([201, orderId]);
    const { event } = created.body;
    expect((await two.ask('GET', 'events')).body.pending).toEqual([event, cancelled.body]);
    expect(mock.pending(two.clientId)).toMatchObject([{ orderId }, { orderId }]);
    expect((await one.ask('GET', 'events')).body).toEqual({ emitted: [], pending: [], acknowledged: [] });
  });

  it('show its requests and violations only, those without an endpoint included', async () => {
    const { url, one, two } = await twoStores();
    await one.hub.auth.getToken();
    const { value } = await two.hub.auth.getToken();
    const headers = { authorization: `Bearer ${value}` };
    await fetch(`${url}/opendelivery/v1/events:polling?eventType=CREATED`, { headers });
    await fetch(`${url}/opendelivery/v1/menus`, { headers });
    await fetch(`${url}/opendelivery/v1/menu`, { headers: { 'x-api-key': two.apiKey } });
    await fetch(`${url}/opendelivery/v1/nobody`);
    const rules = async (store: typeof one) =>
      (await store.ask('GET', 'violations')).body.map(({ rule }: { rule: string }) => rule);
    const paths = async (store: typeof one) =>
      (await store.ask('GET', 'requests')).body.map(({ path }: { path: string }) => path.split('/').at(-1));
    expect(await rules(two)).toEqual(['event-filter', 'unknown-path', 'unknown-path']);
    expect(await paths(two)).toEqual(['token', 'events:polling?eventType=CREATED', 'menus', 'menu']);
    expect([await rules(one), await paths(one)]).toEqual([[], ['token']]);
    expect((await get(url, 'violations')).body).toHaveLength(4);
    expect((await get(url, 'requests?clientId=1001')).body).toHaveLength(1);
    expect((await get(url, 'requests?clientId=9')).body.title).toContain("no store with clientId '9'");
  });

  it('make its requests fail, and no request of another store', async () => {
    const { mock, one, two } = await twoStores();
    const fault = { endpoint: 'merchant', fault: 503, times: 2 };
    expect((await two.ask('POST', 'faults', fault)).status).toBe(200);
    expect((await one.ask('PUT', 'faults', { seed: 1, rate: 1, types: ['malformed'] })).status).toBe(200);
    await expect(two.hub.merchant.get()).rejects.toMatchObject({ code: 'server', status: 503 });
    await expect(one.hub.merchant.get()).rejects.toMatchObject({ code: 'invalid_response' });
    expect((await one.ask('DELETE', 'faults')).status).toBe(200);
    expect((await one.hub.merchant.get()).merchant.status).toBe('AVAILABLE');
    await expect(two.hub.merchant.get()).rejects.toMatchObject({ status: 503 });
    expect((await two.hub.merchant.get()).merchant.status).toBe('AVAILABLE');
    expect(mock.requests.filter(({ fault: met }) => met)).toHaveLength(3);
  });

  it('come before the faults of all stores, which DELETE /_mock/faults removes with them', async () => {
    const { url, one, two } = await twoStores();
    await send(url, 'POST', 'faults', { endpoint: 'merchant', fault: 500 });
    await two.ask('POST', 'faults', { endpoint: 'merchant', fault: 502 });
    await two.ask('POST', 'faults', { endpoint: 'merchant', fault: 504 });
    await expect(two.hub.merchant.get()).rejects.toMatchObject({ status: 502 });
    await expect(one.hub.merchant.get()).rejects.toMatchObject({ status: 500 });
    await send(url, 'DELETE', 'faults');
    expect((await two.hub.merchant.get()).merchant.status).toBe('AVAILABLE');
  });

  it('reset it, and leave everything of another store as it is', async () => {
    const { mock, clock, url, one, two } = await twoStores();
    for (const { hub, ask, clientId, apiKey } of [one, two]) {
      await ask('POST', 'orders');
      mock.publishMerchant({ status: 'UNAVAILABLE' }, { clientId });
      const { events } = await hub.events.poll();
      await hub.events.acknowledge(events);
      await ask('POST', 'orders');
      await ask('POST', 'faults', { endpoint: 'order', fault: 503 });
      await fetch(`${url}/opendelivery/v1/menus`, { headers: { 'x-api-key': apiKey } });
    }
    await clock.advance('11m'); // every order is unanswered
    const all = async ({ ask, clientId }: typeof one) => ({
      events: (await ask('GET', 'events')).body,
      requests: (await ask('GET', 'requests')).body,
      violations: (await ask('GET', 'violations')).body,
      merchant: mock.merchant(clientId),
    });
    const before = await all(one);
    expect([before.requests.length, before.violations.length]).toEqual([4, 3]);
    expect(await two.ask('POST', 'reset')).toEqual({ status: 200, body: { done: true } });
    expect(await all(one)).toEqual(before);
    expect(await all(two)).toMatchObject({
      events: { emitted: [], pending: [], acknowledged: [] },
      requests: [],
      violations: [],
      merchant: { status: 'AVAILABLE' },
    });
    const read = ({ hub }: typeof one) => hub.orders.get('none');
    await expect(read(one)).rejects.toMatchObject({ status: 503 });
    // The hub has forgotten its token; the client renews it.
    await expect(read(two)).rejects.toMatchObject({ status: 404 });
    const refused = mock.requests.filter(({ status }) => status === 401);
    expect(refused.map(({ clientId }) => clientId)).toEqual([two.clientId]);
    await send(url, 'POST', 'reset');
    expect(mock.violations()).toEqual([]);
  });

  it('end the pushes of a store with its reset, and no other ones', async () => {
    const { mock, one, two } = await twoStores();
    const pushed: string[] = [];
    for (const { clientId } of [one, two]) {
      mock.push(async () => new Response(null, { status: pushed.push(clientId) && 202 }), { clientId });
    }
    await two.ask('POST', 'reset');
    await two.ask('POST', 'orders');
    await one.ask('POST', 'orders');
    await expect.poll(() => mock.pending(one.clientId)).toEqual([]);
    expect([pushed, mock.pending(two.clientId).length]).toEqual([[one.clientId], 1]);
  });

  it('give a store its whole quota again with a reset', async () => {
    const { url, one, two } = await twoStores();
    const menu = async ({ apiKey }: typeof one) =>
      (await fetch(`${url}/opendelivery/v1/merchant`, { headers: { 'x-api-key': apiKey } })).status;
    const used = async (store: typeof one) => {
      for (let count = 1; ; count += 1) if ((await menu(store)) === 429) return count;
    };
    const limit = await used(one);
    expect(await used(two)).toBe(limit);
    await two.ask('POST', 'reset');
    expect([await menu(one), await menu(two)]).toEqual([429, 200]);
  });

  it.each(['nobody', '%zz', '1001%2F', '__proto__'])(
    'answer with 404 for an unknown store: %s',
    async (clientId) => {
      const { mock, url } = await twoStores();
      for (const [method, below] of [['POST', 'orders'] as const, ['GET', 'nothing'] as const]) {
        const { status, body } = await send(url, method, `stores/${clientId}/${below}`);
        expect([status, body.status]).toEqual([404, 404]);
        expect(body.title).toMatch(/no store with clientId '.*'; GET \/_mock\/stores lists them$/);
      }
      expect(mock.emitted()).toEqual([]);
    },
  );

  it('answer what is not a path of one store with 404', async () => {
    const { one } = await twoStores();
    for (const [method, below] of [
      ['POST', 'clock'],
      ['GET', 'stores'],
      ['GET', ''],
      ['DELETE', 'orders'],
    ] as const) {
      const { status, body } = await one.ask(method, below);
      expect([status, body.title]).toEqual([404, expect.stringContaining('the control API has no')]);
    }
  });

  it('take the keys of createOrder and of the standard, and refuse others with 400 and their names', async () => {
    const { mock, one, two } = await twoStores();
    const { clientId } = two;
    const keys = { clientId, orderId: 'mine', type: 'INDOOR', include: ['fees'], extraInfo: 'no onions' };
    const { status, body } = await two.ask('POST', 'orders', keys);
    expect([status, body.orderId, body.order.extraInfo]).toEqual([201, 'mine', 'no onions']);
    for (const [wrong, title] of [
      [{ orderTypes: 'TAKEOUT' }, expect.stringMatching(/^orderTypes: is not a known key/)],
      [{ clientId: one.clientId }, "clientId: must be 'two/2.b' as in the path, or absent"],
    ]) {
      const refused = await two.ask('POST', 'orders', wrong);
      expect([refused.status, refused.body.title]).toEqual([400, title]);
    }
    expect([mock.emitted(one.clientId).length, mock.emitted(two.clientId).length]).toEqual([0, 1]);
  });

  it('let tests run at the same time: what each store sees is what it sees alone', async () => {
    type Stores = Awaited<ReturnType<typeof twoStores>>;
    const evening = async (store: Stores['one'], url: string, fails: boolean) => {
      for (let round = 0; round < 5; round += 1) {
        if (fails) {
          await store.ask('POST', 'reset');
          await store.ask('POST', 'faults', { endpoint: 'merchant', fault: 503, times: 3 });
        }
        await store.ask('POST', 'orders');
        await fetch(`${url}/opendelivery/v1/merchant`, { headers: { 'x-api-key': store.apiKey } });
      }
      const { emitted } = (await store.ask('GET', 'events')).body;
      const { body } = await store.ask('GET', 'requests');
      return [emitted.length, body.map(({ status }: { status: number }) => status)];
    };
    const alone = await twoStores();
    const expected = await evening(alone.one, alone.url, false);
    const { one, two, url } = await twoStores();
    const [beside, resetting] = await Promise.all([evening(one, url, false), evening(two, url, true)]);
    expect(beside).toEqual(expected);
    expect(resetting).toEqual([1, [503]]);
  });
});

describe('reset', () => {
  it('can be a hook of a test runner, which may pass a context or wait for a callback', () => {
    const mock = createMockHub();
    mock.createOrder();
    expect(mock.reset).toHaveLength(0);
    const hook: (context: object) => void = mock.reset;
    hook({ task: {} });
    expect(mock.emitted()).toEqual([]);
  });

  it('tells onReset which violations it removes', async () => {
    const removed: string[][] = [];
    const clock = new ManualClock();
    const onReset = (violations: readonly Violation[]) =>
      void removed.push(violations.map(({ rule }) => rule));
    const mock = createMockHub({ clock, onReset });
    mock.addStore({ clientId: '2', clientSecret: 'secret', apiKey: 'key' });
    mock.createOrder({ clientId: '2' });
    await clock.advance('10m');
    await mock.fetch(`${mock.baseUrl}/nothing`);
    mock.reset({ clientId: '2' });
    mock.reset();
    expect(removed).toEqual([['unanswered-order'], ['unknown-path']]);
  });
});
