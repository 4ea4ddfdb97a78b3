import { StateError } from '../../errors.js';
import { type Lease, MAX_LIFETIME_MS, type Mark, type Reservation } from '../port.js';
import { HANDLED } from './lua.js';

/** Ids per script: Redis serves nobody else while a script runs. */
const MAX_IDS_PER_SCRIPT = 1000;

/** Redis takes whole milliseconds. */
export function wholeMs(ms: number): string {
  return String(Math.min(MAX_LIFETIME_MS, Math.ceil(ms)));
}

/** The ids in batches of at most a thousand. */
export function batchesOf(ids: readonly string[]): string[][] {
  const batches: string[][] = [];
  for (let from = 0; from < ids.length; from += MAX_IDS_PER_SCRIPT)
    batches.push(ids.slice(from, from + MAX_IDS_PER_SCRIPT));
  return batches;
}

export function readValue(reply: unknown): string | undefined {
  return reply === null || reply === undefined ? undefined : String(reply);
}

/** @param reply - [1, remaining, id, fence?] or [0, waitMs, reason, fence?]. */
export function readReservation(reply: unknown): Reservation {
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
export function readLease(reply: unknown): Lease {
  const [granted, amount] = Array.isArray(reply) ? reply.map(Number) : [];
  if (amount === undefined) throw invalidReply('lease');
  return granted === 1 ? { granted: true, fence: amount } : { granted: false, waitMs: amount };
}

/** @param reply - the number of attempts of each id, or `HANDLED`. */
export function readMarks(reply: unknown): Mark[] {
  if (!Array.isArray(reply)) throw invalidReply('recall');
  return reply
    .map(Number)
    .map((mark) => ({ handled: mark === HANDLED, attempts: mark === HANDLED ? 0 : mark }));
}

const invalidReply = (name: string) =>
  new StateError(
    `redisState: the client returned an invalid reply to the script '${name}'; pass an ioredis or node-redis client that does not transform replies`,
  );
