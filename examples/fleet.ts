/**
 * A chain of 200 restaurants in one process: `node --import tsx examples/fleet.ts`
 *
 * One line per minute says how the stores are doing. The hub is a mock hub, 30
 * times faster than real time; one store has a wrong secret, and one listener fails.
 */
import { pathToFileURL } from 'node:url';
import { type Clock, type FleetHealth, type FleetStore, HubFleet } from 'opendelivery-client';
import { createMockHub, scaledClock } from 'opendelivery-client/testing';

const STORES = 200;
const MINUTE_MS = 60_000;

/** In your application, a query of your database. The fleet calls it again every minute. */
async function storesOfTheChain(): Promise<FleetStore[]> {
  return Array.from({ length: STORES }, (_, index) => ({
    storeId: `restaurant-${index + 1}`,
    clientId: String(1001 + index),
    clientSecret: index === 12 ? 'a wrong secret' : `the secret of restaurant ${index + 1}`,
  }));
}

/** Runs the chain for some minutes. @returns what the fleet said of itself at the end. */
export async function main(
  clock: Clock,
  minutes: number,
  print: (line: string) => void,
): Promise<FleetHealth> {
  const mock = createMockHub({ clock });
  for (const [index, { clientId }] of (await storesOfTheChain()).entries()) {
    mock.addStore({
      clientId,
      clientSecret: `the secret of restaurant ${index + 1}`,
      apiKey: `the API key of restaurant ${index + 1}`,
    });
  }

  const saved = new Map<string, string>(); // your database
  const fleet = new HubFleet({
    baseUrl: mock.baseUrl,
    fetch: mock.fetch,
    clock,
    logger: false,
    stores: storesOfTheChain,
  });
  fleet.on('CREATED', async (event, { storeId, hub, attempt }) => {
    if (storeId === 'restaurant-7' && attempt === 1) throw new Error('its printer is out of paper');
    const { order } = await hub.orders.get(event.orderId);
    saved.set(event.orderId, storeId); // may run twice for one event: save by key
    if (order.lastEvent !== 'CANCELLED') await hub.orders.confirm(event.orderId);
  });
  fleet.on('event', () => {}); // the other types are only acknowledged
  fleet.on('error', (error, { storeId = 'the stores' }) => print(`${storeId}: ${error.message}`));

  const started = fleet.start();
  for (let minute = 1; minute <= minutes; minute += 1) {
    for (let order = 0; order < 20; order += 1) {
      // Some are for the store whose listener fails at first.
      const index = order % 10 === 0 ? 6 : (minute * 37 + order * 11) % STORES;
      if (index !== 12) mock.createOrder({ clientId: String(1001 + index) });
    }
    await clock.sleep(MINUTE_MS);
    const { polling, backingOff, refused, running, unacknowledged, ...health } = fleet.health();
    const failing = health.failingListeners.map(({ storeId, error }) => `${storeId} (${error.message})`);
    print(
      `minute ${minute}: ${saved.size} orders saved; ${polling} stores polled, ${backingOff} backing off, ${refused} refused; ` +
        `${running} listeners running, ${unacknowledged} events open; oldest poll ${Math.round(health.oldestPollMs / 1000)} s ago; ` +
        `failing listeners: ${failing.join(', ') || 'none'}`,
    );
  }
  await started;
  const health = fleet.health();
  const reports = await fleet.stop();
  const handled = [...reports.values()].reduce((sum, report) => sum + report.handled, 0);
  print(`stopped: ${handled} events handled for ${reports.size} stores`);
  return health;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(scaledClock(30), 5, console.log);
}
