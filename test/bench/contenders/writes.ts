import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis as Ioredis } from 'ioredis';
import type { State } from 'opendelivery-client';
import { importHub, importPeer, importRedis } from '../packages.js';
import { JumpClock } from './jump-clock.js';

export interface WritesInput {
  /** The hub's address with a label. */
  readonly hub: string;
  readonly polls: readonly MeasuredPoll[];
}

/** The second poll of a store, by a running poller or by `runOnce`. */
export interface MeasuredPoll {
  readonly events: number;
  readonly by: 'start' | 'runOnce';
}

const AN_INTERVAL_MS = 30_500;
const SETTLED_MS = 300;

const settled = () => new Promise((resolve) => setTimeout(resolve, SETTLED_MS));

/** For each poll: what `count` shows until its events are acknowledged. */
async function perPoll({ hub, polls }: WritesInput, stateOf: () => State, count: () => number) {
  const { HubClient } = await importHub();
  const counts: number[] = [];
  for (const { events, by } of polls) {
    const clock = new JumpClock();
    const client = new HubClient({
      // The first poll gets no events: it is not measured, because it also obtains the token.
      baseUrl: `${hub}/0-${events}`,
      clientId: `${by}-${events}`,
      clientSecret: 'a secret',
      state: stateOf(),
      clock,
      logger: false,
    });
    const poller = client.poller();
    let handled = 0;
    poller.on('CREATED', () => {
      handled += 1;
    });
    await (by === 'start' ? poller.start() : poller.runOnce());
    await settled();
    const before = count();
    clock.jump(AN_INTERVAL_MS);
    if (by === 'runOnce') await poller.runOnce();
    while (handled < events || poller.health().unacknowledged > 0) await settled();
    await settled();
    counts.push(count() - before);
    await poller.stop();
    await client.close();
  }
  return counts;
}

/** What `redisState` sends, for each poll. */
export interface RedisCounts {
  readonly commands: readonly number[];
  /** Commands of which each was sent after the reply of the one before: those that are sent together count once. */
  readonly roundTrips: readonly number[];
}

/** Counts what the state sends to a Redis of its own. */
export async function redisCounts(input: WritesInput): Promise<RedisCounts | string> {
  const folder = await mkdtemp(join(tmpdir(), 'opendelivery-bench-'));
  const path = join(folder, 'redis.sock');
  const flags = ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no', '--dir', folder];
  const server = spawn('redis-server', flags, { stdio: 'ignore' });
  try {
    const failed = await Promise.race([once(server, 'error').then(() => true), settled().then(() => false)]);
    if (failed) return 'needs redis-server';
    const { Redis } = (await importPeer('ioredis')) as { Redis: typeof Ioredis };
    const redis = new Redis({ path });
    const { redisState } = await importRedis();
    let commands = 0;
    /** The longest chain of commands so far, and the longest one that is answered. */
    let sentTrips = 0;
    let answeredTrips = 0;
    const counted = async (reply: Promise<unknown>) => {
      commands += 1;
      const trip = answeredTrips + 1;
      sentTrips = Math.max(sentTrips, trip);
      try {
        return await reply;
      } finally {
        answeredTrips = Math.max(answeredTrips, trip);
      }
    };
    const counting = {
      status: 'ready',
      evalsha: (...[sha1, keys, ...rest]: [string, number, ...string[]]) =>
        counted(redis.evalsha(sha1, keys, ...rest)),
      eval: (...[script, keys, ...rest]: [string, number, ...string[]]) =>
        counted(redis.eval(script, keys, ...rest)),
    };
    const state = redisState(counting);
    // Redis has no script yet: the first use of each takes a round trip more.
    await perPoll(
      { ...input, polls: [{ events: 1, by: 'runOnce' }] },
      () => state,
      () => commands,
    );
    const count = (what: string, current: () => number) =>
      perPoll({ ...input, hub: `${input.hub}-${what}` }, () => state, current);
    const counts = {
      commands: await count('commands', () => commands),
      roundTrips: await count('trips', () => sentTrips),
    };
    redis.disconnect();
    return counts;
  } finally {
    server.kill();
    await rm(folder, { recursive: true, force: true });
  }
}
