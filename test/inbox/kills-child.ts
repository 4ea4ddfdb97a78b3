/** A process that writes a ticket for each order and confirms it, until it is killed; sometimes it kills itself at a chosen point. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { HubClient, isHubError } from 'opendelivery-client';
import { type Epoch, sharedClock } from '../crash/shared-clock.js';
import { openState, type StatePlace } from '../crash/states.js';
import { type Handle, type InboxPlace, openInbox, PROCESS_HEADER } from './places.js';

export interface KillOrders {
  readonly epoch: Epoch;
  readonly state: StatePlace;
  readonly inbox: InboxPlace;
  readonly baseUrl: string;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  /** The name of this process, which it sends to the hub. */
  readonly name: string;
  /** How likely it kills itself at each of the chosen points. */
  readonly suicides: number;
}

const {
  epoch,
  state: place,
  inbox: inboxPlace,
  baseUrl,
  credentials,
  name,
  suicides,
} = JSON.parse(process.argv[2] ?? '') as KillOrders;
const clock = sharedClock(epoch);
const { state, close } = openState(place, epoch.factor);
/** On SIGUSR2 it stops itself in its next commit: the lease has been checked, and the transaction has not begun. */
let mayStop = false;
const committing = new AsyncLocalStorage<string>();
let stoppedIn = '';
process.on('SIGUSR2', () => {
  mayStop = true;
});
const opened = openInbox(inboxPlace, () => {
  const orderId = committing.getStore();
  if (!mayStop || orderId === undefined) return;
  mayStop = false;
  stoppedIn = orderId;
  console.log(`stopping ${orderId}`);
  process.kill(process.pid, 'SIGSTOP');
});

const mayDie = () => {
  if (Math.random() < suicides) process.kill(process.pid, 'SIGKILL');
};

const headersOf = (init: RequestInit | undefined) => Object.fromEntries(new Headers(init?.headers));

const deadly: typeof fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  // Between storing and acknowledging, and between the commit and its command.
  const isChosen = url.endsWith('/acknowledgment') || url.endsWith('/confirm');
  if (isChosen) mayDie();
  const response = await fetch(input, { ...init, headers: { ...headersOf(init), [PROCESS_HEADER]: name } });
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
  console.log(`begun ${orderId}`);
  await clock.sleep(Math.random() * 4000);
  const committed = committing.run(orderId, () =>
    commit((tickets, outbox) => {
      const added = tickets.add(orderId);
      outbox.confirm(orderId);
      if (orderId.endsWith('7')) throw new Error('rolled back');
      return added;
    }),
  );
  await committed.catch((error: unknown) => {
    const isLost = isHubError(error) && error.code === 'lease_lost';
    if (isLost) console.log(`refused ${orderId} ${stoppedIn === orderId ? 'after-check' : 'by-check'}`);
    throw error;
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
