import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MockHubOptions, NewOrder } from 'opendelivery-client/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Commands } from '../../examples/ordering-app/commands.js';
import { OrderBook } from '../../examples/ordering-app/order-book.js';
import { INITIAL_PROGRESS, nextProgress } from '../../examples/ordering-app/progress.js';
import { receiveEvents } from '../../examples/ordering-app/receiver.js';
import { routes } from '../../examples/ordering-app/routes.js';
import { clientOf, requestsTo, stage } from '../support.js';

const ORIGIN = { origin: 'http://localhost' };

// One database for all tests: each test checks only its own orders.
let orders: OrderBook;
beforeAll(() => {
  orders = OrderBook.open();
});
afterAll(() => orders.close());

/** The application with a mock hub, without a server: `app.request` replaces the browser. */
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

const saved = (orderId: string) => orders.list().find((order) => order.orderId === orderId);

const typesAtHub = ({ mock }: ReturnType<typeof open>) => mock.emitted().map(({ eventType }) => eventType);

describe('receiving', () => {
  it('saves an order and its event once, however often the hub sends it', async () => {
    const shop = open();
    const { orderId, event } = shop.mock.createOrder();
    await shop.poll();
    shop.mock.redeliver(event.eventId);
    // A new process, which shares only the database with the first one.
    const { hub } = clientOf(shop.mock, { clock: shop.clock });
    await receiveEvents(hub, orders).poller.runOnce();
    expect(saved(orderId)?.history).toEqual([expect.objectContaining({ eventId: event.eventId })]);
    expect(orders.list().filter((order) => order.orderId === orderId)).toHaveLength(1);
    expect(shop.mock.acknowledged()).toHaveLength(2);
    expect(shop.mock.pending()).toEqual([]);
    expect(shop.mock.violations()).toEqual([]);
  });

  it('ignores a repeated cancellation request', async () => {
    const { mock, clock, order, poll, card } = open();
    const orderId = await order();
    const { eventId } = mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    mock.emit('CANCELLED_DENIED', { orderId });
    await poll();
    mock.redeliver(eventId);
    await receiveEvents(clientOf(mock, { clock }).hub, orders).poller.runOnce();
    expect(await card(orderId)).not.toContain('Cancellation requested');
  });

  it('saves neither the event nor the order if it cannot save both', async () => {
    const { mock, poll } = open();
    const { orderId, event, order } = mock.createOrder();
    const toJSON = () => {
      throw new Error('the disk is full');
    };
    expect(() => orders.save(event, { ...order, toJSON } as never)).toThrow('the disk is full');
    expect(saved(orderId)).toBeUndefined();
    await poll();
    expect(saved(orderId)?.history).toHaveLength(1);
  });

  it('leaves an order at the hub, and shows it, while its details cannot be read', async () => {
    const { mock, poll, live } = open();
    mock.faults.next('order', { type: 'status', status: 404 });
    const { orderId } = mock.createOrder();
    await poll();
    expect(await live()).toMatch(new RegExp(`CREATED of order ${orderId} could not be saved: .*404`));
    expect(mock.pending()).toHaveLength(1);
    await poll();
    expect(await live()).not.toContain('could not be saved');
    expect(saved(orderId)?.progress.stage).toBe('CREATED');
    expect(mock.pending()).toEqual([]);
  });

  it('saves events of unknown types and orders', async () => {
    const { mock, poll, order, card } = open();
    const orderId = await order();
    mock.emit('DRONE_LAUNCHED', { orderId });
    mock.emit('DRONE_LOST');
    const { received, handled, acknowledged } = await poll();
    expect({ received, handled, acknowledged }).toEqual({ received: 2, handled: 2, acknowledged: 2 });
    expect(await card(orderId)).toContain('<li>DRONE_LAUNCHED');
    expect(saved(orderId)?.progress).toEqual(INITIAL_PROGRESS);
  });

  it('shows an order whose CREATED event it never received', async () => {
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
    expect(saved(orderId)?.progress.stage).toBe('CONFIRMED');
  });

  it('does not offer a command that another program has already sent', async () => {
    const { mock, poll, buttons } = open({ maxEventsPerPoll: 1 });
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    await poll();
    expect(mock.pending()).toMatchObject([{ eventType: 'CONFIRMED' }]);
    expect(await buttons(orderId)).not.toContain('confirm');
  });

  it('saves any text of a customer, and escapes it', async () => {
    const { order, card } = open();
    const name = '<script>alert("hi")</script>\u0000\ud800 &amp;';
    const orderId = await order({ customer: { name }, extraInfo: '"><img src=x>' });
    expect(saved(orderId)?.details.customer?.name).toBe(name);
    const html = await card(orderId);
    expect(html).toContain('&lt;script&gt;alert(&quot;hi&quot;)&lt;/script&gt;');
    expect(html).toContain('&amp;amp;');
    expect(html).not.toMatch(/<script|<img/);
  });

  it('shows an order without nearly all of its fields', async () => {
    const { order, card } = open();
    const orderId = await order({
      ...{ displayId: null, type: null, customer: null, delivery: null, payments: null, total: null },
      ...{ items: [{}], createdAt: 'soon', schedule: {} },
    });
    expect(await card(orderId)).toMatch(new RegExp(`<h2>${orderId}</h2>.*\\? × unnamed item`, 's'));
  });
});

describe('progress', () => {
  const through = (...types: string[]) => types.reduce(nextProgress, INITIAL_PROGRESS);

  it('never goes back if events come late', () => {
    expect(through('DISPATCHED', 'CONFIRMED', 'READY_FOR_PICKUP').stage).toBe('DISPATCHED');
    expect(through('CANCELLED', 'DISPATCHED', 'CONCLUDED').stage).toBe('CANCELLED');
    expect(through('CANCELLED', 'ORDER_CANCELLATION_REQUEST').cancellationBy).toBeNull();
  });

  it('tracks who has requested a cancellation, apart from the stage', () => {
    expect(through('CONFIRMED', 'ORDER_CANCELLATION_REQUEST', 'PREPARING')).toEqual({
      stage: 'PREPARING',
      cancellationBy: 'hub',
    });
    expect(through('CONFIRMED', 'ORDER_CANCELLATION_REQUEST', 'CANCELLED_DENIED').cancellationBy).toBeNull();
    expect(through('CANCELLATION_REQUESTED').cancellationBy).toBe('store');
    expect(through('CANCELLATION_REQUESTED', 'CANCELLATION_REQUEST_DENIED').cancellationBy).toBeNull();
  });
});

describe('the buttons', () => {
  it.each([
    ['DELIVERY', ['confirm', 'preparing', 'readyForPickup', 'dispatch', 'delivered']],
    ['DELIVERY', ['confirm', 'dispatch', 'delivered']],
    ['TAKEOUT', ['confirm', 'readyForPickup', 'pickedUp']],
    ['INDOOR', ['confirm', 'preparing', 'readyForPickup', 'delivered']],
  ])('move a %s order through its stages: %j', async (type, commands) => {
    const shop = open();
    const orderId = await shop.order({ type });
    for (const command of commands) {
      expect(await shop.buttons(orderId)).toContain(command);
      expect(await shop.press(orderId, command)).toBe(303);
      expect(await shop.card(orderId)).toContain('The hub has accepted the command. Waiting for its event…');
      await shop.poll();
      expect(await shop.card(orderId)).not.toContain('Waiting for');
      expect(saved(orderId)?.progress.stage).toBe(typesAtHub(shop).at(-1));
    }
    expect(shop.mock.emitted()).toHaveLength(commands.length + 1);
    shop.mock.emit('CONCLUDED', { orderId });
    await shop.poll();
    expect(await shop.buttons(orderId)).toEqual([]);
    expect(shop.mock.pending()).toEqual([]);
    expect(shop.mock.violations()).toEqual([]);
  });

  it('do not wait for the event of the last command', async () => {
    const shop = open();
    const orderId = await shop.order();
    for (const command of ['confirm', 'readyForPickup', 'dispatch']) {
      expect(await shop.press(orderId, command)).toBe(303);
    }
    expect(typesAtHub(shop)).toEqual(['CREATED', 'CONFIRMED', 'READY_FOR_PICKUP', 'DISPATCHED']);
    expect(saved(orderId)?.progress.stage).toBe('CREATED');
    await shop.poll();
    expect(saved(orderId)?.progress.stage).toBe('DISPATCHED');
  });

  it('leave out commands that the order says the hub does not want', async () => {
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

  it('show a command that is being sent, and no other', async () => {
    const { mock, clock, order, press, card, buttons } = open();
    const orderId = await order();
    mock.faults.next('orderStatus', { type: 'latency', ms: 10_000 });
    const click = press(orderId, 'confirm');
    await expect.poll(() => requestsTo(mock, 'orderStatus')).toHaveLength(1);
    expect(await card(orderId)).toContain('Sending “Confirm” to the hub');
    expect(await buttons(orderId)).toEqual([]);
    expect(await press(orderId, 'preparing')).toBe(409);
    await clock.advance('10s');
    expect(await click).toBe(303);
    expect(await buttons(orderId)).toContain('preparing');
  });

  it('show that the outcome is unknown after a lost response, until the next event', async () => {
    const { mock, order, press, card, buttons, poll } = open();
    const orderId = await order();
    mock.faults.next('orderStatus', 'lost');
    expect(await press(orderId, 'confirm')).toBe(303);
    expect(await card(orderId)).toContain('It is unknown whether the hub processed &quot;Confirm&quot;');
    expect(await buttons(orderId)).toContain('confirm');
    await poll();
    expect(await card(orderId)).not.toContain('unknown');
    expect(await buttons(orderId)).not.toContain('confirm');
    expect(requestsTo(mock, 'orderStatus')).toHaveLength(1);
  });

  it('show that the outcome is unknown if the application stops while it sends', async () => {
    const { mock, hub } = stage();
    const { orderId, event, order } = mock.createOrder();
    orders.save(event, order as never);
    mock.faults.next('orderStatus', 'hang');
    const commands = new Commands(hub, orders);
    void commands.run(orderId, 'confirm');
    await expect.poll(() => requestsTo(mock, 'orderStatus')).toHaveLength(1);
    await hub.close();
    await commands.settled();
    expect(saved(orderId)).toMatchObject({
      sending: null,
      problem: expect.stringContaining('unknown'),
    });
  });

  it('show why the hub refuses a command', async () => {
    const { mock, order, press, card, buttons } = open();
    const orderId = await order();
    mock.emit('CANCELLED', { orderId });
    expect(await press(orderId, 'confirm')).toBe(303);
    expect(await card(orderId)).toMatch(/&quot;Confirm&quot; failed: .*422/);
    expect(await buttons(orderId)).toContain('confirm');
  });

  it('disappear when the order is cancelled', async () => {
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
  ])('respond to a cancellation request: %s of a %s order', async (command, before, eventType, code) => {
    const shop = open();
    const orderId = await shop.order();
    shop.mock.emit(before, { orderId });
    shop.mock.emit('ORDER_CANCELLATION_REQUEST', { orderId, metadata: { reason: 'It <b>rains</b>' } });
    await shop.poll();
    expect(await shop.card(orderId)).toContain('Cancellation requested: It &lt;b&gt;rains&lt;/b&gt;');
    expect(await shop.press(orderId, command)).toBe(303);
    expect(typesAtHub(shop).at(-1)).toBe(eventType);
    const { body = '' } = requestsTo(shop.mock, 'orderStatus').at(-1) ?? {};
    expect(body && JSON.parse(body).code).toBe(code ?? '');
    await shop.poll();
    expect(await shop.buttons(orderId)).not.toContain(command);
    expect(await shop.card(orderId)).not.toMatch(/Waiting for|Cancellation requested/);
  });

  it('request a cancellation with a code of the hub, which may refuse', async () => {
    const shop = open({ cancellation: 'leave' });
    const orderId = await shop.order();
    expect(await shop.press(orderId, 'requestCancellation', 'UNAVAILABLE_ITEM')).toBe(303);
    expect(JSON.parse(requestsTo(shop.mock, 'orderStatus')[0]?.body ?? '')).toEqual({
      code: 'UNAVAILABLE_ITEM',
      reason: 'An item is not available',
      mode: 'MANUAL',
    });
    await shop.poll();
    expect(await shop.card(orderId)).toContain('You have requested a cancellation.');
    expect(await shop.buttons(orderId)).not.toContain('requestCancellation');
    shop.mock.emit('CANCELLATION_REQUEST_DENIED', { orderId });
    await shop.poll();
    expect(await shop.buttons(orderId)).toEqual(['confirm', 'requestCancellation']);
  });

  it('request a cancellation with a typed comment, if there is one', async () => {
    const shop = open({ cancellation: 'leave' });
    for (const [comment, reason] of [
      [' The oven is broken ', 'The oven is broken'],
      ['  ', 'An item is not available'],
    ] as const) {
      const orderId = await shop.order();
      const fields = { orderId, command: 'requestCancellation', reason: 'UNAVAILABLE_ITEM', comment };
      const body = new URLSearchParams(fields);
      await shop.app.request('/commands', { method: 'POST', headers: ORIGIN, body });
      const sent = requestsTo(shop.mock, 'orderStatus').at(-1)?.body ?? '';
      expect(JSON.parse(sent)).toEqual({ code: 'UNAVAILABLE_ITEM', reason, mode: 'MANUAL' });
    }
  });

  it('accept known commands only, and only from the page itself', async () => {
    const { mock, app, order, press } = open();
    const orderId = await order();
    for (const command of ['', 'toString', '../../token']) expect(await press(orderId, command)).toBe(400);
    const body = new URLSearchParams({ orderId, command: 'confirm' });
    const headers = { origin: 'https://elsewhere.example' };
    expect((await app.request('/commands', { method: 'POST', headers, body })).status).toBe(403);
    expect(requestsTo(mock, 'orderStatus')).toEqual([]);
  });
});

it('shows on the page whether the hub responds', async () => {
  const { hub, mock, clock } = stage();
  const receiver = receiveEvents(hub, orders);
  const app = routes({ orders, commands: new Commands(hub, orders), receiver });
  const page = async () => (await app.request('/')).text();
  expect(await page()).toContain('Connecting to the hub…');
  mock.faults.next('polling', { type: 'status', status: 503 });
  const started = receiver.poller.start();
  await clock.advance('1s');
  expect(await page()).toMatch(/Cannot receive orders: .*503.*Next poll at\s+\d\d:\d\d:\d\d/s);
  await clock.advance('5m');
  await started;
  expect(await page()).toMatch(/Last poll at \d\d:\d\d:\d\d/);
});

it('loads its orders after a restart, and does not guess the outcome of a click', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ordering-app-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const dataDir = join(folder, 'not', 'there', 'yet');
  const { mock } = stage();
  const { orderId, event, order } = mock.createOrder();
  const first = OrderBook.open(dataDir);
  first.save(event, order as never);
  first.startCommand(orderId, 'confirm');
  first.close();
  const second = OrderBook.open(dataDir);
  onTestFinished(() => second.close());
  second.save(event, order as never);
  expect(second.list()).toEqual([
    {
      orderId,
      details: order,
      progress: INITIAL_PROGRESS,
      expected: INITIAL_PROGRESS,
      sending: null,
      problem: expect.stringContaining('It is unknown whether the hub processed it'),
      history: [event],
    },
  ]);
});
