import { describe, expect, it } from 'vitest';
import { itemOf, plain } from '../../fixtures/plain.js';
import { runs } from '../../runs.js';
import { clientOf } from '../../support.js';
import {
  type EventRow,
  get,
  type LimitRow,
  type OrderRow,
  opened,
  type RequestRow,
  send,
  servedConsole,
  storesOf,
  type ViolationRow,
} from './support.js';

describe('the page', () => {
  it.each([
    ['ui', 'text/html; charset=utf-8'],
    ['ui/', 'text/html; charset=utf-8'],
    ['ui/page.js', 'text/javascript; charset=utf-8'],
    ['ui/page.css', 'text/css; charset=utf-8'],
  ])('is served at /_mock/%s with a policy against foreign and inline code', async (path, type) => {
    const { url } = await servedConsole();
    const response = await fetch(`${url}/_mock/${path}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each(['ui/nothing.js', 'ui/../stores', 'ui/__proto__', 'uix', 'ui/toString'])(
    'has no /_mock/%s',
    async (path) => {
      const { url } = await servedConsole();
      const response = await fetch(`${url}/_mock/${path.replace('..', '%2e%2e%2f')}`);
      expect(response.status).toBe(404);
    },
  );

  it.each(['ui', 'ui/page.js', 'ui/stream?section=orders', 'ui/request?number=1', 'ui/script'])(
    'shows nothing of /_mock/%s to a page of another origin',
    async (path) => {
      const { url } = await servedConsole();
      for (const headers of [
        { origin: 'https://evil.example' },
        { 'sec-fetch-site': 'cross-site' },
      ] as const) {
        expect((await fetch(`${url}/_mock/${path}`, { headers: { ...headers } })).status).toBe(403);
      }
    },
  );
});

describe('the stream', () => {
  it('sends everything first, and then only what has changed', async () => {
    const { url, mock } = await servedConsole();
    const first = mock.createOrder({ displayId: 'A1' });
    mock.createOrder({ displayId: 'A2' });
    const { reader, message, about, rows } = await opened<OrderRow>(url, 'orders');
    expect(message.time).toMatchObject({ kind: 'manual', speed: 0 });
    expect(message.summary?.stores).toEqual([
      { clientId: '1001', name: 'Forno da Vila', open: 2, waiting: 2, pending: 2 },
    ]);
    expect(rows.map(({ displayId }) => displayId)).toEqual(['A2', 'A1']);
    expect(about).toEqual({ total: 2, counts: { CREATED: 2 }, basePath: '/opendelivery' });
    const { customer, total } = first.order as {
      customer: { name: string };
      total: { orderAmount: { value: number } };
    };
    expect(rows[1]).toEqual({
      key: `1001/${first.orderId}`,
      rank: expect.any(Number),
      clientId: '1001',
      orderId: first.orderId,
      displayId: 'A1',
      type: 'DELIVERY',
      timing: 'INSTANT',
      customer: customer.name,
      total: total.orderAmount.value,
      currency: 'BRL',
      stage: 'CREATED',
      waitingSince: 0,
    });
    await send(url, 'POST', 'events', { eventType: 'CONFIRMED', orderId: first.orderId });
    const change = await reader.next();
    expect(change.set).toMatchObject([{ orderId: first.orderId, stage: 'CONFIRMED' }]);
    expect(change.set?.[0]).not.toHaveProperty('waitingSince');
    expect(change.gone).toBeUndefined();
  });

  it('stays small with 50 stores and 10,000 requests', { tags: 'slow' }, async () => {
    const count = runs(10_000);
    const stores = storesOf(...Array.from({ length: 50 }, (_, index) => `store-${index}`));
    const { url, mock } = await servedConsole({ stores });
    for (let at = 0; at < count; at += 1) await mock.fetch(`${mock.baseUrl}/nothing/${at}`);
    for (const { clientId } of stores)
      for (let order = 0; order < 4; order += 1) mock.createOrder({ clientId });
    for (const section of ['orders', 'requests', 'violations', 'events']) {
      const { reader, about } = await opened(url, section);
      expect(reader.rows.size).toBe(100);
      expect(about?.total).toBe(section === 'orders' || section === 'events' ? 200 : count);
      expect(reader.bytes).toBeLessThan(80_000);
      const before = reader.bytes;
      await send(url, 'POST', 'faults', { endpoint: 'polling', fault: 503 });
      await reader.next();
      // The summary of 50 stores, and no row.
      expect(reader.bytes - before).toBeLessThan(8000);
    }
  });

  it('shows the command for an order at the paths of a host, also without valid credentials', async () => {
    const profile = { basePath: '', paths: { orderStatus: '/{status}/of/{orderId}' } };
    const { url, mock } = await servedConsole({ profile });
    const { orderId } = mock.createOrder();
    await fetch(`${url}/confirm/of/${orderId}`, { method: 'POST' });
    const [order] = (await opened<OrderRow>(url, 'orders')).rows;
    expect(order?.command).toEqual({ name: 'confirm', status: 401, number: 1, monotonicAt: 0 });
  });

  it('shows delivery and acknowledgment of events, and commands of the application', async () => {
    const { url, mock, clock } = await servedConsole();
    const { orderId, event } = mock.createOrder({ displayId: 'A1' });
    mock.createOrder();
    const emittedAt = clock.now();
    const { hub } = clientOf(mock, { baseUrl: url, clock });
    await clock.advance('40s');
    const { events } = await hub.events.poll();
    await clock.advance('5s');
    await hub.events.acknowledge(events.slice(0, 1));
    await hub.orders.confirm(orderId);
    mock.refuseAcknowledgment(events[1]?.eventId as string);
    const { about, rows } = await opened<EventRow>(url, 'events');
    expect(about).toEqual({ total: 3, pending: 2, pushes: [] });
    const [, other, row] = rows;
    expect(row).toEqual({
      key: '1001/0',
      rank: 0,
      clientId: '1001',
      eventId: event.eventId,
      eventType: 'CREATED',
      orderId,
      displayId: 'A1',
      emittedAt,
      isPending: false,
      isRefused: false,
      delivered: { at: emittedAt + 40_000, times: 1 },
      acknowledgedAt: emittedAt + 45_000,
    });
    expect(other).toMatchObject({ isPending: true, isRefused: true, delivered: { times: 1 } });
    const again = await opened<EventRow>(url, 'events');
    expect(again.rows[2]?.delivered?.times).toBe(1); // each request is counted once
    const orders = await opened<OrderRow>(url, 'orders');
    const order = orders.rows.find((each) => each.orderId === orderId);
    const command = { name: 'confirm', status: 202, number: 4, monotonicAt: 45_000 };
    expect(order).toMatchObject({ stage: 'CONFIRMED', command });
    const { body } = await get(url, `ui/order?clientId=1001&orderId=${orderId}`);
    expect(body.happened).toEqual([
      {
        what: 'event',
        at: emittedAt,
        eventId: event.eventId,
        name: 'CREATED',
        deliveredAt: emittedAt + 40_000,
        acknowledgedAt: emittedAt + 45_000,
        tries: [
          { kind: 'poll', at: expect.any(Number), status: 200, number: 2 },
          { kind: 'acknowledgment', at: emittedAt + 45_000, status: 202, number: 3 },
        ],
      },
      { what: 'event', at: emittedAt + 45_000, eventId: expect.any(String), name: 'CONFIRMED', tries: [] },
      { what: 'command', at: emittedAt + 45_000, name: 'confirm', status: 202, number: 4 },
    ]);
    expect(body.document.id).toBe(orderId);
    expect((await get(url, `ui/order?clientId=1001&orderId=nothing`)).status).toBe(404);
    expect((await get(url, `ui/order?clientId=nobody&orderId=${orderId}`)).status).toBe(404);
  });

  it('shows an acknowledgment at its own event, and a command also with a query', async () => {
    const { url, mock } = await servedConsole();
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId, eventId: 'e-1' });
    mock.emit('DISPATCHED', { orderId, eventId: 'e-10' });
    const api = plain(mock);
    const token = await api.token();
    await api.acknowledge(
      token,
      mock
        .pending()
        .filter(({ eventId }) => eventId === 'e-10')
        .map(itemOf),
    );
    await api.command(token, orderId, 'delivered?by=hand');
    const { body } = await get(url, `ui/order?clientId=1001&orderId=${orderId}`);
    expect(
      body.happened.map(({ name, tries }: { name: string; tries?: unknown[] }) => [name, tries?.length]),
    ).toEqual([
      ['CREATED', 0],
      ['CONFIRMED', 0],
      ['DISPATCHED', 1],
      ['DELIVERED', 0],
      ['delivered', undefined],
    ]);
  });

  it('cuts long texts, whoever has written them', async () => {
    const { url, mock } = await servedConsole();
    const long = 'x'.repeat(5000);
    const customer = { name: long };
    const order = { displayId: long, type: long, orderTiming: long, customer };
    const { orderId } = mock.createOrder(order as Record<string, unknown>);
    mock.emit(long, { orderId });
    await fetch(`${url}/${long}`, { method: 'POST', body: 'x'.repeat(50_000) });
    const rowOf = async <Row>(section: string) => (await opened<Row>(url, section)).rows[0] as Row;
    const { displayId, type, timing, customer: name } = await rowOf<OrderRow>('orders');
    expect([displayId, type, timing, name].map((text) => text.length)).toEqual([40, 20, 20, 60]);
    const event = await rowOf<EventRow>('events');
    expect([event.displayId, event.eventType].map((text) => text?.length)).toEqual([40, 60]);
    expect((await rowOf<RequestRow>('requests')).path).toHaveLength(300);
    const violation = await rowOf<ViolationRow>('violations');
    expect([violation.path?.length, violation.message.length <= 1000]).toEqual([300, true]);
    expect((await get(url, 'ui/request?number=1')).body.body).toHaveLength(20_000);
  });

  it('filters requests, and shows the details of one', async () => {
    const { url, mock, clock } = await servedConsole();
    mock.faults.next('polling', 'reorder');
    const { event } = mock.createOrder();
    const { hub } = clientOf(mock, { baseUrl: url, clock });
    await hub.events.poll().catch(() => {});
    await fetch(`${url}/nowhere/with-a-word?a=b`);
    for (const [query, numbers] of [
      ['', [3, 2, 1]],
      ['endpoint=polling', [2]],
      ['failed=1', [3]],
      ['text=WITH-A', [3]],
      ['clientId=1001', [2, 1]],
      ['clientId=nobody', []],
      ['limit=1', [3]],
      ['limit=x&endpoint=y', [3, 2, 1]],
    ] as const) {
      const { rows } = await opened<RequestRow>(url, `requests&${query}`);
      expect([query, rows.map(({ number }) => number)]).toEqual([query, numbers]);
    }
    const { body: poll } = await get(url, 'ui/request?number=2');
    expect(poll).toMatchObject({ headers: { authorization: 'Bearer [token 1]' }, body: '', violations: [] });
    expect(poll.row).toEqual({
      key: '2',
      rank: 2,
      number: 2,
      at: clock.now(),
      method: 'GET',
      path: '/opendelivery/v1/events:polling',
      endpoint: 'polling',
      clientId: '1001',
      status: 200,
      durationMs: 0,
      fault: 'reorder',
      events: 1,
    });
    expect(poll.events).toEqual([{ eventId: event.eventId, eventType: 'CREATED', orderId: event.orderId }]);
    const { body: wrong } = await get(url, 'ui/request?number=3');
    expect(wrong.row.broken).toEqual(['unknown-path']);
    expect(wrong.violations).toEqual([{ rule: 'unknown-path', message: expect.any(String) }]);
    expect((await get(url, 'ui/request?number=99')).status).toBe(404);
    expect((await get(url, 'ui/request?number=x')).status).toBe(404);
  });

  it('shows each window with its requests, and tokens without their values', async () => {
    const { url, mock, clock } = await servedConsole();
    const { hub } = clientOf(mock, { baseUrl: url, clock });
    await hub.events.poll();
    const { reader, rows } = await opened<LimitRow>(url, 'limits');
    expect(rows.find(({ endpoint }) => endpoint === 'polling')).toEqual({
      key: 'limit/1001/polling',
      rank: expect.any(Number),
      clientId: '1001',
      endpoint: 'polling',
      limit: 2,
      windowMs: 60_000,
      times: [0],
    });
    expect(rows.at(-1)).toEqual({
      key: 'token/[token 1]',
      rank: -100,
      clientId: '1001',
      token: '[token 1]',
      expiresAt: clock.now() + 604_800_000,
    });
    await clock.advance('61s');
    expect((await reader.next()).set).toMatchObject([{ endpoint: 'polling', times: [] }]);
    mock.revokeTokens();
    expect((await reader.next()).gone).toEqual(['token/[token 1]']);
  });

  it('shows the menu as customers see it, with what a reader reports', async () => {
    const { url, mock, clock } = await servedConsole();
    await clock.advance('10h'); // 19:00 in São Paulo
    mock.publishMerchant((merchant) => {
      merchant.itemOffers[0].status = 'UNAVAILABLE';
      merchant.categories[1].itemOfferId.push('nothing');
    });
    const { reader, about, rows } = await opened(url, 'menu');
    expect(about).toEqual({
      total: 6,
      clientId: '1001',
      issues: [
        {
          path: expect.stringContaining('categories.1'),
          code: 'dangling',
          message: expect.any(String),
          against: 'sense',
        },
      ],
    });
    expect(rows).toHaveLength(6);
    expect(rows[0]).toMatchObject({
      name: 'Margherita',
      price: 54.9,
      unavailable: 'offer status',
      options: ['Crust'],
    });
    expect(rows[1]).not.toHaveProperty('unavailable');
    expect((await get(url, 'ui/menu?clientId=1001')).body).toEqual(mock.merchant());
    expect((await get(url, 'ui/menu?clientId=nobody')).status).toBe(404);
    mock.publishMerchant(() => ({ id: 'x' }));
    const broken = await reader.next();
    const { issues } = broken.about as unknown as { issues: unknown[] };
    expect(issues.length).toBeGreaterThan(5);
    expect(reader.rows.size).toBe(0);
    expect((await send(url, 'POST', 'ui/menu', { id: 'x' })).body.issues.length).toBeGreaterThan(5);
    expect((await send(url, 'POST', 'ui/menu', [])).body.error).toContain('not a merchant document');
  });

  it('shows the faults in force, and hides the next one when it was met', { tags: 'slow' }, async () => {
    const { url, mock } = await servedConsole();
    mock.faults.next('polling', 503, 2);
    mock.faults.random({ seed: 's', rate: 0.25 });
    const { reader, message } = await opened(url, 'faults');
    expect(message.summary?.faults).toEqual({
      next: [{ endpoint: 'polling', fault: { type: 'status', status: 503 }, times: 2 }],
      random: { seed: 's', rate: 0.25 },
    });
    await fetch(`${url}/opendelivery/v1/events:polling`);
    expect((await reader.next()).summary?.faults.next[0]?.times).toBe(1);
    mock.faults.ofStore('1001').next('merchant', 'reset');
    expect((await reader.next()).summary?.faults.next).toMatchObject([
      { endpoint: 'polling' },
      { endpoint: 'merchant', clientId: '1001' },
    ]);
    mock.faults.random({ seed: 's', rate: 0 });
    expect((await reader.next()).summary?.faults.random).toBeUndefined();
  });

  it('follows the hub through a reset', async () => {
    const { url, mock } = await servedConsole();
    mock.createOrder();
    await fetch(`${url}/nowhere`);
    const { reader } = await opened(url, 'orders');
    await send(url, 'POST', 'reset');
    await reader.next();
    expect(reader.rows.size).toBe(0);
    await fetch(`${url}/nowhere`);
    const { rows, message } = await opened<RequestRow>(url, 'requests');
    expect(rows.map(({ number }) => number)).toEqual([2]);
    expect(message.summary?.requests).toBe(1);
  });
});
