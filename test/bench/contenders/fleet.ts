import { monitorEventLoopDelay } from 'node:perf_hooks';
import { importHub } from '../packages.js';
import { usedBytes } from '../turns.js';
import { EXCHANGES } from './exchanges.js';

export interface FleetInput {
  /** The hub's address with label and number of events. */
  readonly hub: string;
  readonly stores: number;
  /** How long the stores poll while the CPU time is measured. */
  readonly forMs: number;
}

/** Between two polls of a store. */
export const INTERVAL_MS = 30_000;

const storeOf = (index: number) => ({
  storeId: `store-${index}`,
  clientId: String(1000 + index),
  clientSecret: `secret of store ${1000 + index}`,
});

async function fleetOf(hub: string, stores: number) {
  const { HubFleet, memoryState } = await importHub();
  const fleet = new HubFleet({
    baseUrl: hub,
    state: memoryState(),
    logger: false,
    stores: Array.from({ length: stores }, (_, index) => storeOf(index)),
  });
  return fleet.on('CREATED', () => {});
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The share of one core that the process uses during `forMs`, in percent. */
async function coreShare(forMs: number): Promise<number> {
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await sleep(forMs);
  const { user, system } = process.cpuUsage(cpu);
  return ((user + system) / 1000 / (performance.now() - startedAt)) * 100;
}

/** One timer for all stores, a tick each 100 ms. */
export async function oneTimer({ hub, stores, forMs }: FleetInput): Promise<number> {
  const exchange = await EXCHANGES.rawUndici(hub);
  let next = 0;
  const startedAt = performance.now();
  setInterval(() => {
    const due = ((performance.now() - startedAt) / INTERVAL_MS) * stores;
    for (; next < due; next += 1) void exchange.poll();
  }, 100);
  await sleep(1000);
  return coreShare(forMs);
}

/** An interval for each store. */
export async function intervals({ hub, stores, forMs }: FleetInput): Promise<number> {
  const exchange = await EXCHANGES.rawUndici(hub);
  for (let store = 0; store < stores; store += 1) {
    setTimeout(() => setInterval(() => exchange.poll(), INTERVAL_MS), (store / stores) * INTERVAL_MS);
  }
  // Each interval runs its first poll one interval after its start.
  await sleep(Math.min(INTERVAL_MS, forMs));
  return coreShare(forMs);
}

/** A HubClient with a poller for each store, its start spread over the interval. */
export async function hubClients({ hub, stores, forMs }: FleetInput): Promise<number> {
  const { HubClient } = await importHub();
  const spreadMs = Math.min(INTERVAL_MS, forMs);
  for (let store = 0; store < stores; store += 1) {
    const { clientId, clientSecret } = storeOf(store);
    const client = new HubClient({ baseUrl: hub, clientId, clientSecret, logger: false });
    const poller = client.poller().on('CREATED', () => {});
    setTimeout(() => poller.start(), (store / stores) * spreadMs);
  }
  await sleep(spreadMs + 500);
  return coreShare(forMs);
}

export async function hubFleet({ hub, stores, forMs }: FleetInput): Promise<number> {
  await (await fleetOf(hub, stores)).start();
  return coreShare(forMs);
}

/** What a fleet needs, from its start on. */
export interface FleetRun {
  /** Until every store was polled once. */
  readonly startMs: number;
  /** Of one core, in percent, for `forMs` after the start. */
  readonly coreShare: number;
  /** In use at the end, after a full collection. */
  readonly heapBytes: number;
}

export async function fleetRun({ hub, stores, forMs }: FleetInput): Promise<FleetRun> {
  const fleet = await fleetOf(hub, stores);
  const startedAt = performance.now();
  await fleet.start();
  const startMs = performance.now() - startedAt;
  await fetch(new URL('/forget-gaps', hub));
  return { startMs, coreShare: await coreShare(forMs), heapBytes: usedBytes() };
}

/** Bytes per store of a fleet that has polled every store once. */
export async function hubFleetHeap({ hub, stores }: FleetInput): Promise<number> {
  // What the first one loads or compiles belongs to the process, not to a store.
  await (await fleetOf(hub, 1)).start();
  const before = usedBytes();
  await (await fleetOf(hub, stores)).start();
  return (usedBytes() - before) / stores;
}

/** The first polls of all stores, in ms. */
export interface MassStart {
  /** How long a poll took, the slowest hundredth left out. */
  readonly p99Ms: number;
  /** The longest time for which the event loop did nothing else. */
  readonly blockedMs: number;
}

async function massStart(
  start: (polled: (durationMs: number) => void) => Promise<unknown>,
): Promise<MassStart> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const durations: number[] = [];
  delay.enable();
  await start((durationMs) => durations.push(durationMs));
  delay.disable();
  durations.sort((one, other) => one - other);
  return { p99Ms: durations[Math.floor(durations.length * 0.99)] ?? Number.NaN, blockedMs: delay.max / 1e6 };
}

export async function startAtOnce({ hub, stores }: FleetInput): Promise<MassStart> {
  const exchange = await EXCHANGES.rawUndici(hub);
  return massStart((polled) =>
    Promise.all(Array.from({ length: stores }, () => timedPoll(exchange, polled))),
  );
}

/** The polls spread evenly over `forMs`. */
export async function startSpread({ hub, stores, forMs }: FleetInput): Promise<MassStart> {
  const exchange = await EXCHANGES.rawUndici(hub);
  return massStart(async (polled) => {
    const polls: Promise<void>[] = [];
    const startedAt = performance.now();
    while (polls.length < stores) {
      const due = Math.min(stores, ((performance.now() - startedAt) / forMs) * stores);
      while (polls.length < due) polls.push(timedPoll(exchange, polled));
      await sleep(10);
    }
    await Promise.all(polls);
  });
}

async function timedPoll(
  exchange: { poll(): Promise<unknown> },
  polled: (durationMs: number) => void,
): Promise<void> {
  const startedAt = performance.now();
  await exchange.poll();
  polled(performance.now() - startedAt);
}

export async function startFleet({ hub, stores }: FleetInput): Promise<MassStart> {
  // As in the other two: loading it takes 90 ms, once in a process.
  await import('undici');
  const fleet = await fleetOf(hub, stores);
  return massStart((polled) => {
    fleet.on('polled', ({ durationMs }) => polled(durationMs));
    return fleet.start();
  });
}

/** CPU time of the constructors of a client for each store, in ms. */
export async function constructors({ hub, stores }: FleetInput): Promise<number> {
  const { HubClient } = await importHub();
  const cpu = process.cpuUsage();
  const clients = Array.from({ length: stores }, (_, index) => {
    const { clientId, clientSecret } = storeOf(index);
    return new HubClient({ baseUrl: hub, clientId, clientSecret, logger: false });
  });
  const { user, system } = process.cpuUsage(cpu);
  return clients.length === stores ? (user + system) / 1000 : Number.NaN;
}
