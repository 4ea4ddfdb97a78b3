import { murmur128 } from './murmur128.js';

/** Which part of the interval the polls of a store are in: at least 0 and less than 1, the same in every process. */
export const phaseOf = (storeId: string): number => murmur128(storeId)[0] / 2 ** 32;

/** Which of the shards a store is in; independent of its phase. */
export const shardOf = (storeId: string, shards: number): number =>
  shards === 1 ? 0 : Math.floor((murmur128(storeId)[1] / 2 ** 32) * shards);
