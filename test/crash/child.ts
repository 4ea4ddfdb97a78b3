/** A process that handles a store's events until it is killed. It writes each start and end of a run to its journal. */
import { appendFileSync } from 'node:fs';
import { HubClient } from 'opendelivery-client';
import { type Epoch, sharedClock } from './shared-clock.js';
import { openState, type StatePlace } from './states.js';

export interface ChildOrders {
  readonly epoch: Epoch;
  readonly place: StatePlace;
  readonly journal: string;
  readonly baseUrl: string;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
}

const { epoch, place, journal, baseUrl, credentials } = JSON.parse(process.argv[2] ?? '') as ChildOrders;
const clock = sharedClock(epoch);
const { state, close } = openState(place, epoch.factor);
const hub = new HubClient({
  baseUrl,
  ...credentials,
  clock,
  state,
  logger: false,
  // A short delay of the machine is long in scaled time.
  timeoutMs: 300_000,
});
const poller = hub.poller();
poller.on('event', async ({ eventId }) => {
  appendFileSync(journal, `begin ${eventId}\n`);
  await clock.sleep(Math.random() * 4000);
  appendFileSync(journal, `end ${eventId}\n`);
});
poller.on('error', (error) => appendFileSync(journal, `error ${JSON.stringify(error.message)}\n`));
process.once('SIGTERM', async () => {
  await poller.stop();
  await hub.close();
  await close();
});
console.log('started');
await poller.start();
