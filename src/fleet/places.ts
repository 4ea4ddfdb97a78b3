import { murmur128 } from './murmur128.js';

const SEED = new Int32Array(4);
const hashes = new Int32Array(4);

/** Which part of the interval the polls of a store are in: at least 0 and less than 1, the same in every process. */
export const phaseOf = (storeId: string): number => fractionOf(storeId, 0);

/** Which of the shards a store is in; independent of its phase. */
export const shardOf = (storeId: string, shards: number): number =>
  shards === 1 ? 0 : Math.floor(fractionOf(storeId, 1) * shards);

/** How long until the next poll of the store's phase, in ms. Wall time, so that a restart does not move the phases. */
export function untilPhase(phase: number, intervalMs: number, wallNow: number): number {
  const inMs = (phase * intervalMs - wallNow) % intervalMs;
  return inMs < 0 ? inMs + intervalMs : inMs;
}

/** Polls that nobody sent while a shard was handed over are made up for at this multiple of the usual rate. */
const CATCH_UP_RATE = 4;

/**
 * How long until the first poll of a store that another process polled until `since`, in ms.
 * A phase that has come meanwhile does not wait for the next interval; the stores are not all polled at once.
 */
export function untilFirstPoll(phase: number, intervalMs: number, wallNow: number, since = wallNow): number {
  const missedAfterMs = untilPhase(phase, intervalMs, since);
  const handOverMs = wallNow - since;
  const isMissed = handOverMs > 0 && handOverMs < intervalMs && missedAfterMs <= handOverMs;
  return isMissed ? missedAfterMs / CATCH_UP_RATE : untilPhase(phase, intervalMs, wallNow);
}

function fractionOf(storeId: string, word: 0 | 1): number {
  murmur128(storeId, SEED, hashes, 0);
  return ((hashes[word] as number) >>> 0) / 2 ** 32;
}
