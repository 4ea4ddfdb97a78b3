import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MockHubOptions, NewOrder } from 'opendelivery-client/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Commands } from '../../examples/ordering-app/commands.js';
import { after, BEGINNING } from '../../examples/ordering-app/lifecycle.js';
import { OrderBook } from '../../examples/ordering-app/order-book.js';
import { receiveEvents } from '../../examples/ordering-app/receive.js';
import { routes } from '../../examples/ordering-app/routes.js';
import { clientOf, requestsTo, stage } from '../support.js';

const ORIGIN = { origin: 'http://localhost' };

// One database for all: each test looks at its own orders.
let orders: OrderBook;
beforeAll(() => {
  orders = OrderBook.open();
});
afterAll(() => orders.close());

/** The application at a mock hub, without a server: `app.request` is the browser. */
function open(options: MockHubOptions = {}) {
  const { mock, hub, clock } = stage(options);
  const receiver = receiveEvents(hub, orders);
  const app = routes({ orders, commands: new Commands(hub, orders), receiver });
  const live = async () => (await app.request('/live')).text();
  const card = async (orderId: string) =>
    (await live()).match(new RegExp(`<article id="order-${orderId}".*?</article>`, 's'))?.[0] ?? '';
  return {
    mock,
    clock,
    app,
    live,
    card,
    poll: async () => {
      await clock.advance('1m'); // the hub allows two polls in a minute
      return receiver.poller.runOnce();
    },
    order: async (newOrder: NewOrder = {}) => {
      const { orderId } = mock.createOrder(newOrder);
      await receiver.poller.runOnce();
      return orderId;
    },
    press: async (orderId: string, command: string, reason = '') => {
      const body = new URLSearchParams({ orderId, command, reason });
      return (await app.request('/commands', { method: 'POST', headers: ORIGIN, body })).status;
    },
    buttons: async (orderId: string) =>
      [...(await card(orderId)).matchAll(/name="command" value="(\w+)"/g)].map(([, command]) => command),
  };
}

const kept = (orderId: string) => orders.list().find((order) => order.orderId === orderId);

const typesAtHub = ({ mock }: ReturnType<typeof open>) => mock.emitted().map(({ eventType }) => eventType);

describe('receiving', () => {
  it('keeps an order and its event once, however often the hub sends it', async () => {
    const shop = open();
    const { orderId, event } = shop.mock.createOrder();
    await shop.poll();
    shop.mock.redeliver(event.eventId);
    // A process that knows nothing of the first one's deeds but the database.
    const { hub } = clientOf(shop.mock, { clock: shop.clock });
    await receiveEvents(hub, orders).poller.runOnce();
    expect(kept(orderId)?.history).toEqual([expect.objectContaining({ eventId: event.eventId })]);
    expect(orders.list().filter((order) => order.orderId === orderId)).toHaveLength(1);
    expect(shop.mock.acknowledged()).toHaveLength(2);
    expect(shop.mock.pending()).toEqual([]);
    expect(shop.mock.violations()).toEqual([]);
  });

  it('is not asked twice to cancel by an event that comes twice', async () => {
    const { mock, clock, order, poll, card } = open();
    const orderId = await order();
    const { eventId } = mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    mock.emit('CANCELLED_DENIED', { orderId });
    await poll();
    mock.redeliver(eventId);
    await receiveEvents(clientOf(mock, { clock }).hub, orders).poller.runOnce();
    expect(await card(orderId)).not.toContain('Asked to cancel');
  });

  it('keeps neither the event nor the order when it cannot keep both', async () => {
    const { mock, poll } = open();
    const { orderId, event, order } = mock.createOrder();
    const toJSON = () => {
      throw new Error('the disk is full');
    };
    expect(() => orders.receive(event, { ...order, toJSON } as never)).toThrow('the disk is full');
    expect(kept(orderId)).toBeUndefined();
    await poll();
    expect(kept(orderId)?.history).toHaveLength(1);
  });

  it('leaves an order at the hub, and says so, while its details cannot be read', async () => {
    const { mock, poll, live } = open();
    mock.faults.next('order', { type: 'status', status: 404 });
    const { orderId } = mock.createOrder();
    await poll();
    expect(await live()).toMatch(new RegExp(`CREATED of order ${orderId} could not be taken in: .*404`));
    expect(mock.pending()).toHaveLength(1);
    await poll();
    expect(await live()).not.toContain('could not be taken in');
    expect(kept(orderId)?.progress.stage).toBe('CREATED');
    expect(mock.pending()).toEqual([]);
  });

  it('keeps events of types and orders that it does not know', async () => {
    const { mock, poll, order, card } = open();
    const orderId = await order();
    mock.emit('DRONE_LAUNCHED', { orderId });
    mock.emit('DRONE_LOST');
    const { received, handled, acknowledged } = await poll();
    expect({ received, handled, acknowledged }).toEqual({ received: 2, handled: 2, acknowledged: 2 });
    expect(await card(orderId)).toContain('<li>DRONE_LAUNCHED');
    expect(kept(orderId)?.progress).toEqual(BEGINNING);
  });

  it('shows an order whose CREATED went to somebody else', async () => {
    const { mock, poll } = open();
    mock.faults.next('polling', { type: 'status', status: 200, body: [] });
    const { orderId, event } = mock.createOrder();
    await poll();
    mock.emit('CONFIRMED', { orderId });
    mock.faults.next('polling', {
      type: 'status',
      status: 200,
      body: mock.pending().filter(({ eventId }) => eventId !== event.eventId) as never,
    });
    await poll();
    expect(kept(orderId)?.progress.stage).toBe('CONFIRMED');
  });

  it('does not offer what somebody else has done before the event tells', async () => {
    const { mock, poll, buttons } = open({ maxEventsPerPoll: 1 });
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    await poll();
    expect(mock.pending()).toMatchObject([{ eventType: 'CONFIRMED' }]);
    expect(await buttons(orderId)).not.toContain('confirm');
  });

  it('keeps whatever a customer writes, and shows it as text', async () => {
    const { order, card } = open();
    const name = '<script>alert("hi")</script>\u0000\ud800 &amp;';
    const orderId = await order({ customer: { name }, extraInfo: '"><img src=x>' });
    expect(kept(orderId)?.details.customer?.name).toBe(name);
    const html = await card(orderId);
    expect(html).toContain('&lt;script&gt;alert(&quot;hi&quot;)&lt;/script&gt;');
    expect(html).toContain('&amp;amp;');
    expect(html).not.toMatch(/<script|<img/);
  });

  it('shows an order that lacks nearly everything', async () => {
    const { order, card } = open();
    const orderId = await order({
      ...{ displayId: null, type: null, customer: null, delivery: null, payments: null, total: null },
      ...{ items: [{}], createdAt: 'soon', schedule: {} },
    });
    expect(await card(orderId)).toMatch(new RegExp(`<h2>${orderId}</h2>.*\\? × unnamed item`, 's'));
  });
});

describe('progress', () => {
  const through = (...types: string[]) => types.reduce(after, BEGINNING);

  it('never goes back when events come late', () => {
    expect(through('DISPATCHED', 'CONFIRMED', 'READY_FOR_PICKUP').stage).toBe('DISPATCHED');
    expect(through('CANCELLED', 'DISPATCHED', 'CONCLUDED').stage).toBe('CANCELLED');
    expect(through('CANCELLED', 'ORDER_CANCELLATION_REQUEST').asked).toBeNull();
  });

  it('knows apart from the stage who asks to cancel', () => {
    expect(through('CONFIRMED', 'ORDER_CANCELLATION_REQUEST', 'PREPARING')).toEqual({
      stage: 'PREPARING',
      asked: 'hub',
    });
    expect(through('CONFIRMED', 'ORDER_CANCELLATION_REQUEST', 'CANCELLED_DENIED').asked).toBeNull();
    expect(through('CANCELLATION_REQUESTED').asked).toBe('store');
    expect(through('CANCELLATION_REQUESTED', 'CANCELLATION_REQUEST_DENIED').asked).toBeNull();
  });
});

describe('the buttons', () => {
  it.each([
    ['DELIVERY', ['confirm', 'preparing', 'readyForPickup', 'dispatch', 'delivered']],
    ['DELIVERY', ['confirm', 'dispatch', 'delivered']],
    ['TAKEOUT', ['confirm', 'readyForPickup', 'pickedUp']],
    ['INDOOR', ['confirm', 'preparing', 'readyForPickup', 'delivered']],
  ])('move a %s order on at the hub by %j', async (type, commands) => {
    const shop = open();
    const orderId = await shop.order({ type });
    for (const command of commands) {
      expect(await shop.buttons(orderId)).toContain(command);
      expect(await shop.press(orderId, command)).toBe(303);
      expect(await shop.card(orderId)).toContain('The hub has taken it; its event is awaited.');
      await shop.poll();
      expect(await shop.card(orderId)).not.toContain('awaited');
      expect(kept(orderId)?.progress.stage).toBe(typesAtHub(shop).at(-1));
    }
    expect(shop.mock.emitted()).toHaveLength(commands.length + 1);
    shop.mock.emit('CONCLUDED', { orderId });
    await shop.poll();
    expect(await shop.buttons(orderId)).toEqual([]);
    expect(shop.mock.pending()).toEqual([]);
    expect(shop.mock.violations()).toEqual([]);
  });

  it('need not wait for the event of the last command', async () => {
    const shop = open();
    const orderId = await shop.order();
    for (const command of ['confirm', 'readyForPickup', 'dispatch']) {
      expect(await shop.press(orderId, command)).toBe(303);
    }
    expect(typesAtHub(shop)).toEqual(['CREATED', 'CONFIRMED', 'READY_FOR_PICKUP', 'DISPATCHED']);
    expect(kept(orderId)?.progress.stage).toBe('CREATED');
    await shop.poll();
    expect(kept(orderId)?.progress.stage).toBe('DISPATCHED');
  });

  it('leave out what the order says the hub does not want', async () => {
    const { mock, order, poll, buttons } = open();
    const orderId = await order({ sendPreparing: false, sendDelivered: false });
    mock.emit('CONFIRMED', { orderId });
    await poll();
    expect(await buttons(orderId)).toEqual(['readyForPickup', 'dispatch', 'requestCancellation']);
    mock.emit('DISPATCHED', { orderId });
    await poll();
    expect(await buttons(orderId)).toEqual(['requestCancellation']);
  });

  it('send one command for two clicks', async () => {
    const { mock, order, press } = open();
    const orderId = await order();
    const clicks = await Promise.all([press(orderId, 'confirm'), press(orderId, 'confirm')]);
    expect(clicks.sort()).toEqual([303, 409]);
    expect(await press(orderId, 'confirm')).toBe(409);
    expect(requestsTo(mock, 'orderStatus')).toHaveLength(1);
  });

  it('show a command that is on its way, and no other', async () => {
    const { mock, clock, order, press, card, buttons } = open();
    const orderId = await order();
    mock.faults.next('orderStatus', { type: 'latency', ms: 10_000 });
    const click = press(orderId, 'confirm');
    await expect.poll(() => requestsTo(mock, 'orderStatus')).toHaveLength(1);
    expect(await card(orderId)).toContain('“Confirm” is on its way to the hub');
    expect(await buttons(orderId)).toEqual([]);
    expect(await press(orderId, 'preparing')).toBe(409);
    await clock.advance('10s');
    expect(await click).toBe(303);
    expect(await buttons(orderId)).toContain('preparing');
  });

  it('say that the outcome is unknown when the answer is lost, until the event tells', async () => {
    const { mock, order, press, card, buttons, poll } = open();
    const orderId = await order();
    mock.faults.next('orderStatus', 'lost');
    expect(await press(orderId, 'confirm')).toBe(303);
    expect(await card(orderId)).toContain('It is not known whether the hub carried out &quot;Confirm&quot;');
    expect(await buttons(orderId)).toContain('confirm');
    await poll();
    expect(await card(orderId)).not.toContain('not known');
    expect(await buttons(orderId)).not.toContain('confirm');
    expect(requestsTo(mock, 'orderStatus')).toHaveLength(1);
  });

  it('leave a word when the application ends under way', async () => {
    const { mock, hub } = stage();
    const { orderId, event, order } = mock.createOrder();
    orders.receive(event, order as never);
    mock.faults.next('orderStatus', 'hang');
    const commands = new Commands(hub, orders);
    void commands.run(orderId, 'confirm');
    await expect.poll(() => requestsTo(mock, 'orderStatus')).toHaveLength(1);
    await hub.close();
    await commands.settled();
    expect(kept(orderId)).toMatchObject({
      sending: null,
      problem: expect.stringContaining('not known'),
    });
  });

  it('say why the hub refuses', async () => {
    const { mock, order, press, card, buttons } = open();
    const orderId = await order();
    mock.emit('CANCELLED', { orderId });
    expect(await press(orderId, 'confirm')).toBe(303);
    expect(await card(orderId)).toMatch(/&quot;Confirm&quot; was not carried out: .*422/);
    expect(await buttons(orderId)).toContain('confirm');
  });

  it('are gone when the order is cancelled', async () => {
    const { mock, order, buttons, press, poll } = open();
    const orderId = await order();
    mock.emit('CANCELLED', { orderId });
    await poll();
    expect(await buttons(orderId)).toEqual([]);
    expect(await press(orderId, 'confirm')).toBe(409);
    expect(requestsTo(mock, 'orderStatus')).toEqual([]);
  });

  it.each([
    ['acceptCancellation', 'CONFIRMED', 'CANCELLED', undefined],
    ['denyCancellation', 'CONFIRMED', 'CANCELLED_DENIED', 'DISH_ALREADY_DONE'],
    ['denyCancellation', 'DISPATCHED', 'CANCELLED_DENIED', 'OUT_FOR_DELIVERY'],
  ])('answer a cancellation: %s of a %s order', async (command, before, answer, code) => {
    const shop = open();
    const orderId = await shop.order();
    shop.mock.emit(before, { orderId });
    shop.mock.emit('ORDER_CANCELLATION_REQUEST', { orderId, metadata: { reason: 'It <b>rains</b>' } });
    await shop.poll();
    expect(await shop.card(orderId)).toContain('Asked to cancel: It &lt;b&gt;rains&lt;/b&gt;');
    expect(await shop.press(orderId, command)).toBe(303);
    expect(typesAtHub(shop).at(-1)).toBe(answer);
    const { body = '' } = requestsTo(shop.mock, 'orderStatus').at(-1) ?? {};
    expect(body && JSON.parse(body).code).toBe(code ?? '');
    await shop.poll();
    expect(await shop.buttons(orderId)).not.toContain(command);
    expect(await shop.card(orderId)).not.toMatch(/awaited|Asked to cancel/);
  });

  it('ask to cancel with a reason of the hub, which may refuse', async () => {
    const shop = open({ cancellation: 'leave' });
    const orderId = await shop.order();
    expect(await shop.press(orderId, 'requestCancellation', 'UNAVAILABLE_ITEM')).toBe(303);
    expect(JSON.parse(requestsTo(shop.mock, 'orderStatus')[0]?.body ?? '')).toEqual({
      code: 'UNAVAILABLE_ITEM',
      reason: 'An item is not available',
      mode: 'MANUAL',
    });
    await shop.poll();
    expect(await shop.card(orderId)).toContain('We have asked to cancel it.');
    expect(await shop.buttons(orderId)).not.toContain('requestCancellation');
    shop.mock.emit('CANCELLATION_REQUEST_DENIED', { orderId });
    await shop.poll();
    expect(await shop.buttons(orderId)).toEqual(['confirm', 'requestCancellation']);
  });

  it('ask to cancel in the words that somebody typed, if they are any', async () => {
    const shop = open({ cancellation: 'leave' });
    for (const [words, reason] of [
      [' The oven is broken ', 'The oven is broken'],
      ['  ', 'An item is not available'],
    ] as const) {
      const orderId = await shop.order();
      const fields = { orderId, command: 'requestCancellation', reason: 'UNAVAILABLE_ITEM', words };
      const body = new URLSearchParams(fields);
      await shop.app.request('/commands', { method: 'POST', headers: ORIGIN, body });
      const sent = requestsTo(shop.mock, 'orderStatus').at(-1)?.body ?? '';
      expect(JSON.parse(sent)).toEqual({ code: 'UNAVAILABLE_ITEM', reason, mode: 'MANUAL' });
    }
  });

  it('obey nobody but our own page, and no other commands', async () => {
    const { mock, app, order, press } = open();
    const orderId = await order();
    for (const command of ['', 'toString', '../../token']) expect(await press(orderId, command)).toBe(400);
    const body = new URLSearchParams({ orderId, command: 'confirm' });
    const headers = { origin: 'https://elsewhere.example' };
    expect((await app.request('/commands', { method: 'POST', headers, body })).status).toBe(403);
    expect(requestsTo(mock, 'orderStatus')).toEqual([]);
  });
});

it('tells on the page whether the hub answers', async () => {
  const { hub, mock, clock } = stage();
  const receiver = receiveEvents(hub, orders);
  const app = routes({ orders, commands: new Commands(hub, orders), receiver });
  const page = async () => (await app.request('/')).text();
  expect(await page()).toContain('Asking the hub…');
  mock.faults.next('polling', { type: 'status', status: 503 });
  const started = receiver.poller.start();
  await clock.advance('1s');
  expect(await page()).toMatch(/No orders from the hub: .*503.*Next try at\s+\d\d:\d\d:\d\d/s);
  await clock.advance('5m');
  await started;
  expect(await page()).toMatch(/The hub was asked at \d\d:\d\d:\d\d/);
});

it('finds its orders again after a restart, and does not guess what became of a click', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ordering-app-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const dataDir = join(folder, 'not', 'there', 'yet');
  const { mock } = stage();
  const { orderId, event, order } = mock.createOrder();
  const first = OrderBook.open(dataDir);
  first.receive(event, order as never);
  first.begin(orderId, 'confirm');
  first.close();
  const second = OrderBook.open(dataDir);
  onTestFinished(() => second.close());
  second.receive(event, order as never);
  expect(second.list()).toEqual([
    {
      orderId,
      details: order,
      progress: BEGINNING,
      expected: BEGINNING,
      sending: null,
      problem: expect.stringContaining('it is not known whether the hub carried it out'),
      history: [event],
    },
  ]);
});
