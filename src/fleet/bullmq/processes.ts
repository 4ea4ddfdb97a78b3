import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Queue } from 'bullmq';

/** A process that has missed this many heartbeats does not count. */
const MISSED = 3;

const BEAT = 'opendeliveryBeat';
const LEAVE = 'opendeliveryLeave';

/**
 * KEYS: the sorted set of the processes, by the time of their last heartbeat; the hash of the shards of each.
 * ARGV: the process, its shards, and after how many ms without a heartbeat a process does not count.
 * Returns whether the process was not in the set, and all processes with their shards.
 */
const BEAT_SCRIPT = `
if redis.replicate_commands then redis.replicate_commands() end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[3])
local isNew = redis.call('ZADD', KEYS[1], now, ARGV[1])
-- A process of 0.2.0 in the same queue removes the silent ones from the set only.
for _, id in ipairs(redis.call('HKEYS', KEYS[2])) do
  if not redis.call('ZSCORE', KEYS[1], id) then redis.call('HDEL', KEYS[2], id) end
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[3]) end
return {isNew, redis.call('HGETALL', KEYS[2])}
`;

const LEAVE_SCRIPT = `
redis.call('HDEL', KEYS[2], ARGV[1])
return redis.call('ZREM', KEYS[1], ARGV[1])
`;

/** What Redis knows of the processes. */
export interface Pulse {
  /** The shards of each process that is alive, by the id of the process. */
  readonly holders: Readonly<Record<string, readonly number[]>>;
  /** The first heartbeat; or Redis did not know this process any more, because it was suspended or Redis has lost its data. */
  readonly isNew: boolean;
}

/** The processes of the queue that are alive, by the clock of Redis. */
export class Processes {
  readonly #queue: Queue;
  readonly #heartbeatMs: number;
  /** A person recognizes the machine by it. */
  readonly #id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;

  constructor(queue: Queue, heartbeatMs: number) {
    this.#queue = queue;
    this.#heartbeatMs = heartbeatMs;
  }

  /**
   * Writes that this process is alive and what it holds, and reads the same of all.
   *
   * @throws the error of the Redis client.
   */
  async beat(held: readonly number[]): Promise<Pulse> {
    const lifeMs = MISSED * this.#heartbeatMs;
    const [isNew, entries] = await this.#run<[number, string[]]>(BEAT, BEAT_SCRIPT, held.join(), lifeMs);
    const holders: Record<string, readonly number[]> = {};
    for (let index = 0; index < entries.length; index += 2) {
      holders[entries[index] as string] = shardsOf(entries[index + 1] as string);
    }
    return { holders, isNew: isNew === 1 };
  }

  /** How many shards this process takes at most. With the same `holders`, the shares of all add up to all shards. */
  shareOf(shards: number, { holders }: Pulse): number {
    const ids = Object.keys(holders);
    if (ids.length === 0) return 0;
    const rank = ids.filter((id) => id < this.#id).length;
    return Math.floor(shards / ids.length) + (rank < shards % ids.length ? 1 : 0);
  }

  /** This process does not count any more. @throws the error of the Redis client. */
  async leave(): Promise<void> {
    await this.#run(LEAVE, LEAVE_SCRIPT);
  }

  /** BullMQ's wrapper has the same methods for every Redis library. */
  async #run<Reply>(name: string, lua: string, ...parameters: readonly (string | number)[]): Promise<Reply> {
    const client = await this.#queue.getBackend().client;
    client.defineCommand(name, { numberOfKeys: 2, lua });
    const keys = [this.#queue.toKey('alive'), this.#queue.toKey('holders')];
    return client.runCommand(name, [...keys, this.#id, ...parameters]);
  }
}

const shardsOf = (list: string): number[] => (list === '' ? [] : list.split(',').map(Number));
