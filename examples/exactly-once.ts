/**
 * One ticket for each order, and one confirmation for each ticket, whatever is killed: the event, the ticket and the
 * command are committed in one transaction.
 *
 * With HUB_BASE_URL, HUB_CLIENT_ID and HUB_CLIENT_SECRET it handles the orders of that store until Ctrl-C, and keeps its
 * database and the client's state in DATA_DIR (default: ./exactly-once). Without them it uses an embedded mock hub.
 */
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { closeOnSignal, fileState, HubClient, type HubClientOptions } from 'opendelivery-client';
import { sqliteInbox } from 'opendelivery-client/sql';
import { createMockHub, scaledClock } from 'opendelivery-client/testing';

/** Handles a store's orders until the promise that `until` returns has resolved. Returns the number of tickets. */
export async function run(
  options: HubClientOptions,
  directory: string,
  until: (hub: HubClient) => Promise<unknown>,
): Promise<number> {
  mkdirSync(directory, { recursive: true });
  await using state = fileState(join(directory, 'state'));
  await using hub = new HubClient({ state, ...options });
  const database = new Database(join(directory, 'tickets.db'));
  database.exec('create table if not exists tickets (number integer primary key, order_id text)');
  const inbox = sqliteInbox(database);
  await inbox.migrate();
  const poller = hub.poller({ inbox });
  poller.on('CREATED', async ({ orderId }, { commit }) => {
    await commit((tx, outbox) => {
      tx.prepare('insert into tickets (order_id) values (?)').run(orderId);
      outbox.confirm(orderId);
    });
  });
  poller.on('error', (error) => console.error(error.message));
  await poller.start();
  await until(hub);
  await poller.stop();
  const { count } = database.prepare('select count(*) as count from tickets').get() as { count: number };
  database.close();
  return count;
}

async function main(): Promise<void> {
  const { HUB_BASE_URL, HUB_CLIENT_ID = '', HUB_CLIENT_SECRET = '', DATA_DIR = 'exactly-once' } = process.env;
  if (HUB_BASE_URL) {
    const options = { baseUrl: HUB_BASE_URL, clientId: HUB_CLIENT_ID, clientSecret: HUB_CLIENT_SECRET };
    const interrupted = (hub: HubClient) =>
      new Promise<void>((resolve) => void closeOnSignal(hub, { close: () => resolve() }));
    console.log(`${await run(options, DATA_DIR, interrupted)} tickets in ${DATA_DIR}`);
    return;
  }
  const directory = await mkdtemp(join(tmpdir(), 'exactly-once-'));
  const clock = scaledClock(60);
  const mock = createMockHub({ clock });
  const options = { baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock };
  const orders = Array.from({ length: 5 }, () => mock.createOrder());
  const confirmations = () => mock.emitted().filter(({ eventType }) => eventType === 'CONFIRMED').length;
  const isQuiet = async () => {
    while (mock.pending().length > 0 || confirmations() < orders.length) await clock.sleep(1000);
  };
  const report = async (when: string) => {
    const tickets = await run(options, directory, isQuiet);
    console.log(`${tickets} tickets and ${confirmations()} confirmations ${when}`);
  };
  await report('for 5 orders');
  for (const { event } of orders) mock.redeliver(event.eventId);
  await report('after the hub sent all events again');
  await rm(directory, { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
