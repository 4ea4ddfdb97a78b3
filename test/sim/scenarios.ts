import { Cluster, type ClusterOptions } from './cluster.js';
import { ShardOwners } from './shard-owners.js';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long the fleets have for their first polls before anything is measured. */
const SETTLE_MS = 2 * MINUTE_MS;

/** Two of 40 processes with 2,500 stores each: each process is complete, and Redis has the load of all. */
const TWO_OF_40 = { stores: 5000, processes: 2, scale: 20 };

export interface Scenario {
  readonly title: string;
  readonly options: Partial<ClusterOptions>;
  /** The totals of the table are those of this many such clusters. 1: what happens to the processes that are simulated. */
  readonly standsFor: number;
  readonly play: (cluster: Cluster) => Promise<void>;
}

/** Runs `work`, which waits for virtual time, while the time passes. */
async function during(cluster: Cluster, work: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const pending = work().finally(() => {
    isOver = true;
  });
  while (!isOver) await cluster.run(SECOND_MS);
  await pending;
}

async function started(cluster: Cluster): Promise<void> {
  cluster.startAll();
  await cluster.run(SETTLE_MS);
}

async function hubOutage(cluster: Cluster, outage: Cluster['hub']['outage']): Promise<void> {
  await started(cluster);
  cluster.beginPart('hub down, 10 min');
  cluster.hub.outage = outage;
  await cluster.run(10 * MINUTE_MS);
  cluster.hub.outage = undefined;
  cluster.beginPart('back, minutes 1 to 6');
  await cluster.run(6 * MINUTE_MS);
  cluster.beginPart('back, minutes 7 to 9');
  await cluster.run(3 * MINUTE_MS);
}

export const SCENARIOS = {
  start: {
    title: 'All processes start at once, without tokens',
    options: { stores: 100_000, processes: 40, hour: 11 },
    standsFor: 1,
    async play(cluster) {
      cluster.beginPart('first 30 s');
      cluster.startAll();
      await cluster.run(30 * SECOND_MS);
      cluster.beginPart('next 60 s');
      await cluster.run(MINUTE_MS);
    },
  },
  lunch: {
    title: 'The lunch peak',
    options: { ...TWO_OF_40, hour: 12 },
    standsFor: 20,
    async play(cluster) {
      await started(cluster);
      cluster.beginPart('12:02 to 12:10');
      await cluster.run(8 * MINUTE_MS);
    },
  },
  night: {
    title: 'The quiet hours',
    options: { ...TWO_OF_40, hour: 4 },
    standsFor: 20,
    async play(cluster) {
      await started(cluster);
      cluster.beginPart('4:02 to 4:08');
      await cluster.run(6 * MINUTE_MS);
    },
  },
  deploy: {
    title: 'A rolling deploy at dinner, shards by index',
    options: { ...TWO_OF_40, hour: 19 },
    standsFor: 1,
    async play(cluster) {
      await started(cluster);
      cluster.beginPart('one process after another');
      for (const index of cluster.running.keys()) {
        await during(cluster, () => cluster.stop(index));
        await cluster.run(20 * SECOND_MS);
        cluster.start(index);
        await cluster.run(32 * SECOND_MS);
      }
      cluster.beginPart('next 2 min');
      await cluster.run(2 * MINUTE_MS);
    },
  },
  handover: {
    title: 'A rolling deploy at dinner, shards handed over',
    options: { stores: 10_000, processes: 4, scale: 10, hour: 19 },
    standsFor: 1,
    async play(cluster) {
      const owners = new ShardOwners(cluster, 26);
      const indices = [...cluster.running.keys()];
      await during(cluster, async () => {
        for (const index of indices) await owners.join(index);
      });
      await cluster.run(SETTLE_MS);
      cluster.beginPart('one process after another');
      for (const index of indices) {
        await during(cluster, () => owners.leave(index));
        await cluster.run(20 * SECOND_MS);
        await during(cluster, () => owners.join(index));
        await cluster.run(32 * SECOND_MS);
      }
      cluster.beginPart('next 2 min');
      await cluster.run(2 * MINUTE_MS);
    },
  },
  crash: {
    title: 'kill -9 of one process at dinner; it starts again 5 s later',
    options: { ...TWO_OF_40, hour: 19 },
    standsFor: 1,
    async play(cluster) {
      await started(cluster);
      cluster.beginPart('kill, and 2 min');
      cluster.kill(0);
      await cluster.run(5 * SECOND_MS);
      cluster.start(0);
      await cluster.run(2 * MINUTE_MS);
      cluster.beginPart('next 2 min');
      await cluster.run(2 * MINUTE_MS);
    },
  },
  refusing: {
    title: 'The hub refuses connections for ten minutes, at dinner',
    options: { ...TWO_OF_40, hour: 19 },
    standsFor: 20,
    play: (cluster) => hubOutage(cluster, 'refuses'),
  },
  hanging: {
    title: 'The hub accepts requests and does not respond for ten minutes, at dinner',
    options: { ...TWO_OF_40, hour: 19 },
    standsFor: 20,
    play: (cluster) => hubOutage(cluster, 'hangs'),
  },
  redis: {
    title: 'Redis does not answer for one minute, at dinner',
    options: { ...TWO_OF_40, hour: 19 },
    standsFor: 20,
    async play(cluster) {
      await started(cluster);
      cluster.beginPart('Redis away, 1 min');
      cluster.redis.goAway();
      await cluster.run(MINUTE_MS);
      cluster.redis.comeBack();
      cluster.beginPart('back, minutes 1 and 2');
      await cluster.run(2 * MINUTE_MS);
      cluster.beginPart('back, minutes 3 to 5');
      await cluster.run(3 * MINUTE_MS);
    },
  },
  day: {
    title: 'A day of 100 stores in one process',
    options: { stores: 100, processes: 1, hour: 0, scale: 1 },
    standsFor: 1000,
    async play(cluster) {
      cluster.startAll();
      for (let hour = 0; hour < 24; hour += 1) {
        cluster.beginPart(`${hour}:00 to ${hour + 1}:00`);
        await cluster.run(HOUR_MS);
      }
    },
  },
  tokens: {
    title: 'The tokens of a common start end together: the seventh day of 250 stores, after a deploy',
    options: { stores: 250, processes: 1, hour: 6, ordersPerDay: 0 },
    standsFor: 400,
    async play(cluster) {
      await started(cluster);
      await during(cluster, () => cluster.stop(0));
      await cluster.run(MINUTE_MS);
      cluster.agenda.jumpTo(cluster.agenda.now + 6.5 * DAY_MS - 30 * MINUTE_MS);
      for (const store of cluster.stores) store.goodAt = undefined;
      cluster.startAll();
      for (let half = 0; half < 8; half += 1) {
        const from = 7 * DAY_MS - 12 * HOUR_MS - 30 * MINUTE_MS + half * 30 * MINUTE_MS;
        cluster.beginPart(`after 6 d ${((from % DAY_MS) / HOUR_MS).toFixed(1)} h`);
        await cluster.run(30 * MINUTE_MS);
      }
    },
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;

export interface Result {
  readonly cluster: Cluster;
  readonly parts: ReturnType<Cluster['end']>;
  /** CPU time of the simulation itself, in ms. */
  readonly cpuMs: number;
}

/** Plays a scenario. Jitter of the package under test depends on the seed too. */
export async function play(
  { play, options }: Scenario,
  other: Partial<ClusterOptions> = {},
): Promise<Result> {
  const cpu = process.cpuUsage();
  const cluster = new Cluster({ ...options, ...other });
  const { random } = Math;
  Math.random = cluster.random;
  try {
    await play(cluster);
    const { user, system } = process.cpuUsage(cpu);
    return { cluster, parts: cluster.end(), cpuMs: (user + system) / 1000 };
  } finally {
    Math.random = random;
  }
}
