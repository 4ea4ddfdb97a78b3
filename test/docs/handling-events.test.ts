import {
  isHubError,
  nextCommands,
  type Order,
  type OrderEvent,
  type OrderProgress,
  orderProgress,
} from 'opendelivery-client';
import { afterEach, expect, it, vi } from 'vitest';
import { afterAdvance, stage } from '../support.js';
import { typesOf } from './support.js';

afterEach(() => void vi.restoreAllMocks());

it('saves an order by its id, so a second run changes nothing', async () => {
  const { hub, mock, clock } = stage();
  const database = new Map<string, Order>();
  const orders = { save: async (orderId: string, order: Order) => void database.set(orderId, order) };
  const poller = hub.poller();
  // #region save-by-key
  poller.on('CREATED', async (event) => {
    const { order } = await hub.orders.get(event.orderId);
    await orders.save(event.orderId, order); // insert or update by orderId
    if (order.lastEvent !== 'CANCELLED') await hub.orders.confirm(event.orderId);
  });
  // #endregion
  mock.faults.next('orderStatus', 'reset'); // the first confirm does not reach the hub
  const { orderId } = mock.createOrder();
  await poller.start();
  await clock.advance('1s');
  expect(mock.pending()).toHaveLength(1);
  await clock.advance('1m');
  expect([...database.keys()]).toEqual([orderId]);
  expect(typesOf(mock.emitted())).toEqual(['CREATED', 'CONFIRMED']);
  expect(mock.pending()).toEqual([]);

  // The customer wants to cancel before the order was seen: the store may deny that, and the order goes on.
  const asked = mock.createOrder();
  mock.emit('ORDER_CANCELLATION_REQUEST', { orderId: asked.orderId });
  await clock.advance('1m');
  const ofAsked = mock.emitted().filter((event) => event.orderId === asked.orderId);
  expect(typesOf(ofAsked)).toContain('CONFIRMED');
});

it('sends every event type to the listeners of event', async () => {
  const { hub, mock, clock } = stage();
  const lines: string[] = [];
  const audit = { write: async (event: OrderEvent) => void lines.push(event.eventType) };
  const poller = hub.poller();
  // #region every-type
  poller.on('event', (event) => audit.write(event)); // every type
  poller.on('REFUNDED' as string, (event) => audit.write(event)); // a type that only your hub has
  // #endregion
  const { orderId } = mock.createOrder();
  mock.emit('REFUNDED', { orderId });
  await poller.start();
  await clock.advance('30s');
  expect(lines.sort()).toEqual(['CREATED', 'REFUNDED', 'REFUNDED']);
});

it('iterates over the events, and acknowledges each at the end of the body', async () => {
  const { hub, mock, clock } = stage();
  const saved: OrderEvent[] = [];
  const save = async (event: OrderEvent, _attempt: number) => void saved.push(event);
  const poller = hub.poller();
  const controller = new AbortController();
  const { signal } = controller;
  const iterating = (async () => {
    // #region iterate
    for await (const { event, context } of poller.events({ signal })) {
      await save(event, context.attempt); // the end of the body acknowledges the event
    }
    // #endregion
  })();
  const { eventId } = mock.createOrder().event;
  await clock.advance('10s');
  expect(saved.map((event) => event.eventId)).toEqual([eventId]);
  expect(mock.pending()).toEqual([]);
  controller.abort();
  await iterating;
  expect(poller.health().status).toBe('idle');
});

it('passes the signal on, so a slow listener ends when its time is over', async () => {
  const { hub, mock, clock } = stage();
  const printer = {
    print: (_order: Order, { signal }: { signal: AbortSignal }) => clock.sleep(90_000, signal),
  };
  // #region slow-listener
  const poller = hub.poller({ listenerTimeoutMs: 20_000 });
  poller.on('CREATED', async (event, { signal }) => {
    const { order } = await hub.orders.get(event.orderId, { signal });
    await printer.print(order, { signal }); // rejects when the signal aborts
  });
  // #endregion
  const codes: unknown[] = [];
  poller.on('error', ({ code }) => codes.push(code));
  mock.createOrder();
  await poller.start();
  await clock.advance('25s');
  expect(codes).toContain('timeout');
  expect(mock.pending()).toHaveLength(1);
});

it('gives an event that fails five times to deadLetter', async () => {
  const { hub, mock, clock } = stage();
  const parked: OrderEvent[] = [];
  const parkingLot = {
    save: async (event: OrderEvent, _attempts: number, _reason: string) => void parked.push(event),
  };
  // #region dead-letter
  const poller = hub.poller({ maxAttempts: 5 });
  poller.on('deadLetter', async ({ event, attempts, error }) => {
    await parkingLot.save(event, attempts, String(error)); // resolved: the event is acknowledged
  });
  // #endregion
  poller.on('CREATED', () => {
    throw new Error('the ticket cannot be printed');
  });
  const { orderId } = mock.createOrder();
  await poller.start();
  await clock.advance('10m');
  expect(parked.map((event) => event.orderId)).toEqual([orderId]);
  expect(mock.pending()).toEqual([]);
});

it('stores the progress of an order, and shows a button for each command', async () => {
  const { hub, mock, clock } = stage();
  const rows = new Map<string, string>();
  const database = {
    load: async (id: string) => JSON.parse(rows.get(id) ?? 'null') as OrderProgress | null,
    save: async (id: string, progress: OrderProgress) => void rows.set(id, JSON.stringify(progress)),
  };
  const poller = hub.poller();
  // #region order-progress
  poller.on('event', async (event) => {
    const progress = orderProgress(await database.load(event.orderId), event);
    await database.save(event.orderId, progress); // plain JSON
  });
  // #endregion
  const { orderId } = mock.createOrder({ sendPreparing: true } as never);
  mock.emit('CONFIRMED', { orderId });
  const { eventId } = mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
  mock.emit('CANCELLED_DENIED', { orderId });
  await poller.start();
  await clock.advance('1m');
  mock.redeliver(eventId);
  await clock.advance('1m');
  const progress = (await database.load(orderId)) as OrderProgress;
  expect(progress).toMatchObject({ stage: 'CONFIRMED', cancellation: 'denied' });
  const buttons: string[] = [];
  const showButton = (name: string) => buttons.push(name);
  // #region next-commands
  const { order } = await hub.orders.get(orderId);
  for (const name of nextCommands(progress, order)) showButton(name);
  // #endregion
  expect(buttons).toEqual(['preparing', 'readyForPickup', 'dispatch', 'requestCancellation']);
});

it('reads the order before it repeats a command whose outcome is unknown', async () => {
  const { hub, mock, clock } = stage();
  // #region unknown-outcome
  async function confirm(orderId: string): Promise<void> {
    try {
      await hub.orders.confirm(orderId);
    } catch (error) {
      if (!isHubError(error) || error.outcome !== 'unknown') throw error;
      const { order } = await hub.orders.get(orderId);
      if (order.lastEvent !== 'CANCELLED') await hub.orders.confirm(orderId);
    }
  }
  // #endregion
  const { orderId } = mock.createOrder();
  mock.faults.next('orderStatus', 'lost'); // the hub confirms it, and the response is lost
  await afterAdvance(clock, '1m', confirm(orderId));
  expect(typesOf(mock.emitted())).toEqual(['CREATED', 'CONFIRMED']);
});

it('reports a command whose effect is there already', async () => {
  const { hub, mock } = stage();
  const { orderId } = mock.createOrder();
  mock.emit('CONFIRMED', { orderId });
  const log = vi.spyOn(console, 'log').mockReturnValue();
  // #region already-there
  const { alreadyThere } = await hub.orders.confirm(orderId);
  if (alreadyThere) console.log('it was confirmed before');
  // #endregion
  expect(log.mock.calls).toEqual([['it was confirmed before']]);
});

it('answers a cancellation request, also when it comes twice or too late', async () => {
  const { hub, mock, clock } = stage();
  const kitchen = { hasStarted: async (orderId: string) => orderId !== fresh.orderId };
  const poller = hub.poller();
  // #region cancellation-request
  poller.on('ORDER_CANCELLATION_REQUEST', async ({ orderId }) => {
    try {
      if (await kitchen.hasStarted(orderId)) {
        const denial = { reason: 'It is in the oven', code: 'DISH_ALREADY_DONE' };
        await hub.orders.denyCancellation(orderId, denial);
      } else await hub.orders.acceptCancellation(orderId);
    } catch (error) {
      if (!isHubError(error) || error.code !== 'unexpected_status' || error.status !== 422) throw error;
      const { order } = await hub.orders.get(orderId);
      // Otherwise it was answered, or the order is over.
      if (order.lastEvent === 'ORDER_CANCELLATION_REQUEST') throw error;
    }
  });
  // #endregion
  poller.on('CREATED', () => {});
  const started = mock.createOrder();
  const fresh = mock.createOrder();
  const over = mock.createOrder();
  const denied = mock.createOrder();
  for (const { orderId } of [started, fresh, over, denied])
    mock.emit('ORDER_CANCELLATION_REQUEST', { orderId });
  mock.emit('CANCELLED', { orderId: over.orderId });
  await hub.orders.denyCancellation(denied.orderId, {
    reason: 'It is in the oven',
    code: 'DISH_ALREADY_DONE',
  });
  await hub.orders.confirm(denied.orderId);
  mock.faults.next('orderStatus', 'lost', 2);
  await poller.start();
  await clock.advance('2m');
  const answers = mock.emitted().filter(({ eventType }) => eventType.startsWith('CANCELLED'));
  expect(Object.fromEntries(answers.map(({ orderId, eventType }) => [orderId, eventType]))).toEqual({
    [started.orderId]: 'CANCELLED_DENIED',
    [fresh.orderId]: 'CANCELLED',
    [over.orderId]: 'CANCELLED',
    [denied.orderId]: 'CANCELLED_DENIED',
  });
  expect(mock.pending()).toEqual([]);
});

it('asks the hub to cancel', async () => {
  const { hub, mock } = stage({ cancellation: 'deny' });
  const { orderId } = mock.createOrder();
  // #region request-cancellation
  await hub.orders.requestCancellation(orderId, {
    reason: 'No mozzarella left',
    code: 'UNAVAILABLE_ITEM',
    mode: 'MANUAL',
  });
  // #endregion
  expect(typesOf(mock.emitted())).toEqual([
    'CREATED',
    'CANCELLATION_REQUESTED',
    'CANCELLATION_REQUEST_DENIED',
  ]);
});

it('runs one cycle, for a scheduler', async () => {
  const { hub, mock } = stage();
  mock.createOrder();
  const poller = hub.poller();
  poller.on('event', () => {});
  const log = vi.spyOn(console, 'log').mockReturnValue();
  // #region run-once
  const report = await poller.runOnce();
  if (report.skipped) console.log(`another process polls; ask again in ${report.retryAfterMs} ms`);
  else console.log(`${report.handled} handled, ${report.failures.length} failed`);
  // #endregion
  expect(report).toMatchObject({ handled: 1, failures: [] });
  expect(log.mock.calls).toEqual([['1 handled, 0 failed']]);
});
