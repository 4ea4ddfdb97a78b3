import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.js';
import { resolve, string } from '../../option-checks.js';
import type {
  Lease,
  LeaseRequest,
  Mark,
  MarkChange,
  RecallRequest,
  Reservation,
  ReservationRequest,
  SetOptions,
  Settlement,
  State,
} from '../port.js';
import { type RedisClient, type ScriptRunner, scriptRunnerOf } from './client.js';
import { toStateError } from './failure.js';
import { HANDLED } from './lua.js';
import { batchesOf, readLease, readMarks, readReservation, readValue, wholeMs } from './replies.js';
import { SCRIPTS, type Script } from './scripts.js';

export interface RedisStateOptions {
  /** The beginning of every key. Default 'opendelivery:'. */
  readonly prefix: string;
}

/** One state per client object and prefix. */
const states = new WeakMap<object, Map<string, State>>();

/**
 * State in Redis, for any number of processes and machines: tokens, quotas,
 * leases, handled events and the merchant document. Every operation is one
 * atomic script and uses the clock of Redis; every key expires.
 *
 * Among all pollers of a store that share the state, one has the lease and
 * polls; the others wait for it.
 *
 * Data that Redis loses is lost: run it with persistence and without eviction
 * (`appendonly yes`, `maxmemory-policy noeviction`).
 *
 * While Redis is down, calls reject with a `StateError` that says what to
 * check; they succeed again as soon as the client is connected again.
 *
 * @param client - the application's ioredis or node-redis client, which the
 * application connects and closes.
 * @throws {ConfigurationError} `client` is neither, or an option is wrong.
 */
export function redisState(client: RedisClient, options: Partial<RedisStateOptions> = {}): State {
  const { prefix } = resolve<RedisStateOptions>(
    '',
    options,
    { prefix: 'opendelivery:' },
    { prefix: string("a string such as 'opendelivery:'") },
  );
  const runner = scriptRunnerOf(client);
  const ofClient = states.get(client) ?? new Map<string, State>();
  states.set(client, ofClient);
  const state = ofClient.get(prefix) ?? new RedisState(runner, prefix);
  ofClient.set(prefix, state);
  return state;
}

class RedisState implements State {
  readonly #runner: ScriptRunner;
  readonly #prefix: string;

  constructor(runner: ScriptRunner, prefix: string) {
    this.#runner = runner;
    this.#prefix = prefix;
  }

  async get(key: string, clock: Clock): Promise<string | undefined> {
    return readValue(await this.#run(SCRIPTS.get, [key], [key], clock));
  }

  async set(
    key: string,
    value: string | undefined,
    { forMs, ifEquals }: SetOptions,
    clock: Clock,
  ): Promise<void> {
    const parameters = [key, value ?? '', value === undefined ? '0' : wholeMs(forMs)];
    if (ifEquals !== undefined) parameters.push(ifEquals);
    await this.#run(SCRIPTS.set, [key], parameters, clock);
  }

  async reserve(
    key: string,
    { limit, holdMs, lease }: ReservationRequest,
    clock: Clock,
  ): Promise<Reservation> {
    // Its length belongs to it, see `QUOTA`.
    const id = `${randomUUID()}.${wholeMs(holdMs)}`;
    const keys = lease ? [key, this.#leaseKeyOf(key)] : [key];
    const parameters = [String(limit), wholeMs(holdMs), id];
    if (lease) parameters.push(lease.holder, wholeMs(lease.leaseMs));
    const reply = await this.#run(SCRIPTS.reserve, keys, parameters, clock).catch((error: unknown) => {
      // The slot may have been granted, and only the reply was lost; no request uses it.
      this.settle(key, { id, freeInMs: 0 }, clock).catch(() => {});
      throw error;
    });
    return readReservation(reply);
  }

  async settle(key: string, { id, freeInMs = 0, shutMs = 0 }: Settlement, clock: Clock): Promise<void> {
    const parameters = [wholeMs(shutMs), wholeMs(freeInMs)];
    if (id !== undefined) parameters.push(id);
    await this.#run(SCRIPTS.settle, [key], parameters, clock);
  }

  async lease(key: string, { holder, leaseMs }: LeaseRequest, clock: Clock): Promise<Lease> {
    return readLease(
      await this.#run(SCRIPTS.lease, [this.#leaseKeyOf(key)], [holder, wholeMs(leaseMs)], clock),
    );
  }

  async recall(
    key: string,
    ids: readonly string[],
    { handledMs, attemptedMs, count }: RecallRequest,
    clock: Clock,
  ): Promise<Mark[]> {
    // Each id once: the script would also count the second one, and return its mark after the first count.
    const unique = count ? [...new Set(ids)] : ids;
    const counted = new Set(count?.ids);
    const parameters = [
      wholeMs(handledMs),
      wholeMs(attemptedMs),
      String(Math.min(count?.below ?? 0, HANDLED)),
    ];
    const replies = await this.#runInBatches(SCRIPTS.recall, key, unique, clock, (batch) => [
      ...parameters,
      batch.map((id) => (counted.has(id) ? '1' : '0')).join(''),
    ]);
    const marks = replies.flatMap(readMarks);
    if (unique.length === ids.length) return marks;
    const marksById = new Map(unique.map((id, index) => [id, marks[index]]));
    return ids.map((id) => marksById.get(id) as Mark);
  }

  async mark(key: string, ids: readonly string[], change: MarkChange, clock: Clock): Promise<void> {
    const what = 'handled' in change ? 'handled' : String(change.attempts);
    await this.#runInBatches(SCRIPTS.mark, key, ids, clock, () => [wholeMs(change.forMs), what]);
  }

  #runInBatches(
    script: Script,
    key: string,
    ids: readonly string[],
    clock: Clock,
    parametersOf: (batch: readonly string[]) => readonly string[],
  ): Promise<unknown[]> {
    return Promise.all(
      batchesOf(ids).map((batch) => this.#run(script, [key], [...parametersOf(batch), ...batch], clock)),
    );
  }

  /** The braces put the lease into the cluster slot of its quota. Braces in the prefix do that for both keys. */
  #leaseKeyOf(quotaKey: string): string {
    return `lease:{${this.#prefix}${quotaKey}}`;
  }

  /** Virtual time waits for Redis, but not for a client without a connection. */
  async #run(
    script: Script,
    keys: readonly string[],
    parameters: readonly string[],
    clock: Clock,
  ): Promise<unknown> {
    const release = this.#runner.isReady() ? clock.hold?.() : undefined;
    try {
      const prefixed = keys.map((key) => this.#prefix + key);
      return await this.#runner.run(script, prefixed, parameters);
    } catch (error) {
      throw toStateError(error);
    } finally {
      release?.();
    }
  }
}
