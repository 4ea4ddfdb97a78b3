/** Code of an application. It is compiled as ESM and as CommonJS, and never run. */
import {
  type AnyHubError,
  type CancellationMetadata,
  type Clock,
  type EventContext,
  HubClient,
  type HubClientOptions,
  isHubError,
  type Logger,
  type Merchant,
  type Money,
  memoryState,
  type Offer,
  type Order,
  type OrderEvent,
  type OrderItem,
  type OrderPayment,
  type StandardSchema,
  type State,
  type StopReport,
  systemClock,
} from 'opendelivery-client';
import { merchantSchema, orderSchema } from 'opendelivery-client/schemas';
import {
  createMockHub,
  type Fault,
  type Json,
  ManualClock,
  type MockHub,
  scaledClock,
} from 'opendelivery-client/testing';

interface Ticket {
  readonly id: string;
  readonly total: number;
}

declare const ticketSchema: StandardSchema<Ticket>;

const logger: Logger = {
  debug: () => {},
  info: (message, fields) => console.log(message, fields),
  warn: console.warn,
  error: console.error,
};

export const options = {
  baseUrl: 'https://hub.example',
  clientId: '1234',
  clientSecret: async () => 'secret',
  retry: { attempts: 2 },
  rateLimit: { mode: 'throw' },
  clock: systemClock,
  state: memoryState(),
  logger,
} satisfies HubClientOptions;

export const hub = new HubClient(options);

/** Its type is written into a declaration, so the package has to export each name in it. */
export const ticketOrderSchema = orderSchema.pick({ id: true, lastEvent: true });

export class Kitchen {
  readonly tickets = new Map<string, Ticket>();
  readonly #hub: HubClient;

  constructor({ state, clock }: { state?: State; clock?: Clock } = {}) {
    this.#hub = HubClient.fromEnv({ ...(state && { state }), ...(clock && { clock }) });
  }

  async open(signal: AbortSignal): Promise<() => Promise<StopReport>> {
    const poller = this.#hub.poller({ concurrency: 4 });
    poller.on('CREATED', (event, context) => this.#receive(event, context));
    poller.on('CANCELLED', ({ orderId, metadata }) => {
      console.log(reasonOf(metadata));
      this.tickets.delete(orderId);
    });
    poller.on('event', ({ eventType, createdAt }) => console.log(eventType, createdAt?.slice(0, 10)));
    poller.on('LOYALTY_POINTS_EARNED' as string, (event) => console.log(event.orderId));
    poller.once('started', ({ at }) => console.log(new Date(at)));
    poller.on('deadLetter', ({ event, attempts }) => console.log(event.eventId, attempts));
    poller.on('error', (error) => console.log(describe(error)));
    await poller.start({ signal });
    return () => poller.stop({ timeoutMs: 5000 });
  }

  async #receive({ orderId }: OrderEvent<'CREATED'>, { signal }: EventContext): Promise<void> {
    const { order } = await this.#hub.orders.get(orderId, { schema: ticketSchema, signal });
    this.tickets.set(order.id, order);
    await this.#hub.orders.confirm(orderId, { preparationTime: 20 }, { signal });
  }
}

export function describe(error: unknown): string {
  if (!isHubError(error)) return String(error);
  const known: AnyHubError = error;
  switch (known.code) {
    case 'rate_limit':
      return `wait ${known.retryAfterMs} ms`;
    case 'authentication':
      return `${known.which} refused: ${known.status}`;
    case 'invalid_response':
      return known.issues.map(({ path }) => path.join('.')).join();
    default:
      return known.retryable ? 'again' : known.message;
  }
}

export async function menuOf(client: HubClient): Promise<readonly string[]> {
  client.merchant.on('updated', ({ changes }) => console.log(changes.itemOffers.changed.length));
  const { merchant, stale } = await client.merchant.get({ fresh: true });
  const same: Merchant = merchantSchema.parse(merchant);
  return stale === 'error' ? [] : same.items.map(({ name }) => name ?? 'without a name');
}

export async function once(): Promise<number> {
  await using client = new HubClient(options);
  const { events } = await client.events.poll();
  const { rejected } = await client.events.acknowledge(events);
  const orders: Order[] = [];
  for (const { orderId } of events) orders.push((await client.orders.get(orderId)).order);
  return rejected.length + orders.reduce((sum, order) => sum + (order.total?.orderAmount?.value ?? 0), 0);
}

function reasonOf(metadata: CancellationMetadata | undefined): string {
  return metadata?.reason ?? metadata?.code ?? 'no reason';
}

/** The named types of the fields are the types that the documents have. */
export function receipt(order: Order, offers: readonly Offer[]): readonly string[] {
  const money = (amount?: Money): string => (amount ? `${amount.value} ${amount.currency}` : 'free');
  const line = ({ name, totalPrice, options = [] }: OrderItem): string =>
    [name ?? 'without a name', money(totalPrice), ...options.map((option) => option.name)].join(' ');
  const payment = ({ method, value = 0, changeFor }: OrderPayment): string =>
    method === 'CASH' && changeFor ? `change ${changeFor - value}` : `${method} ${value}`;
  const dearest = Math.max(...offers.map(({ price }) => price.originalValue ?? price.value));
  return [...order.items.map(line), ...(order.payments?.methods ?? []).map(payment), `${dearest}`];
}

/** A document is a JSON object, as a database or a logger takes it. */
export const record = (order: Order): Readonly<Record<string, unknown>> => order;

export async function rehearse(fault: Fault): Promise<MockHub> {
  const clock = new ManualClock('2026-01-01');
  const mock = createMockHub({ clock, emptyPoll: '[]' });
  const client = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock });
  mock.faults.next('polling', fault);
  const document: Json = mock.createOrder({ displayId: '7' }).order;
  mock.publishMerchant((merchant) => {
    merchant.status = 'UNAVAILABLE';
  });
  await new Kitchen({ clock: scaledClock(60) }).open(AbortSignal.timeout(1000));
  const release = clock.hold();
  await clock.advance('30s').finally(release);
  await client.close();
  console.log(document.id, mock.violations()[0]?.rule);
  return mock;
}
