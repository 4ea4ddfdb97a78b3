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

function fractionOf(storeId: string, word: 0 | 1): number {
  murmur128(storeId, SEED, hashes, 0);
  return ((hashes[word] as number) >>> 0) / 2 ** 32;
}
