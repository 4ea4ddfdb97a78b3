import type { Clock, HubClientOptions } from 'opendelivery-client';
import { createMockHub, type Json, type MockHub, scaledClock } from 'opendelivery-client/testing';

const MINUTE_MS = 60_000;

/** A minute takes two seconds. */
const SCALE = 30;

/** No new orders while this many are open. */
const MAX_OPEN_ORDERS = 6;

const reais = (value: number) => ({ value, currency: 'BRL' });

const item = (quantity: number, name: string, unitPrice: number, more: Json = {}): Json => ({
  quantity,
  name,
  unitPrice: reais(unitPrice),
  totalPrice: reais(quantity * unitPrice),
  ...more,
});

const customer = (name: string, number: string): Json => ({ name, phone: { number } });

/** What an order costs, and how it is paid: before, or with `cash`. */
function costs(itemsPrice: number, fee: number, cash?: number): Json {
  const value = Math.round((itemsPrice + fee) * 100) / 100;
  const method = cash
    ? { type: 'PENDING', method: 'CASH', changeFor: cash }
    : { type: 'PREPAID', method: 'PIX' };
  return {
    otherFees: fee > 0 ? [{ type: 'DELIVERY_FEE', name: 'Entrega', price: reais(fee) }] : [],
    total: { itemsPrice: reais(itemsPrice), otherFees: reais(fee), orderAmount: reais(value) },
    payments: {
      prepaid: cash ? 0 : value,
      pending: cash ? value : 0,
      methods: [{ ...method, value, currency: 'BRL' }],
    },
  };
}

const FLAGS: Json = { sendPreparing: true, sendPickedUp: true, sendDelivered: true };

const ORDERS: readonly Json[] = [
  {
    ...FLAGS,
    customer: customer('Ana Souza', '(11) 99123-4567'),
    items: [item(1, 'Margherita', 54.9)],
    ...costs(54.9, 7.9),
  },
  {
    ...FLAGS,
    type: 'TAKEOUT',
    delivery: null,
    customer: customer('Bruno Lima', '(11) 98765-4321'),
    items: [item(2, 'Marinara', 49.9, { specialInstructions: 'Uma sem alho, por favor' })],
    ...costs(99.8, 0, 120),
  },
  {
    ...FLAGS,
    customer: customer('Clara Dias', '(11) 99876-5432'),
    items: [
      item(1, 'Margherita', 54.9, { options: [{ quantity: 1, name: 'Borda recheada' }] }),
      item(3, 'Guaraná', 8.5),
    ],
    ...costs(80.4, 9.9, 100),
    extraInfo: 'O interfone não funciona: ligar na chegada',
  },
  {
    ...FLAGS,
    type: 'INDOOR',
    delivery: null,
    indoor: { mode: 'PLACE', place: '7' },
    customer: { name: 'Davi' },
    items: [item(1, 'Marinara', 49.9), item(1, 'Guaraná', 8.5)],
    ...costs(58.4, 0),
  },
];

/** Starts a mock hub in this process, to try the application: customers order, and some cancel. */
export function startDemoHub(): {
  readonly options: HubClientOptions;
  readonly clock: Clock;
  readonly stop: () => void;
} {
  const clock = scaledClock(SCALE);
  const mock = createMockHub({ clock, latencyMs: () => 5000 + Math.random() * 5000 });
  const stopping = new AbortController();
  simulateCustomers(mock, (minutes) => clock.sleep(minutes * MINUTE_MS, stopping.signal)).catch(() => {}); // aborted
  return {
    options: {
      baseUrl: mock.baseUrl,
      ...mock.credentials,
      fetch: mock.fetch,
      clock,
      timeoutMs: 5 * MINUTE_MS, // ten seconds of real time
    },
    clock,
    stop: () => stopping.abort(),
  };
}

async function simulateCustomers(mock: MockHub, pass: (minutes: number) => Promise<void>): Promise<void> {
  for (let count = 0; ; count += 1) {
    const lastEvents = new Map(mock.emitted().map(({ orderId, eventType }) => [orderId, eventType]));
    for (const [orderId, eventType] of lastEvents) {
      if (eventType === 'DELIVERED' || eventType === 'PICKED_UP') mock.emit('CONCLUDED', { orderId });
    }
    const open = [...lastEvents.values()].filter(
      (eventType) => !['CONCLUDED', 'CANCELLED'].includes(eventType),
    );
    if (open.length < MAX_OPEN_ORDERS) {
      const { orderId } = mock.createOrder(ORDERS[count % ORDERS.length]);
      await pass(1);
      const metadata = { reason: 'Está demorando demais' };
      if (count % 4 === 2) mock.emit('ORDER_CANCELLATION_REQUEST', { orderId, metadata });
    }
    await pass(1);
  }
}
