import { HubFleet, type PollerOptions } from 'opendelivery-client';
import { Agenda } from './agenda.js';
import { Figures } from './figures.js';
import { HubModel } from './hub-model.js';
import { Machine } from './machine.js';
import { OrderVolume } from './order-volume.js';
import { type Latency, latencyOf, randomOf } from './random.js';
import { RedisModel } from './redis-model.js';
import { SimulatedStore } from './simulated-store.js';

const HOUR_MS = 3_600_000;

export interface ClusterOptions {
  readonly stores: number;
  readonly processes: number;
  /** The time of day at which it begins. Default: 3 o'clock. */
  readonly hour: number;
  readonly ordersPerDay: number;
  readonly requestsInFlight: number;
  readonly seed: number;
  /** Of the hub, there and back. */
  readonly hub: Latency;
  /** Of Redis, there and back. */
  readonly redis: Latency;
  /** What a listener waits for, for example a database. */
  readonly listener: Latency;
  /** CPU time of a process for a poll or another request, in ms. */
  readonly requestMs: number;
  /** CPU time of a process for a command to Redis, in ms. */
  readonly redisClientMs: number;
  /** CPU time of a process for an event, in ms. */
  readonly eventMs: number;
  /** Time of Redis for a command, in ms. */
  readonly redisServiceMs: number;
  /** How many processes each simulated one stands for, where all share Redis. */
  readonly scale: number;
  readonly poller: PollerOptions;
}

/** See the guide "Many stores" for where these come from. */
export const DEFAULTS: ClusterOptions = {
  stores: 200,
  processes: 4,
  hour: 3,
  ordersPerDay: 60,
  requestsInFlight: 64,
  seed: 1,
  hub: { medianMs: 80, spread: 0.7 },
  redis: { medianMs: 0.6, spread: 0.5 },
  listener: { medianMs: 10, spread: 0.8 },
  requestMs: 0.15,
  redisClientMs: 0.03,
  eventMs: 0.1,
  redisServiceMs: 0.015,
  scale: 1,
  poller: {},
};

interface Running {
  readonly fleet: HubFleet<unknown>;
  readonly machine: Machine;
}

/** Processes with a fleet each, the Redis that they share, and the hub of their stores. */
export class Cluster {
  readonly options: ClusterOptions;
  readonly agenda = new Agenda();
  readonly hub: HubModel;
  readonly redis: RedisModel;
  readonly stores: SimulatedStore[];
  readonly violations: string[] = [];
  readonly parts: Figures[] = [];
  /** By process; undefined: it is stopped. */
  readonly running: (Running | undefined)[];
  readonly #shares: SimulatedStore[][];
  readonly random: () => number;
  #usedMsOfGone = 0;
  #usedMsBefore = 0;

  constructor(options: Partial<ClusterOptions> = {}) {
    const all = { ...DEFAULTS, ...options };
    const { hour, stores, processes, seed, ordersPerDay } = all;
    this.options = all;
    const { agenda } = this;
    agenda.now = hour * HOUR_MS;
    const random = randomOf(seed);
    this.random = random;
    const onViolation = (message: string) => void this.violations.push(message);
    this.hub = new HubModel({
      agenda,
      random,
      latency: all.hub,
      requestMs: all.requestMs,
      figures: () => this.figures,
      onViolation,
    });
    this.redis = new RedisModel({
      agenda,
      random,
      latency: all.redis,
      serviceMs: all.redisServiceMs,
      clientMs: all.redisClientMs,
      scale: all.scale,
    });
    this.stores = Array.from(
      { length: stores },
      (_, number) =>
        new SimulatedStore(number, new OrderVolume(ordersPerDay, agenda.now, random), onViolation),
    );
    this.#shares = Array.from({ length: processes }, () => []);
    for (const [index, store] of this.stores.entries()) {
      this.hub.add(store);
      this.#shares[index % processes]?.push(store);
    }
    this.running = this.#shares.map(() => undefined);
    this.beginPart('');
  }

  /** What is measured now. */
  get figures(): Figures {
    return this.parts.at(-1) as Figures;
  }

  /** From now on, measures something else. */
  beginPart(name: string): void {
    if (this.parts.length > 0) this.#endPart();
    this.parts.push(new Figures(name, this.agenda.now));
  }

  /** Ends the last part. */
  end(): readonly Figures[] {
    this.#endPart();
    return this.parts.filter(({ name }) => name !== '');
  }

  #endPart(): void {
    const { figures, redis } = this;
    figures.to = this.agenda.now;
    const usedMs = this.#usedMs();
    figures.usedMs = usedMs - this.#usedMsBefore;
    figures.machines = this.options.processes;
    this.#usedMsBefore = usedMs;
    for (const [second, count] of redis.perSecond) {
      if (second * 1000 < figures.from || second * 1000 >= figures.to) continue;
      figures.redisCommands += count;
      figures.mostRedisPerSecond = Math.max(figures.mostRedisPerSecond, count);
    }
  }

  #usedMs(): number {
    return this.running.reduce((sum, each) => sum + (each?.machine.usedMs ?? 0), this.#usedMsOfGone);
  }

  run(ms: number): Promise<void> {
    return this.agenda.runUntil(this.agenda.now + ms);
  }

  startAll(): void {
    for (const index of this.running.keys()) this.start(index);
  }

  start(index: number): void {
    const share = this.#shares[index] as SimulatedStore[];
    const running = this.newFleet(share);
    this.running[index] = running;
    running.fleet.start().catch(() => {});
  }

  /** A process with a fleet that has these stores, not started. */
  newFleet(stores: readonly SimulatedStore[]): Running {
    const { eventMs, listener, requestsInFlight, poller } = this.options;
    const machine = new Machine(this.agenda);
    const fleet = new HubFleet({
      baseUrl: 'https://hub.example',
      fetch: this.hub.fetchOf(machine),
      clock: machine,
      state: this.redis.stateOf(machine),
      logger: false,
      stores: stores.map(({ account }) => account),
      requestsInFlight,
      poller,
    });
    fleet.on('error', () => void (this.figures.failed += 1));
    fleet.on('event', async ({ eventId, eventType, orderId }, { storeId, hub }) => {
      machine.spend(eventMs);
      if (eventType === 'CREATED') await hub.orders.get(orderId);
      await machine.sleep(latencyOf(listener, this.random));
      this.hub.handled(storeId, eventId, machine);
    });
    return { fleet, machine };
  }

  /** A deploy ends the process with SIGTERM. Resolves when it has ended. */
  async stop(index: number): Promise<void> {
    const running = this.running[index];
    await running?.fleet.stop();
    this.#usedMsOfGone += running?.machine.usedMs ?? 0;
    this.running[index] = undefined;
  }

  /** `kill -9`. */
  kill(index: number): void {
    const running = this.running[index];
    running?.machine.kill();
    this.#usedMsOfGone += running?.machine.usedMs ?? 0;
    this.running[index] = undefined;
  }

  /** Events that are not acknowledged though they are older than this. */
  overdueEvents(olderThanMs: number): number {
    const before = this.agenda.now - olderThanMs;
    return this.stores.reduce(
      (sum, { pending }) => sum + [...pending.values()].filter(({ createdAt }) => createdAt < before).length,
      0,
    );
  }
}
