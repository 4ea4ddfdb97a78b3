import type { HubClientOptions } from 'opendelivery-client';
import { createMockHub, type Json, type MockHub, scaledClock } from 'opendelivery-client/testing';

const MINUTE_MS = 60_000;

/** A minute passes in two seconds. */
const SCALE = 30;

/** No more are ordered until some of these are finished. */
const MAX_OPEN = 6;

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

/** The mock hub in this process, to try the application out: its customers order, and some think better of it. */
export function pretendHub(): { readonly options: HubClientOptions; readonly close: () => void } {
  const clock = scaledClock(SCALE);
  const mock = createMockHub({ clock, latencyMs: () => 5000 + Math.random() * 5000 });
  const ending = new AbortController();
  play(mock, (minutes) => clock.sleep(minutes * MINUTE_MS, ending.signal)).catch(() => {}); // ends by its signal
  return {
    options: {
      baseUrl: mock.baseUrl,
      ...mock.credentials,
      fetch: mock.fetch,
      clock,
      timeoutMs: 5 * MINUTE_MS, // ten seconds of ours
    },
    close: () => ending.abort(),
  };
}

async function play(mock: MockHub, pass: (minutes: number) => Promise<void>): Promise<void> {
  for (let count = 0; ; count += 1) {
    const last = new Map(mock.emitted().map(({ orderId, eventType }) => [orderId, eventType]));
    for (const [orderId, eventType] of last) {
      if (eventType === 'DELIVERED' || eventType === 'PICKED_UP') mock.emit('CONCLUDED', { orderId });
    }
    const open = [...last.values()].filter((eventType) => !['CONCLUDED', 'CANCELLED'].includes(eventType));
    if (open.length < MAX_OPEN) {
      const { orderId } = mock.createOrder(ORDERS[count % ORDERS.length]);
      await pass(1);
      const metadata = { reason: 'It takes too long' };
      if (count % 4 === 2) mock.emit('ORDER_CANCELLATION_REQUEST', { orderId, metadata });
    }
    await pass(1);
  }
}
