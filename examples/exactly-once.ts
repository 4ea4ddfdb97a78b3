/**
 * Exactly-once processing. A listener runs at least once: after a crash between
 * the listener and the client's mark, the hub sends the event again. The effect
 * happens once if the event id is saved in the same database transaction.
 *
 * With HUB_BASE_URL, HUB_CLIENT_ID and HUB_CLIENT_SECRET it handles the events of
 * that store until Ctrl-C, and keeps its database and the client's state in DATA_DIR
 * (default: ./exactly-once). Without them it uses an embedded mock hub.
 */
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { fileState, HubClient, type HubClientOptions, type OrderEvent } from 'opendelivery-client';
import { createMockHub, scaledClock } from 'opendelivery-client/testing';

/** Opens the application's database: the ids of handled events, and tickets for the kitchen. */
export function openDatabase(directory: string): Database.Database {
  mkdirSync(directory, { recursive: true });
  const database = new Database(join(directory, 'tickets.db'));
  database.exec(`
    create table if not exists events (event_id text primary key);
    create table if not exists tickets (number integer primary key, order_id text not null, what text not null);
  `);
  return database;
}

/** Saves the event id and the ticket in one transaction. Does nothing if the event id is already saved. */
export function handleOnce(database: Database.Database, { eventId, orderId, eventType }: OrderEvent): void {
  const save = database.transaction(() => {
    const { changes } = database
      .prepare('insert into events (event_id) values (?) on conflict do nothing')
      .run(eventId);
    if (changes === 0) return; // handled before a crash
    database.prepare('insert into tickets (order_id, what) values (?, ?)').run(orderId, eventType);
  });
  save.immediate();
}

/** Handles a store's events until the promise that `until` returns has resolved. Returns the number of tickets. */
export async function run(
  options: HubClientOptions,
  directory: string,
  until: (hub: HubClient) => Promise<unknown>,
): Promise<number> {
  const database = openDatabase(directory);
  await using state = fileState(join(directory, 'state'));
  await using hub = new HubClient({ state, ...options });
  const poller = hub.poller();
  poller.on('event', (event) => handleOnce(database, event));
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
    const interrupted = () =>
      new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
    console.log(`${await run(options, DATA_DIR, interrupted)} tickets in ${DATA_DIR}`);
    return;
  }
  const directory = await mkdtemp(join(tmpdir(), 'exactly-once-'));
  const clock = scaledClock(60);
  const mock = createMockHub({ clock });
  const options = { baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch, clock };
  for (let count = 0; count < 5; count += 1) mock.createOrder();
  const allAcknowledged = async () => {
    while (mock.pending().length > 0) await clock.sleep(1000);
  };
  console.log(`${await run(options, directory, allAcknowledged)} tickets for 5 events`);
  // Simulates a crash before the client's mark: the state is lost, and the hub sends all events again.
  await rm(join(directory, 'state'), { recursive: true });
  for (const { eventId } of mock.emitted()) mock.redeliver(eventId);
  console.log(
    `${await run(options, directory, allAcknowledged)} tickets after the hub sent all events again`,
  );
  await rm(directory, { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
