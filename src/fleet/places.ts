import { murmur128 } from '../state/murmur128.js';

const SEED = new Int32Array(4);
const hashes = new Int32Array(4);

/** Two independent numbers of a store, each at least 0 and less than 1. They are the same in every process. */
export interface Place {
  /** Which part of the interval its polls are in. */
  readonly phase: number;
  /** Which of the shards it is in. */
  readonly share: number;
}

export function placeOf(storeId: string): Place {
  murmur128(storeId, SEED, hashes, 0);
  return { phase: fractionOf(hashes[0] as number), share: fractionOf(hashes[1] as number) };
}

/** The number of the shard, of so many. */
export const shardOf = (share: number, shards: number): number => Math.floor(share * shards);

/** How long until the next poll of the store's phase, in ms. Wall time, so that a restart does not move the phases. */
export function untilPhase(phase: number, intervalMs: number, wallNow: number): number {
  const inMs = (phase * intervalMs - wallNow) % intervalMs;
  return inMs < 0 ? inMs + intervalMs : inMs;
}

const fractionOf = (hash: number) => (hash >>> 0) / 2 ** 32;
