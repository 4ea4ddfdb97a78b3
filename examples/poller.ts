/**
 * A restaurant's evening: receives orders, saves them in a table, and confirms them.
 *
 * With HUB_BASE_URL, HUB_CLIENT_ID and HUB_CLIENT_SECRET (and HUB_API_KEY for
 * the menu) it handles that store's events until Ctrl-C. Without them it simulates an
 * evening with an embedded mock hub, faster than real time, and checks the result.
 */
import { fileURLToPath } from 'node:url';
import {
  closeOnSignal,
  HubClient,
  type HubClientOptions,
  isHubError,
  type OrderEvent,
} from 'opendelivery-client';
import { Evening } from './evening.js';
import { Table } from './table.js';

export async function main(Client: typeof HubClient = HubClient): Promise<void> {
  const evening = process.env.HUB_BASE_URL ? undefined : await Evening.start();
  const options: Partial<HubClientOptions> = evening?.clientOptions ?? {};
  const hub = evening ? new Client(options as HubClientOptions) : Client.fromEnv();
  const clock = options.clock ?? { now: Date.now, monotonic: () => performance.now() };
  const table = new Table(clock);
  const log = (line: string) => console.log(`${new Date(clock.now()).toISOString().slice(11, 19)}  ${line}`);

  const poller = hub.poller();

  // The event is acknowledged when this listener resolves, and not before.
  poller.on('CREATED', async (event) => {
    const { order } = await hub.orders.get(event.orderId);
    evening?.print(event.orderId); // the kitchen printer fails once
    table.write(event, order.total?.orderAmount?.value);
    // This may be the second attempt: `confirm` also resolves if the order is confirmed already.
    if (order.lastEvent !== 'CANCELLED') {
      await hub.orders.confirm(event.orderId, { orderExternalCode: order.displayId ?? event.orderId });
    }
  });
  // All other types, also those that the hub adds later.
  poller.on('event', (event: OrderEvent) => {
    if (event.eventType !== 'CREATED') table.write(event);
  });

  poller.on('polled', ({ received }) => received > 0 && log(`poll: ${received} events`));
  poller.on('acknowledged', ({ eventIds }) => log(`acknowledged: ${eventIds.length} events in one request`));
  poller.on('listenerFailed', ({ event, error }) =>
    log(`listener failed: ${event.eventType}, ${String(error)}; the hub will send the event again`),
  );
  poller.on('backoff', ({ delayMs }) => log(`backing off: next poll in ${Math.ceil(delayMs / 1000)} s`));
  poller.on('recovered', () => log('polling again'));
  poller.on('error', (error) => {
    if (!isHubError(error)) return; // an error of a listener, logged above
    log(`error: ${error.message}`);
  });
  hub.on('tokenRenewed', ({ expiresAt }) =>
    log(`token: valid until ${new Date(expiresAt).toISOString().slice(0, 10)}`),
  );
  hub.merchant.on('updated', ({ changes }) =>
    log(`menu: ${changes.itemOffers.changed.length} offers changed`),
  );

  const hasMenu = evening !== undefined || Boolean(process.env.HUB_API_KEY);
  const describeMenu = async () => {
    const { merchant, issues } = await hub.merchant.get();
    return `menu: ${merchant.itemOffers.length} offers of ${merchant.basicInfo.name}, ${issues.length} issues`;
  };
  if (hasMenu) {
    log(await describeMenu());
    // Within the TTL this sends no request.
    poller.on('polled', () => describeMenu().catch((error: unknown) => log(`menu: ${String(error)}`)));
  }

  if (!evening) {
    console.log('stop with Ctrl-C');
    closeOnSignal(hub); // stops the poller, and prints what became of the events
    await poller.start();
    return;
  }
  await poller.start();
  await evening.end();
  const { handled, acknowledged, unacknowledged } = await poller.stop();
  log(`stopped: ${handled} handled, ${acknowledged} acknowledged, ${unacknowledged.length} left at the hub`);
  await hub.close();
  if (!(await evening.check(table))) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
