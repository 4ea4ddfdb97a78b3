import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import { StateError } from '../errors.js';
import { resolve, text } from '../option-checks.js';
import type { Reservation, ReservationRequest, State } from './port.js';
import { type RedisClient, type Runner, runnerOf } from './redis-client.js';
import { SCRIPTS, type Script } from './redis-scripts.js';

export interface RedisStateOptions {
  /** What every key begins with. Default 'opendelivery:'. */
  readonly prefix: string;
}

/** Ids in one script: Redis serves nobody else while one runs. */
const IDS_AT_ONCE = 1000;

/** Redis counts in whole milliseconds, and in no more of them than this. */
const LONGEST_MS = 10 * 365 * 86_400_000;

/** Clients of an application that name the same client and prefix share one state. */
const made = new WeakMap<object, Map<string, State>>();

/**
 * State in Redis, for any number of processes and machines: tokens, quotas,
 * handled events and the menu. Every operation is one atomic script on one
 * key, timed by Redis's own clock, and every key expires.
 *
 * Processes that share it share quotas and what is done, not what is under
 * way: run the poller of a store in one process at a time.
 *
 * What Redis loses is lost: run it with persistence and without eviction
 * (`appendonly yes`, `maxmemory-policy noeviction`).
 *
 * @param client - an ioredis or node-redis client of the application, which connects and closes it.
 * @throws {ConfigurationError} it is neither, or an option is wrong.
 */
export function redisState(client: RedisClient, options: Partial<RedisStateOptions> = {}): State {
  const { prefix } = resolve<RedisStateOptions>(
    '',
    options,
    { prefix: 'opendelivery:' },
    { prefix: text("a text such as 'opendelivery:'") },
  );
  const runner = runnerOf(client);
  const states = made.get(client) ?? new Map<string, State>();
  made.set(client, states);
  const state = states.get(prefix) ?? new RedisState(runner, prefix);
  states.set(prefix, state);
  return state;
}

class RedisState implements State {
  readonly #runner: Runner;
  readonly #prefix: string;

  constructor(runner: Runner, prefix: string) {
    this.#runner = runner;
    this.#prefix = prefix;
  }

  async get(key: string, clock: Clock): Promise<string | undefined> {
    const answer = await this.#run(SCRIPTS.get, key, [key], clock);
    return answer === null || answer === undefined ? undefined : String(answer);
  }

  async set(key: string, value: string, forMs: number, clock: Clock): Promise<void> {
    await this.#run(SCRIPTS.set, key, [key, value, wholeMs(forMs)], clock);
  }

  async delete(key: string, expected: string | undefined, clock: Clock): Promise<void> {
    await this.#run(SCRIPTS.delete, key, expected === undefined ? [] : [expected], clock);
  }

  async reserve(key: string, { limit, holdMs }: ReservationRequest, clock: Clock): Promise<Reservation> {
    const id = randomUUID();
    const parameters = [String(limit), wholeMs(holdMs), id];
    const answer = await this.#run(SCRIPTS.reserve, key, parameters, clock).catch((error: unknown) => {
      // It may have been granted, and only the answer got lost; nothing is sent under it.
      this.settle(key, id, 0, clock).catch(() => {});
      throw error;
    });
    const [granted, amount, word] = Array.isArray(answer) ? answer.map(String) : [];
    if (word !== undefined && granted === '1') return { granted: true, id: word, remaining: Number(amount) };
    if (word === 'shut' || word === 'quota') return { granted: false, waitMs: Number(amount), reason: word };
    throw new StateError('redisState: the client gave no usable answer to a reservation');
  }

  async settle(key: string, id: string, freeInMs: number, clock: Clock): Promise<void> {
    await this.#run(SCRIPTS.settle, key, [id, wholeMs(freeInMs)], clock);
  }

  async shut(key: string, forMs: number, clock: Clock): Promise<void> {
    await this.#run(SCRIPTS.shut, key, [wholeMs(forMs)], clock);
  }

  async remember(key: string, ids: readonly string[], forMs: number, clock: Clock): Promise<void> {
    const parts = partsOf(ids);
    await Promise.all(
      parts.map((part) => this.#run(SCRIPTS.remember, key, [wholeMs(forMs), ...part], clock)),
    );
  }

  async recall(key: string, ids: readonly string[], clock: Clock): Promise<string[]> {
    const recallPart = async (part: readonly string[]): Promise<string[]> => {
      const answer = await this.#run(SCRIPTS.recall, key, part, clock);
      if (!Array.isArray(answer)) throw new StateError('redisState: the client gave no usable answer');
      return answer.map((position) => part[Number(position) - 1]).filter((id) => id !== undefined);
    };
    return (await Promise.all(partsOf(ids).map(recallPart))).flat();
  }

  /** Time that is held waits for Redis, but not for a client that has lost it. */
  async #run(script: Script, key: string, parameters: readonly string[], clock: Clock): Promise<unknown> {
    const release = this.#runner.isReady() ? clock.hold?.() : undefined;
    try {
      return await this.#runner.run(script, this.#prefix + key, parameters);
    } catch (error) {
      throw failureOf(error);
    } finally {
      release?.();
    }
  }
}

/** Without ids one empty part: Redis is asked all the same, whoever asks may want to know that it is there. */
function partsOf(ids: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) parts.push(ids.slice(from, from + IDS_AT_ONCE));
  return parts.length > 0 ? parts : [[]];
}

function wholeMs(ms: number): string {
  return String(Math.min(LONGEST_MS, Math.ceil(ms)));
}

/** Clients hang a command and its arguments on their errors, the token among them: only the words are kept. */
function failureOf(error: unknown): StateError {
  // Some have no message, only a name: node-redis's TimeoutError.
  const message = error instanceof Error ? error.message || error.name : String(error);
  const cause = new Error(message);
  if (error instanceof Error) cause.name = error.name;
  return new StateError(`redisState: ${message}`, { cause });
}
