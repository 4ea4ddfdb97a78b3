/** One of several processes that share a store. It writes every run of its listener to its own journal. */
import { appendFileSync } from 'node:fs';
import { type Clock, ClosedError, HubClient } from 'opendelivery-client';
import { type Epoch, sharedClock } from '../crash/shared-clock.js';
import { openState, type StatePlace } from '../crash/states.js';

export interface ChildOrders {
  readonly epoch: Epoch;
  readonly place: StatePlace;
  readonly journal: string;
  readonly baseUrl: string;
  readonly registerUrl: string;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
  /** A run takes up to this long, in virtual ms. */
  readonly runMs: number;
  /** Orders handled in parallel. */
  readonly concurrency: number;
  /** This share of the runs takes longer than the lease. */
  readonly longShare: number;
}

const LONG_RUN_MS = 50_000;

const orders = JSON.parse(process.argv[2] ?? '') as ChildOrders;
const { epoch, journal } = orders;
const shared = sharedClock(epoch);
/** The SDK's last look at its clock: before it calls a listener, the check of the lease. Undefined if something was awaited since. */
let checkedAt: bigint | undefined;
const clock: Clock = {
  ...shared,
  monotonic() {
    checkedAt = process.hrtime.bigint();
    queueMicrotask(() => {
      checkedAt = undefined;
    });
    return shared.monotonic();
  },
};
const { state, close } = openState(orders.place, epoch.factor);
const hub = new HubClient({
  baseUrl: orders.baseUrl,
  ...orders.credentials,
  clock,
  state,
  logger: false,
  // Identifies the process in the hub's journal.
  appInfo: { name: 'process', version: String(process.pid) },
  // A short delay of the machine is long in scaled time.
  timeoutMs: 60_000,
});

/** Writes a line with the time of the machine's monotonic clock, which all processes share. */
function record(what: string, ...words: readonly (string | number | bigint)[]): void {
  appendFileSync(journal, `${[what, process.hrtime.bigint(), ...words].join(' ')}\n`);
}

/** The application's database write; this listener ignores `context.signal`, so only the fence protects the row. */
async function write(line: object): Promise<boolean> {
  const response = await fetch(orders.registerUrl, { method: 'POST', body: JSON.stringify(line) });
  await response.arrayBuffer();
  return response.status === 200;
}

const poller = hub.poller({ concurrency: orders.concurrency });
poller.on('event', async ({ eventId, orderId, eventType }, { fence }) => {
  record('begin', eventId, fence, checkedAt ?? process.hrtime.bigint());
  const isLong = Math.random() < orders.longShare;
  await clock.sleep(isLong ? LONG_RUN_MS : Math.random() * orders.runMs);
  const isAccepted = await write({ eventId, orderId, eventType, fence, pid: process.pid });
  record(isAccepted ? 'end' : 'refused', eventId, fence);
  if (!isAccepted) throw new Error('another process has this order now');
});
poller.on('error', (error) => record('error', JSON.stringify(`${error.name}: ${error.message}`)));
poller.on('standby', () => console.log('ready'));
poller.on('started', () => console.log('ready'));
process.once('SIGTERM', async () => {
  await poller.stop();
  await hub.close();
  await close();
});
await poller.start().catch((error: unknown) => {
  if (!(error instanceof ClosedError)) throw error;
});
