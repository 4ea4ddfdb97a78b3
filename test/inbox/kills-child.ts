/** A process that writes a ticket for each order and confirms it, until it is killed; sometimes it kills itself at a chosen point. */
import { HubClient } from 'opendelivery-client';
import { type Epoch, sharedClock } from '../crash/shared-clock.js';
import { openState, type StatePlace } from '../crash/states.js';
import { type Handle, type InboxPlace, openInbox } from './places.js';

export interface KillOrders {
  readonly epoch: Epoch;
  readonly state: StatePlace;
  readonly inbox: InboxPlace;
  readonly baseUrl: string;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  /** How likely it kills itself at each of the chosen points. */
  readonly suicides: number;
}

const {
  epoch,
  state: place,
  inbox: inboxPlace,
  baseUrl,
  credentials,
  suicides,
} = JSON.parse(process.argv[2] ?? '') as KillOrders;
const clock = sharedClock(epoch);
const { state, close } = openState(place, epoch.factor);
const opened = openInbox(inboxPlace);

const mayDie = () => {
  if (Math.random() < suicides) process.kill(process.pid, 'SIGKILL');
};

const deadly: typeof fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  // Between storing and acknowledging, and between the commit and its command.
  const isChosen = url.endsWith('/acknowledgment') || url.endsWith('/confirm');
  if (isChosen) mayDie();
  const response = await fetch(input, init);
  if (isChosen) mayDie();
  return response;
};

const hub = new HubClient({
  baseUrl,
  ...credentials,
  clock,
  state,
  fetch: deadly,
  logger: false,
  timeoutMs: 300_000,
});
const options = { maxAttempts: 12, retryDelayMs: { min: 5000, max: 10_000 } };
const handle: Handle = async (orderId, commit) => {
  await clock.sleep(Math.random() * 4000);
  // Synchronous as far as the database is.
  await commit((tickets, outbox) => {
    const added = tickets.add(orderId);
    outbox.confirm(orderId);
    if (orderId.endsWith('7')) throw new Error('rolled back');
    return added;
  });
  mayDie();
};

const poller = opened.poller(hub, options, handle);
poller.on('error', () => {});
process.once('SIGTERM', async () => {
  await poller.stop();
  await hub.close();
  await close();
  await opened.close();
});
console.log('started');
await poller.start();
