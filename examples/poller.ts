/**
 * A restaurant's evening: orders are received, written into a table, confirmed.
 *
 * With HUB_BASE_URL, HUB_CLIENT_ID and HUB_CLIENT_SECRET set (and HUB_API_KEY
 * for the menu) it works for that store until Ctrl-C; without them it plays an
 * evening against an embedded mock hub, in scaled time, and checks it at the end.
 */
import { fileURLToPath } from 'node:url';
import { HubClient, type HubClientOptions, isHubError, type OrderEvent } from 'opendelivery-client';
import { Evening } from './evening.js';
import { Table } from './table.js';

export async function main(Client: typeof HubClient = HubClient, scale?: number): Promise<void> {
  const evening = process.env.HUB_BASE_URL ? undefined : await Evening.begin(scale);
  const options: Partial<HubClientOptions> = evening?.clientOptions ?? {};
  await using hub = evening ? new Client(options as HubClientOptions) : Client.fromEnv();
  const clock = options.clock ?? { now: Date.now, monotonic: () => performance.now() };
  const table = new Table(clock);
  const say = (line: string) => console.log(`${new Date(clock.now()).toISOString().slice(11, 19)}  ${line}`);

  const poller = hub.poller();

  // Resolved means acknowledged: the hub forgets an event only after this function has returned.
  poller.on('CREATED', async (event) => {
    const { order } = await hub.orders.get(event.orderId);
    evening?.print(event.orderId); // the kitchen printer jams once
    table.write(event, order.total?.orderAmount?.value);
    // Asked first, because this may be the second try: an order is confirmed once.
    if (order.lastEvent === undefined || order.lastEvent === 'CREATED') {
      await hub.orders.confirm(event.orderId, { orderExternalCode: order.displayId ?? event.orderId });
    }
  });
  // Every other type, also those the hub may add tomorrow.
  poller.on('event', (event: OrderEvent) => {
    if (event.eventType !== 'CREATED') table.write(event);
  });

  poller.on('polled', ({ received }) => received > 0 && say(`poll: ${received} events`));
  poller.on('acknowledged', ({ eventIds }) => say(`acknowledged: ${eventIds.length} events in one request`));
  poller.on('listenerFailed', ({ event, error }) =>
    say(`NOT handled: ${event.eventType}, ${String(error)}; it will come again`),
  );
  poller.on('backoff', ({ delayMs }) =>
    say(`the hub asks to wait: next poll in ${Math.ceil(delayMs / 1000)} s`),
  );
  poller.on('recovered', () => say('polling again'));
  poller.on('error', (error) => {
    if (!isHubError(error)) return; // a listener's own error, told above
    say(`error: ${error.message}`);
  });
  hub.on('tokenRenewed', ({ expiresAt }) =>
    say(`token: good until ${new Date(expiresAt).toISOString().slice(0, 10)}`),
  );
  hub.merchant.on('updated', ({ changes }) =>
    say(`menu: ${changes.itemOffers.changed.length} offers changed`),
  );

  const hasMenu = evening !== undefined || Boolean(process.env.HUB_API_KEY);
  const readMenu = async () => {
    const { merchant, issues } = await hub.merchant.get();
    return `menu: ${merchant.itemOffers.length} offers of ${merchant.basicInfo.name}, ${issues.length} issues`;
  };
  if (hasMenu) {
    say(await readMenu());
    // Within the TTL this asks nobody.
    poller.on('polled', () => readMenu().catch((error: unknown) => say(`menu: ${String(error)}`)));
  }

  await poller.start();
  await (evening?.end() ?? interrupted());
  const report = await poller.stop();
  say(
    `stopped: ${report.handled} handled, ${report.acknowledged} acknowledged, ${report.unacknowledged.length} left`,
  );

  if (evening && !(await evening.audit(table))) process.exitCode = 1;
}

function interrupted(): Promise<void> {
  console.log('Ctrl-C stops');
  return new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
