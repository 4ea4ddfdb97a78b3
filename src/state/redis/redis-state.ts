import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.js';
import { StateError } from '../../errors.js';
import { resolve, text } from '../../option-checks.js';
import type { Lease, LeaseRequest, MarkLifetimes, Reservation, ReservationRequest, State } from '../port.js';
import { type RedisClient, type Runner, runnerOf } from './client.js';
import { SCRIPTS, type Script } from './scripts.js';

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
 * handled events and the menu. Every operation is one atomic script, timed by
 * Redis's own clock, and every key expires.
 *
 * Of the pollers that share it one at a time has the store's lease and polls;
 * the others wait for it.
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
    const answer = await this.#run(SCRIPTS.get, [key], [key], clock);
    return answer === null || answer === undefined ? undefined : String(answer);
  }

  async set(key: string, value: string, forMs: number, clock: Clock): Promise<void> {
    await this.#run(SCRIPTS.set, [key], [key, value, wholeMs(forMs)], clock);
  }

  async delete(key: string, expected: string | undefined, clock: Clock): Promise<void> {
    await this.#run(SCRIPTS.delete, [key], expected === undefined ? [] : [expected], clock);
  }

  async reserve(
    key: string,
    { limit, holdMs, lease }: ReservationRequest,
    clock: Clock,
  ): Promise<Reservation> {
    const id = randomUUID();
    const keys = lease ? [key, this.#leaseKeyOf(key)] : [key];
    const parameters = [String(limit), wholeMs(holdMs), id];
    if (lease) parameters.push(lease.holder, wholeMs(lease.leaseMs));
    const answer = await this.#run(SCRIPTS.reserve, keys, parameters, clock).catch((error: unknown) => {
      // It may have been granted, and only the answer got lost; nothing is sent under it.
      this.settle(key, id, 0, clock).catch(() => {});
      throw error;
    });
    const [granted, amount, word, fence] = Array.isArray(answer) ? answer.map(String) : [];
    const fenced = fence === undefined ? {} : { fence: Number(fence) };
    if (word !== undefined && granted === '1') {
      return { granted: true, id: word, remaining: Number(amount), ...fenced };
    }
    if (word === 'shut' || word === 'quota' || word === 'leased') {
      return { granted: false, waitMs: Number(amount), reason: word, ...fenced };
    }
    throw unusable('reserve');
  }

  async settle(key: string, id: string, freeInMs: number, clock: Clock): Promise<void> {
    await this.#run(SCRIPTS.settle, [key], [id, wholeMs(freeInMs)], clock);
  }

  async shut(key: string, forMs: number, clock: Clock): Promise<void> {
    await this.#run(SCRIPTS.shut, [key], [wholeMs(forMs)], clock);
  }

  async lease(key: string, { holder, leaseMs }: LeaseRequest, clock: Clock): Promise<Lease> {
    const answer = await this.#run(SCRIPTS.lease, [this.#leaseKeyOf(key)], [holder, wholeMs(leaseMs)], clock);
    const [granted, amount] = Array.isArray(answer) ? answer.map(Number) : [];
    if (amount === undefined) throw unusable('lease');
    return granted === 1 ? { granted: true, fence: amount } : { granted: false, waitMs: amount };
  }

  async release(key: string, holder: string, clock: Clock): Promise<void> {
    await this.#run(SCRIPTS.release, [this.#leaseKeyOf(key)], [holder], clock);
  }

  async remember(key: string, ids: readonly string[], forMs: number, clock: Clock): Promise<void> {
    await inParts(ids, (part) => this.#run(SCRIPTS.remember, [key], [wholeMs(forMs), ...part], clock));
  }

  recall(
    key: string,
    ids: readonly string[],
    { handledMs, attemptedMs }: MarkLifetimes,
    clock: Clock,
  ): Promise<number[]> {
    return this.#marks(SCRIPTS.recall, key, [wholeMs(handledMs), wholeMs(attemptedMs)], ids, clock);
  }

  count(key: string, ids: readonly string[], by: 1 | -1, forMs: number, clock: Clock): Promise<number[]> {
    return this.#marks(SCRIPTS.count, key, [String(by), wholeMs(forMs)], ids, clock);
  }

  async #marks(
    script: Script,
    key: string,
    parameters: readonly string[],
    ids: readonly string[],
    clock: Clock,
  ): Promise<number[]> {
    const answers = await inParts(ids, (part) => this.#run(script, [key], [...parameters, ...part], clock));
    return answers.flatMap((answer) => {
      if (!Array.isArray(answer)) throw unusable('marks');
      return answer.map(Number);
    });
  }

  /** The braces put the lease into the cluster slot of its quota; braces of the prefix do that for both. */
  #leaseKeyOf(quotaKey: string): string {
    return `lease:{${this.#prefix}${quotaKey}}`;
  }

  /** Time that is held waits for Redis, but not for a client that has lost it. */
  async #run(
    script: Script,
    keys: readonly string[],
    parameters: readonly string[],
    clock: Clock,
  ): Promise<unknown> {
    const release = this.#runner.isReady() ? clock.hold?.() : undefined;
    try {
      return await this.#runner.run(
        script,
        keys.map((key) => this.#prefix + key),
        parameters,
      );
    } catch (error) {
      throw failureOf(error);
    } finally {
      release?.();
    }
  }
}

/** Runs `work` for at most a thousand ids at a time. */
function inParts<T>(ids: readonly string[], work: (part: readonly string[]) => Promise<T>): Promise<T[]> {
  const parts: string[][] = [];
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) parts.push(ids.slice(from, from + IDS_AT_ONCE));
  return Promise.all(parts.map(work));
}

const unusable = (name: string) =>
  new StateError(`redisState: the client gave no usable answer to ${name}()`);

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
