import type { HubClientOptions } from 'opendelivery-client';
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
  ...more,
});

const ORDERS: readonly Json[] = [
  {
    customer: { name: 'Ana Souza' },
    items: [item(1, 'Margherita', 54.9)],
    total: { orderAmount: reais(62.8) },
  },
  {
    type: 'TAKEOUT',
    delivery: null,
    customer: { name: 'Bruno Lima' },
    items: [item(2, 'Marinara', 49.9, { specialInstructions: 'One without garlic, please' })],
    total: { orderAmount: reais(99.8) },
    payments: { prepaid: 0, pending: 99.8 },
  },
  {
    customer: { name: 'Clara Dias' },
    items: [
      item(1, 'Margherita', 54.9, { options: [{ quantity: 1, name: 'Filled crust' }] }),
      item(3, 'Guaraná', 8.5),
    ],
    total: { orderAmount: reais(98.2) },
  },
  {
    type: 'INDOOR',
    delivery: null,
    customer: { name: 'Table 7' },
    items: [item(1, 'Marinara', 49.9), item(1, 'Guaraná', 8.5)],
    total: { orderAmount: reais(58.4) },
  },
];

/** Starts a mock hub in this process, to try the application: customers order, and some cancel. */
export function startDemoHub(): { readonly options: HubClientOptions; readonly stop: () => void } {
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
      const metadata = { reason: 'It takes too long' };
      if (count % 4 === 2) mock.emit('ORDER_CANCELLATION_REQUEST', { orderId, metadata });
    }
    await pass(1);
  }
}
