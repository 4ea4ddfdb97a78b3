import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { StartRedis } from '../../state/redis/server.js';
import { breachesOf, gapsMs, sizeOf } from './account.js';
import { Crew, type Member, SHARDS } from './crew.js';

/** The defaults of a poller. */
export const INTERVAL_MS = 30_000;
export const LEASE_MS = 45_000;

/** What is done to the processes or to Redis. */
export interface Scenario {
  readonly name: string;
  readonly disturb: (crew: Crew) => Promise<void>;
  /** Redis has forgotten who held what. */
  readonly isForgotten?: boolean;
  /** Commands wait in the processes until Redis is back. */
  readonly isAway?: boolean;
}

const anyOf = (crew: Crew): Member => [...crew.members][0] as Member;

/** A process for each one, ready before the old one gets SIGTERM. */
async function roll(crew: Crew): Promise<void> {
  for (const old of [...crew.members]) {
    await crew.add();
    await crew.retire(old);
  }
}

async function restartRedis({ redis }: Crew): Promise<void> {
  await redis.kill();
  await pause(8000);
  await redis.restart();
}

export const SCENARIOS = {
  killAndStop: {
    name: 'a process is killed while another one is suspended for 3 s',
    async disturb(crew) {
      const [killed, suspended] = [...crew.members] as [Member, Member];
      await Promise.all([crew.suspend(suspended, 3000), crew.kill(killed).then(() => crew.add())]);
    },
  },
  kill: {
    name: 'a process is killed',
    async disturb(crew) {
      await crew.kill(anyOf(crew));
      await crew.add();
    },
  },
  leave: { name: 'a process leaves', disturb: async (crew) => void (await crew.retire(anyOf(crew))) },
  join: { name: 'a process joins', disturb: async (crew) => void (await crew.add()) },
  roll: { name: 'all processes are replaced one by one', disturb: roll },
  stop3: { name: 'a process is suspended for 3 s', disturb: (crew) => crew.suspend(anyOf(crew), 3000) },
  stop20: { name: 'a process is suspended for 20 s', disturb: (crew) => crew.suspend(anyOf(crew), 20_000) },
  block: {
    name: 'the event loop of a process is blocked for 8 s',
    async disturb(crew) {
      anyOf(crew).child.send(8000);
      await pause(8000);
    },
  },
  pause: {
    name: 'Redis answers nobody for 8 s',
    async disturb(crew) {
      await crew.client.client('PAUSE', 8000, 'ALL');
      await pause(8000);
    },
  },
  restart: {
    name: 'Redis is away for 8 s and has lost its data',
    disturb: restartRedis,
    isForgotten: true,
    isAway: true,
  },
  restartAof: {
    name: 'Redis is away for 8 s and has kept its data',
    disturb: restartRedis,
    isAway: true,
  },
  flush: {
    name: 'Redis loses its data',
    disturb: async (crew) => void (await crew.client.flushall()),
    isForgotten: true,
  },
} as const satisfies Record<string, Scenario>;

/**
 * How long a store may be without a poll after a disturbance, in ms. Its lease
 * outlasts a process that is gone, and may even be renewed by a command that waited
 * in the process for Redis. The shards wait for a lock if Redis has lost its data.
 */
export function longestWaitMs(lockMs: number, { isForgotten, isAway }: Scenario): number {
  const takeOverMs = (isForgotten ? 2 * lockMs : lockMs) + 7000;
  const untilLeaseEndsMs = LEASE_MS + (isAway ? INTERVAL_MS / 3 : 0) + 2000;
  return Math.max(takeOverMs + INTERVAL_MS, untilLeaseEndsMs);
}

export interface PlayOptions {
  /** Options of the Redis server. */
  readonly redis?: readonly string[];
  /** Whether the commands that Redis gets are counted too. */
  readonly isCounting?: boolean;
}

/** Runs scenarios one after another. @returns what went wrong, and figures. */
export async function play(
  startRedis: StartRedis,
  lockMs: number,
  scenarios: readonly Scenario[],
  { redis = [], isCounting = false }: PlayOptions = {},
) {
  const crew = await Crew.start(startRedis, lockMs, ...redis);
  try {
    const late: string[] = [];
    const figures: Record<string, object> = {};
    for (const scenario of scenarios) {
      const from = performance.now();
      const at = process.hrtime.bigint();
      await scenario.disturb(crew);
      const disturbedS = secondsOf(performance.now() - from);
      const [evenMs, polledMs] = await Promise.all([crew.even(), crew.pollOfEach()]);
      const gaps = gapsMs(crew, at);
      figures[scenario.name] = {
        disturbedS,
        evenS: secondsOf(evenMs),
        polledS: secondsOf(polledMs),
        gapS: secondsOf(gaps.at(-1) ?? 0),
        // A store whose poll was due while its shard was with nobody.
        missed: gaps.filter((gap) => gap > 1.5 * INTERVAL_MS).length,
      };
      const allowedMs = longestWaitMs(lockMs, scenario);
      if (polledMs > allowedMs) late.push(`${scenario.name}: a store was polled after ${polledMs} ms`);
    }
    const commandsOf = isCounting ? await commandsPerPoll(crew) : undefined;
    const shards = crew.update();
    await crew.finish();
    const uneven = shards.filter((held) => held > Math.ceil(SHARDS / shards.length));
    return {
      breaches: [...breachesOf(crew), ...late, ...uneven.map((held) => `a process holds ${held} shards`)],
      figures: { lockMs, ...figures, commandsPerPoll: commandsOf, shards, ...sizeOf(crew) },
    };
  } finally {
    await crew.close();
  }
}

/** The commands that Redis gets in a quiet interval: of BullMQ and of the state, for each poll. Those in a script count apart. */
async function commandsPerPoll(crew: Crew) {
  const counts = { queue: 0, queueInScripts: 0, state: 0, stateInScripts: 0 };
  const pollsBefore = crew.polls.length;
  const socket = connect(crew.redis.socketPath);
  socket.write('MONITOR\r\n');
  createInterface({ input: socket }).on('line', (line) => {
    const owner = line.includes('"opendelivery:') ? 'state' : 'queue';
    counts[line.includes(' lua] ') ? (`${owner}InScripts` as const) : owner] += 1;
  });
  await pause(INTERVAL_MS);
  socket.destroy();
  const polls = crew.polls.length - pollsBefore;
  const perPoll = Object.entries(counts).map(([name, count]) => [
    name,
    Math.round((count / polls) * 100) / 100,
  ]);
  return { polls, ...Object.fromEntries(perPoll) };
}

const secondsOf = (ms: number) => Math.round(ms / 100) / 10;
