import type { HubClient } from 'opendelivery-client';
import { importHub } from '../packages.js';
import { JumpClock } from './jump-clock.js';
import type { Turns } from './main.js';

export interface PollersInput {
  /** The hub's address with label and number of events. */
  readonly hub: string;
  readonly stores: number;
  /** How often each store polls in a turn. */
  readonly polls: number;
  /** Events in each poll. */
  readonly events: number;
  readonly listener?: 'sync' | 'async';
}

/** Longer than the windows of the hub's limits: every quota is free again. */
const A_WINDOW_MS = 61_000;
/** Longer than the interval between two polls. */
const AN_INTERVAL_MS = 30_500;

const SETTLED_MS = 300;

/** The clients of some stores, which share a clock. */
export async function clientsOf(hub: string, stores: number, clock: JumpClock): Promise<HubClient[]> {
  const { HubClient } = await importHub();
  return Array.from(
    { length: stores },
    (_, index) =>
      new HubClient({
        baseUrl: hub,
        clientId: String(1000 + index),
        clientSecret: `secret of store ${1000 + index}`,
        clock,
        logger: false,
      }),
  );
}

/** `runOnce`: one poll with all that follows, as a cron job or a queue worker calls it. */
export async function runOnce({
  hub,
  stores,
  polls,
  events,
  listener = 'sync',
}: PollersInput): Promise<Turns> {
  const clock = new JumpClock();
  const clients = await clientsOf(hub, stores, clock);
  const handle = listenerOf(listener);
  const pollers = clients.map((client) => client.poller().on('CREATED', handle));
  return {
    async run() {
      for (let poll = 0; poll < polls; poll += 1) {
        clock.jump(A_WINDOW_MS);
        const reports = await Promise.all(pollers.map((poller) => poller.runOnce()));
        for (const report of reports) {
          if (report.skipped || report.acknowledged !== events) {
            throw new Error(`${events} acknowledged events expected: ${JSON.stringify(report)}`);
          }
        }
      }
    },
  };
}

/** Pollers that run, as in an application: each is due when the clock has moved by an interval. */
export async function running({
  hub,
  stores,
  polls,
  events,
  listener = 'sync',
}: PollersInput): Promise<Turns> {
  const clock = new JumpClock();
  const clients = await clientsOf(hub, stores, clock);
  const handle = listenerOf(listener);
  let missing = 0;
  let done = () => {};
  const one = () => {
    missing -= 1;
    if (missing === 0) done();
  };
  const pollers = clients.map((client) => {
    const poller = client.poller().on('CREATED', handle);
    return events === 0 ? poller.on('polled', one) : poller.on('acknowledged', one);
  });
  await Promise.all(pollers.map((poller) => poller.start()));
  // The acknowledgments of the first poll are not part of a turn.
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  return {
    async run() {
      for (let poll = 0; poll < polls; poll += 1) {
        const polled = new Promise<void>((resolve) => {
          done = resolve;
        });
        missing = stores;
        clock.jump(AN_INTERVAL_MS);
        await polled;
        // What follows the last step of a cycle.
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    },
  };
}

function listenerOf(kind: 'sync' | 'async') {
  const handled: Record<string, number> = {};
  const handle = ({ eventType }: { readonly eventType: string }) => {
    handled[eventType] = (handled[eventType] ?? 0) + 1;
  };
  if (kind === 'sync') return handle;
  return async (event: { readonly eventType: string }) => {
    // An application writes to its database here, which takes at least one turn of the queue.
    await null;
    handle(event);
  };
}
