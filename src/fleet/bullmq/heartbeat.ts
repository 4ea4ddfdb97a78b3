import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';

/** A process that has missed so many heartbeats does not count. */
const MISSED = 3;

const BEAT = 'opendeliveryBeat';
const END = 'opendeliveryEnd';

/**
 * KEYS: the sorted set of the processes, by the time of their last heartbeat.
 * ARGV: the process, and after how many ms it does not count any more.
 * Returns whether the process was not in the set, and how many are.
 */
const BEAT_SCRIPT = `
if redis.replicate_commands then redis.replicate_commands() end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
local isNew = redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {isNew, redis.call('ZCARD', KEYS[1])}
`;

const END_SCRIPT = "return redis.call('ZREM', KEYS[1], ARGV[1])";

/** What Redis knows of the processes. */
export interface Pulse {
  /** How many processes of the queue are alive, this one included. */
  readonly alive: number;
  /** The first heartbeat; or Redis did not know this process any more, because it was suspended or Redis has lost its data. */
  readonly isNew: boolean;
}

/** Says that this process is alive, by the clock of Redis, and how many are. */
export class Heartbeat {
  readonly #queue: Queue;
  readonly #everyMs: number;
  readonly #id = randomUUID();

  constructor(queue: Queue, everyMs: number) {
    this.#queue = queue;
    this.#everyMs = everyMs;
  }

  /** @throws the error of the Redis client. */
  async beat(): Promise<Pulse> {
    const [isNew, alive] = await this.#run<[number, number]>(BEAT, BEAT_SCRIPT, MISSED * this.#everyMs);
    return { alive, isNew: isNew === 1 };
  }

  /** This process does not count any more. @throws the error of the Redis client. */
  async end(): Promise<void> {
    await this.#run(END, END_SCRIPT);
  }

  /** BullMQ's wrapper has the same methods for every Redis library. */
  async #run<Reply>(name: string, lua: string, ...parameters: readonly number[]): Promise<Reply> {
    const client = await this.#queue.getBackend().client;
    client.defineCommand(name, { numberOfKeys: 1, lua });
    return client.runCommand(name, [this.#queue.toKey('alive'), this.#id, ...parameters]);
  }
}
