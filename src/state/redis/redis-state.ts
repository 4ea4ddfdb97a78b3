import { randomUUID } from 'node:crypto';
import { unlessFails } from '../../async/promises.js';
import { StateError } from '../../errors/index.js';
import { resolve, string } from '../../options/checks.js';
import type { Clock } from '../../time/clock.js';
import { type Lease, MAX_LIFETIME_MS, type Mark, type Reservation, type State } from '../port.js';
import { fromStoredText, toStoredText } from '../stored-text.js';
import { type RedisClient, type ScriptRunner, scriptRunnerOf } from './client.js';
import { toStateError } from './failure.js';
import { HANDLED } from './lua.js';
import { SCRIPTS, type Script } from './scripts.js';

/** Options of `redisState`. */
export interface RedisStateOptions {
  /** The beginning of every key. Default 'opendelivery:'. */
  readonly prefix?: string | undefined;
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
export function redisState(client: RedisClient, options: RedisStateOptions = {}): State {
  const { prefix } = resolve<{ readonly prefix: string }>(
    '',
    options,
    { prefix: 'opendelivery:' },
    { prefix: string("a string such as 'opendelivery:'") },
  );
  const runner = scriptRunnerOf(client);
  const ofClient = states.get(client) ?? new Map<string, State>();
  states.set(client, ofClient);
  const state = ofClient.get(prefix) ?? stateOver(runner, prefix);
  ofClient.set(prefix, state);
  return state;
}

function stateOver(runner: ScriptRunner, prefix: string): State {
  /** Virtual time waits for Redis, but not for a client without a connection. */
  const run = async (
    script: Script,
    clock: Clock,
    keys: readonly string[],
    parameters: readonly string[],
  ) => {
    const release = runner.isReady() ? clock.hold?.() : undefined;
    try {
      return await runner.run(
        script,
        keys.map((key) => prefix + toStoredText(key)),
        parameters.map(toStoredText),
      );
    } catch (error) {
      throw toStateError(error);
    } finally {
      release?.();
    }
  };
  const runInBatches = (
    script: Script,
    clock: Clock,
    key: string,
    ids: readonly string[],
    parametersOf: (batch: readonly string[]) => readonly string[],
  ) =>
    Promise.all(batchesOf(ids).map((batch) => run(script, clock, [key], [...parametersOf(batch), ...batch])));
  /** The braces put the lease into the cluster slot of its quota. Braces in the prefix do that for both keys. */
  const leaseKeyOf = (quotaKey: string) => `lease:{${prefix}${quotaKey}}`;

  const state: State = {
    async get(key, clock) {
      const reply = await run(SCRIPTS.get, clock, [key], [key]);
      return reply === null || reply === undefined ? undefined : fromStoredText(String(reply));
    },
    async set(key, value, { forMs, ifEquals }, clock) {
      const parameters = [key, value ?? '', value === undefined ? '0' : msArgument(forMs)];
      if (ifEquals !== undefined) parameters.push(ifEquals);
      await run(SCRIPTS.set, clock, [key], parameters);
    },
    async reserve(key, { limit, holdMs, lease }, clock) {
      // Its length belongs to it, see `QUOTA`.
      const id = `${randomUUID()}.${msArgument(holdMs)}`;
      const keys = lease ? [key, leaseKeyOf(key)] : [key];
      const parameters = [String(limit), msArgument(holdMs), id];
      if (lease) parameters.push(lease.holder, msArgument(lease.leaseMs));
      const reply = await run(SCRIPTS.reserve, clock, keys, parameters).catch((error) => {
        // The slot may have been granted, and only the reply was lost; no request uses it.
        void unlessFails(() => state.settle(key, { id, freeInMs: 0 }, clock));
        throw error;
      });
      return readReservation(reply);
    },
    async settle(key, { id, freeInMs = 0, shutMs = 0 }, clock) {
      const parameters = [msArgument(shutMs), msArgument(freeInMs)];
      if (id !== undefined) parameters.push(id);
      await run(SCRIPTS.settle, clock, [key], parameters);
    },
    lease: async (key, { holder, leaseMs }, clock) =>
      readLease(await run(SCRIPTS.lease, clock, [leaseKeyOf(key)], [holder, msArgument(leaseMs)])),
    async recall(key, ids, { handledMs, attemptedMs, count }, clock) {
      // Each id once: the script would also count the second one, and return its mark after the first count.
      const unique = count ? [...new Set(ids)] : ids;
      const counted = new Set(count?.ids);
      const below = String(Math.min(count?.below ?? 0, HANDLED));
      const replies = await runInBatches(SCRIPTS.recall, clock, key, unique, (batch) => {
        const choices = batch.map((id) => (counted.has(id) ? '1' : '0')).join('');
        return [msArgument(handledMs), msArgument(attemptedMs), below, choices];
      });
      const marks = replies.flatMap(readMarks);
      if (unique.length === ids.length) return marks;
      const marksById = new Map(unique.map((id, index) => [id, marks[index]]));
      return ids.map((id) => marksById.get(id) as Mark);
    },
    async mark(key, ids, change, clock) {
      const what = 'handled' in change ? 'handled' : String(change.attempts);
      await runInBatches(SCRIPTS.mark, clock, key, ids, () => [msArgument(change.forMs), what]);
    },
  };
  return state;
}

/** Ids per script: Redis serves nobody else while a script runs. */
const MAX_IDS_PER_SCRIPT = 1000;

/** Redis takes whole milliseconds. */
function msArgument(ms: number): string {
  return String(Math.min(MAX_LIFETIME_MS, Math.ceil(ms)));
}

function batchesOf(ids: readonly string[]): string[][] {
  const batches: string[][] = [];
  for (let from = 0; from < ids.length; from += MAX_IDS_PER_SCRIPT)
    batches.push(ids.slice(from, from + MAX_IDS_PER_SCRIPT));
  return batches;
}

/** @param reply - [1, remaining, id, fence?] or [0, waitMs, reason, fence?]. */
function readReservation(reply: unknown): Reservation {
  const [granted, amount, word, fence] = Array.isArray(reply) ? reply.map(String) : [];
  const fenced = fence === undefined ? {} : { fence: Number(fence) };
  if (word !== undefined && granted === '1') {
    return { granted: true, id: word, remaining: Number(amount), ...fenced };
  }
  if (word === 'shut' || word === 'quota' || word === 'leased') {
    return { granted: false, waitMs: Number(amount), reason: word, ...fenced };
  }
  throw invalidReply('reserve');
}

/** @param reply - [1, fence] or [0, waitMs]. */
function readLease(reply: unknown): Lease {
  const [granted, amount] = Array.isArray(reply) ? reply.map(Number) : [];
  if (amount === undefined) throw invalidReply('lease');
  return granted === 1 ? { granted: true, fence: amount } : { granted: false, waitMs: amount };
}

/** @param reply - the number of attempts of each id, or `HANDLED`. */
function readMarks(reply: unknown): Mark[] {
  if (!Array.isArray(reply)) throw invalidReply('recall');
  return reply
    .map(Number)
    .map((mark) => ({ handled: mark === HANDLED, attempts: mark === HANDLED ? 0 : mark }));
}

const invalidReply = (name: string) =>
  new StateError(
    `redisState: the client returned an invalid reply to the script '${name}'; pass an ioredis or node-redis client that does not transform replies`,
  );
