import { join } from 'node:path';
import type { MockHubOptions, NewOrder } from 'opendelivery-client/testing';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Commands } from '../../examples/ordering-app/commands.js';
import { OrderBook } from '../../examples/ordering-app/order-book.js';
import { receiveEvents } from '../../examples/ordering-app/receiver.js';
import { routes } from '../../examples/ordering-app/routes.js';
import { clientOf, requestsTo, stage } from '../support.js';
import { temporaryDirectory } from '../temporary.js';

const ORIGIN = { origin: 'http://localhost' };

/** The hub waits for these commands. */
const FLAGS = { sendPreparing: true, sendPickedUp: true, sendDelivered: true };

let orders: OrderBook;
beforeEach(async () => {
  const opened = await OrderBook.open();
  orders = opened;
  return () => opened.close();
});

/** The application with a mock hub, without a server: `app.request` replaces the browser. */
function open(options: MockHubOptions = {}, isAutomatic = false) {
  const { mock, hub, clock } = stage(options);
  const now = () => clock.now();
  const receiver = receiveEvents(hub, orders, isAutomatic);
  const app = routes({ orders, commands: new Commands(hub, orders, now), receiver, now });
  const live = async () => (await app.request('/live')).text();
  const card = async (orderId: string) =>
    (await live()).match(new RegExp(`<article id="order-${orderId}".*?</article>`, 's'))?.[0] ?? '';
  return {
    mock,
    clock,
    app,
    live,
    card,
    /** The rows of the history, as a person reads them, without their instants. */
    history: async (orderId: string) => {
      const html = await (await app.request(`/orders/${encodeURIComponent(orderId)}/history`)).text();
      return [...html.matchAll(/<tr>\s*<td>.*?<\/tr>/gs)].map(([row]) =>
        text(row.replaceAll(/<time.*?<\/time>/g, '')).trim(),
      );
    },
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

const text = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('\u00a0', ' ')
    .replaceAll(/\s+/g, ' ');

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
    expect(await card(orderId)).not.toContain('O cliente solicitou o cancelamento');
  });

  it('saves neither the event nor the order, and sends nothing, if it cannot save all of them', async () => {
    const { mock, poll } = open({}, true);
    vi.spyOn(orders, 'queueCommand').mockImplementationOnce(() => {
      throw new Error('the disk is full');
    });
    const { orderId } = mock.createOrder();
    await poll();
    expect(saved(orderId)).toBeUndefined();
    expect(requestsTo(mock, 'orderStatus')).toEqual([]);
    await poll();
    expect(saved(orderId)?.history.map(({ eventType }) => eventType)).toEqual(['CREATED']);
    expect(requestsTo(mock, 'orderStatus')).toHaveLength(1);
  });

  it('keeps an order in the inbox, and shows it, while its details cannot be read', async () => {
    const { mock, poll, live, history } = open();
    mock.faults.next('order', { type: 'status', status: 404 });
    const { orderId } = mock.createOrder();
    await poll();
    expect(await live()).toMatch(new RegExp(`CREATED do pedido ${orderId} não pôde ser salvo: .*404`));
    expect(mock.pending()).toEqual([]);
    expect(await history(orderId)).toEqual(['Evento: Novo 1 Falhou; será tentado de novo (NotFoundError)']);
    await poll();
    expect(await live()).not.toContain('não pôde ser salvo');
    expect(saved(orderId)?.progress.stage).toBe('CREATED');
    expect(await history(orderId)).toEqual(['Evento: Novo 2 Processado']);
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
});

describe('progress', () => {
  it('counts the events that came before the order could be read', async () => {
    const { mock, poll } = open({ maxEventsPerPoll: 1 });
    const { orderId, event } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    orders.save(mock.pending()[1] as never);
    orders.save(mock.pending()[2] as never);
    expect(saved(orderId)).toBeUndefined();
    await poll();
    expect(mock.acknowledged()).toMatchObject([{ eventId: event.eventId }]);
    expect(saved(orderId)?.progress).toMatchObject({ stage: 'CONFIRMED', cancellation: 'asked_by_hub' });
  });
});

describe('the buttons', () => {
  it.each([
    ['DELIVERY', ['confirm', 'preparing', 'readyForPickup', 'dispatch', 'delivered']],
    ['DELIVERY', ['confirm', 'dispatch', 'delivered']],
    ['TAKEOUT', ['confirm', 'readyForPickup', 'pickedUp']],
    ['INDOOR', ['confirm', 'preparing', 'readyForPickup']],
  ])('move a %s order through its stages: %j', async (type, commands) => {
    const shop = open();
    const orderId = await shop.order({ type, ...FLAGS });
    for (const command of commands) {
      expect(await shop.buttons(orderId)).toContain(command);
      expect(await shop.press(orderId, command)).toBe(303);
      expect(await shop.card(orderId)).toContain('Comando registrado. Aguardando o evento do hub…');
      await shop.poll();
      expect(await shop.card(orderId)).not.toContain('Aguardando');
      expect(saved(orderId)?.progress.stage).toBe(typesAtHub(shop).at(-1));
    }
    expect(shop.mock.emitted()).toHaveLength(commands.length + 1);
    shop.mock.emit('CONCLUDED', { orderId });
    await shop.poll();
    expect(await shop.buttons(orderId)).toEqual([]);
    expect(shop.mock.pending()).toEqual([]);
    expect(shop.mock.violations()).toEqual([]);
  });

  it('do not wait for the event of a denied cancellation, nor offer what it took away', async () => {
    const shop = open({ cancellation: 'leave' });
    const orderId = await shop.order();
    const before = await shop.buttons(orderId);
    shop.mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
    await shop.poll();
    expect(await shop.buttons(orderId)).toEqual(['acceptCancellation', 'denyCancellation', 'confirm']);
    expect(await shop.press(orderId, 'denyCancellation')).toBe(303);
    expect(await shop.buttons(orderId)).toEqual(before);
    // The next request of the hub needs an answer, also before the event of the denial has arrived.
    await shop.clock.advance('1m');
    orders.save(shop.mock.emit('ORDER_CANCELLATION_REQUEST', { orderId }) as never);
    expect(await shop.buttons(orderId)).toContain('denyCancellation');
    await shop.poll();
    expect(await shop.buttons(orderId)).toContain('denyCancellation');
  });

  it('send one command for two clicks', async () => {
    const { mock, order, press } = open();
    const orderId = await order();
    const clicks = await Promise.all([press(orderId, 'confirm'), press(orderId, 'confirm')]);
    expect(clicks.sort()).toEqual([303, 409]);
    expect(await press(orderId, 'confirm')).toBe(409);
    expect(requestsTo(mock, 'orderStatus')).toHaveLength(1);
  });

  it('show that the outcome is unknown after a lost response, until the next event', async () => {
    const { mock, order, press, card, buttons, poll } = open();
    const orderId = await order();
    mock.faults.next('orderStatus', 'lost');
    expect(await press(orderId, 'confirm')).toBe(303);
    expect(await card(orderId)).toContain('Não se sabe se o hub processou “Confirmar”');
    expect(await buttons(orderId)).toContain('confirm');
    await poll();
    expect(await card(orderId)).not.toContain('Não se sabe');
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
      problem: expect.stringContaining('Não se sabe'),
    });
  });

  it('show why the hub refuses a command', async () => {
    const { mock, order, press, card, buttons } = open();
    const orderId = await order();
    mock.emit('CANCELLED', { orderId });
    expect(await press(orderId, 'confirm')).toBe(303);
    expect(await card(orderId)).toMatch(/“Confirmar” falhou: .*422/);
    expect(await buttons(orderId)).toContain('confirm');
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
    expect(await shop.card(orderId)).toContain(
      'O cliente solicitou o cancelamento: It &lt;b&gt;rains&lt;/b&gt;',
    );
    expect(await shop.press(orderId, command)).toBe(303);
    expect(typesAtHub(shop).at(-1)).toBe(eventType);
    const { body = '' } = requestsTo(shop.mock, 'orderStatus').at(-1) ?? {};
    expect(body && JSON.parse(body).code).toBe(code ?? '');
    await shop.poll();
    expect(await shop.buttons(orderId)).not.toContain(command);
    expect(await shop.card(orderId)).not.toMatch(/Aguardando|O cliente solicitou o cancelamento/);
  });

  it('request a cancellation with a code of the hub, which may refuse', async () => {
    const shop = open({ cancellation: 'leave' });
    const orderId = await shop.order();
    expect(await shop.press(orderId, 'requestCancellation', 'UNAVAILABLE_ITEM')).toBe(303);
    expect(await shop.buttons(orderId)).not.toContain('requestCancellation');
    expect(JSON.parse(requestsTo(shop.mock, 'orderStatus')[0]?.body ?? '')).toEqual({
      code: 'UNAVAILABLE_ITEM',
      reason: 'Falta um item',
      mode: 'MANUAL',
    });
    await shop.poll();
    expect(await shop.card(orderId)).toContain('Você solicitou o cancelamento.');
    expect(await shop.buttons(orderId)).not.toContain('requestCancellation');
    shop.mock.emit('CANCELLATION_REQUEST_DENIED', { orderId });
    await shop.poll();
    expect(await shop.buttons(orderId)).toEqual(['confirm', 'requestCancellation']);
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

describe('with AUTO_CONFIRM=1', () => {
  it('a new order is confirmed without a click, once, and its history shows the command', async () => {
    const { mock, clock, poll, card, buttons, history, app } = open({}, true);
    const { orderId, event } = mock.createOrder();
    await poll();
    await expect.poll(() => requestsTo(mock, 'orderStatus')).toHaveLength(1);
    expect(await card(orderId)).toContain('Comando registrado. Aguardando o evento do hub…');
    expect(await buttons(orderId)).not.toContain('confirm');
    mock.redeliver(event.eventId);
    await poll();
    expect(await card(orderId)).not.toContain('Aguardando');
    expect(saved(orderId)?.progress.stage).toBe('CONFIRMED');
    expect(await history(orderId)).toEqual([
      'Evento: Novo 1 Processado',
      'Comando automático: Confirmar 1 Aceito pelo hub',
      'Evento: Confirmado 1 Processado',
    ]);
    const page = await (await app.request(`/orders/${orderId}/history`)).text();
    for (const [, at = ''] of page.matchAll(/datetime="([^"]+)"/g)) {
      expect(clock.now() - Date.parse(at)).toBeLessThan(180_000);
    }
    expect(page.match(/datetime=/g)).toHaveLength(6);
  });

  it('what the hub refuses is shown, and a person decides', async () => {
    const { mock, poll, card, buttons, history } = open({}, true);
    mock.faults.next('orderStatus', { type: 'status', status: 422 });
    const { orderId } = mock.createOrder();
    await poll();
    await expect.poll(() => card(orderId)).toMatch(/“Confirmar” falhou: .*422/);
    expect(await buttons(orderId)).toContain('confirm');
    expect((await history(orderId))[1]).toMatch(/^Comando automático: Confirmar 1 Recusado pelo hub \(/);
    mock.emit('COURIER_ASSIGNED', { orderId });
    await poll();
    expect(saved(orderId)?.history).toHaveLength(2);
    expect(requestsTo(mock, 'orderStatus')).toHaveLength(1);
  });

  it('an order that was confirmed elsewhere is left as it is', async () => {
    const { mock, poll } = open({ maxEventsPerPoll: 1 }, true);
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    await poll();
    expect(saved(orderId)?.progress.stage).toBe('CONFIRMED');
    await poll();
    expect(requestsTo(mock, 'orderStatus')).toEqual([]);
  });
});

describe('the history of an order', () => {
  it('has its clicks, with what became of them', async () => {
    const { mock, order, press, poll, history } = open();
    const orderId = await order();
    mock.faults.next('orderStatus', 'lost');
    await press(orderId, 'confirm');
    await poll();
    expect(await press(orderId, 'dispatch')).toBe(303);
    await poll();
    expect(await history(orderId)).toEqual([
      'Evento: Novo 1 Processado',
      expect.stringMatching(
        /^Comando: Confirmar 1 Não se sabe se o hub processou “Confirmar” \(.*mostrar\.$/,
      ),
      'Evento: Confirmado 1 Processado',
      'Comando: Saiu para entrega 1 Aceito pelo hub',
      'Evento: Saiu para entrega 1 Processado',
    ]);
  });

  it('escapes what the hub has sent, and is not there for an unknown order', async () => {
    const { mock, app, order, poll } = open();
    const orderId = await order({ displayId: '<b>A1</b>' });
    mock.emit('<i>NEW</i>', { orderId });
    await poll();
    const html = await (await app.request(`/orders/${orderId}/history`)).text();
    expect(html).toContain('&lt;b&gt;A1&lt;/b&gt;');
    expect(html).toContain('&lt;i&gt;NEW&lt;/i&gt;');
    expect(html).not.toMatch(/<b>|<i>/);
    expect((await app.request('/orders/unknown/history')).status).toBe(404);
  });
});

describe('what the page shows', () => {
  const brl = (value: number) => ({ value, currency: 'BRL' });

  const CASH = {
    items: [
      { quantity: 2, name: 'Marinara', totalPrice: brl(99.8), options: [{ quantity: 1, name: 'Borda' }] },
    ],
    otherFees: [{ type: 'DELIVERY_FEE', name: 'Delivery', price: brl(7.9) }],
    discounts: [{ amount: brl(5), target: 'CART', sponsorshipValues: [] }],
    total: { itemsPrice: brl(99.8), otherFees: brl(7.9), discount: brl(5), orderAmount: brl(1102.7) },
    payments: {
      prepaid: 0,
      pending: 1102.7,
      methods: [{ type: 'PENDING', method: 'CASH', value: 1102.7, currency: 'BRL', changeFor: 1200 }],
    },
    customer: { name: 'Ana Souza', phone: { number: '(11) 99123-4567', extension: '12' } },
  };

  it('is what the order costs, in reais, with fees, discounts and change', async () => {
    const { order, card } = open();
    const shown = text(await card(await order(CASH)));
    expect(shown).toContain('2 × Marinara R$ 99,80');
    expect(shown).toContain('Taxa de entrega R$ 7,90 Desconto −R$ 5,00 Total R$ 1.102,70');
    expect(shown).toContain('Cobrar: Dinheiro R$ 1.102,70 , troco para R$ 1.200,00 (levar R$ 97,30)');
  });

  it('is how long an open order has waited, and when it must be confirmed', async () => {
    const { mock, clock, order, card, poll } = open();
    const orderId = await order();
    expect(text(await card(orderId))).toContain('Esperando há menos de 1 min');
    await clock.advance('4m');
    expect(text(await card(orderId))).toContain('Confirme agora: esperando há 4 min');
    mock.emit('CONFIRMED', { orderId });
    await poll();
    await clock.advance('1h');
    expect(text(await card(orderId))).toContain('Esperando há 1 h 05 min');
    mock.emit('CONCLUDED', { orderId });
    await poll();
    expect(await card(orderId)).not.toContain('Esperando há');
  });

  it('is grouped by stage, with the number of orders of each group', async () => {
    const { mock, poll, live } = open();
    for (const type of ['CREATED', 'CANCELLED', 'PREPARING', 'CREATED', 'DISPATCHED', 'READY_FOR_PICKUP']) {
      const { orderId } = mock.createOrder({ displayId: type });
      if (type !== 'CREATED') mock.emit(type, { orderId });
    }
    await poll();
    expect([...(await live()).matchAll(/<h[23][^>]*>([^<]+)/g)].map(([, heading]) => heading)).toEqual([
      ...['Novos (2)', 'CREATED', 'CREATED'],
      ...['Na cozinha (1)', 'PREPARING'],
      ...['Prontos (1)', 'READY_FOR_PICKUP'],
      ...['Saíram (1)', 'DISPATCHED'],
      ...['Encerrados (1)', 'CANCELLED'],
    ]);
  });

  it('is on the ticket too, which escapes it', async () => {
    const { app, order, card } = open();
    const orderId = await order({ ...CASH, extraInfo: '<script>alert(1)</script>' });
    const [, path = ''] = /href="(\/orders\/[^"]+)"/.exec(await card(orderId)) ?? [];
    const response = await app.request(path);
    expect(response.status).toBe(200);
    const html = await response.text();
    for (const part of [
      'Ana Souza',
      '2 × Marinara',
      'Total R$ 1.102,70',
      'levar R$ 97,30',
      'Rua dos Pinheiros, 500',
    ]) {
      expect(text(html)).toContain(part);
    }
    expect(html).not.toContain('<script>alert');
  });
});

it('shows on the page whether the hub responds', async () => {
  const { hub, mock, clock } = stage();
  const receiver = receiveEvents(hub, orders);
  const app = routes({ orders, commands: new Commands(hub, orders), receiver });
  const page = async () => (await app.request('/')).text();
  expect(await page()).toContain('Conectando ao hub…');
  mock.faults.next('polling', { type: 'status', status: 503 });
  const started = receiver.poller.start();
  await clock.advance('1s');
  expect(await page()).toMatch(/Sem receber pedidos: .*503.*Próxima consulta às\s+\d\d:\d\d:\d\d/s);
  await clock.advance('5m');
  await started;
  expect(await page()).toMatch(/Última consulta às \d\d:\d\d:\d\d/);
});

it('loads its orders and their history after a restart, and does not guess the outcome of a click', async () => {
  const dataDir = join(temporaryDirectory(), 'not', 'there', 'yet');
  const { mock, hub, clock } = stage();
  const { orderId, event, order } = mock.createOrder();
  const first = await OrderBook.open(dataDir);
  await receiveEvents(hub, first).poller.runOnce();
  first.startCommand(orderId, 'confirm', clock.now());
  first.close();
  const second = await OrderBook.open(dataDir);
  onTestFinished(() => void second.close());
  mock.redeliver(event.eventId);
  await receiveEvents(clientOf(mock, { clock }).hub, second).poller.runOnce();
  expect(mock.acknowledged()).toHaveLength(2);
  expect(await second.history(orderId)).toMatchObject({
    events: [{ eventId: event.eventId, status: 'handled', attempts: 1 }],
    clicks: [{ command: 'confirm', answeredAt: null, problem: expect.stringContaining('Não se sabe') }],
  });
  expect(second.list()).toEqual([
    {
      orderId,
      details: order,
      progress: { stage: 'CREATED', cancellation: 'none', at: Date.parse(event.createdAt) },
      accepted: [],
      sending: null,
      problem: expect.stringContaining('Não se sabe se o hub o processou'),
      history: [event],
    },
  ]);
});
