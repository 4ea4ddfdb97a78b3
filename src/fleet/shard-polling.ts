import { Limit } from '../async/promises.js';
import type { Store } from '../engine/store.js';
import { endStores } from './end-stores.js';
import type { Polling, PollingOptions } from './polling.js';
import { readStores } from './read-stores.js';

/** The polling of a fleet whose shards a queue assigns. */
export interface ShardPolling {
  /** Aborts when the fleet is stopped. */
  readonly signal: AbortSignal;
  /** Reads the stores, unless that was done. */
  readonly load: () => Promise<void>;
  /** Emits `error`, about no store. */
  readonly report: (error: unknown) => void;
  /** Writes to the state how long each store's slots are taken, because it may have lost its data. */
  readonly repeatWaits: () => Promise<void>;
  /**
   * Polls the shard's stores from now on.
   *
   * @param mayPoll - is asked before each poll.
   * @param polledUntil - when the process that had the shard before has returned it, in epoch ms. 0: it did not; all stores are due at once, as far as the state allows it. Default: no process had it; each store is due in its phase.
   */
  readonly assign: (shard: number, mayPoll: () => boolean, polledUntil?: number) => void;
  /**
   * Sends no more polls for the shard. Resolves when the listeners of its stores have ended, or `timeoutMs` is over. If the shard
   * is assigned again before, a store is polled again when its listeners have ended.
   */
  readonly unassign: (shard: number, timeoutMs: number) => Promise<void>;
}

/** @param signal - aborts when the fleet is stopped. */
export function shardPolling(polling: Polling, options: PollingOptions, signal: AbortSignal): ShardPolling {
  const { engine, assignment, roster, requestsInFlight, onError } = options;
  const { clock, quotas, state } = engine.services;
  const repeatWait = async ({ account }: Store) => {
    const waitMs = quotas.waitMs(account, 'polling');
    if (waitMs > 0) await state.settle(quotas.windowOf(account, 'polling').key, { shutMs: waitMs }, clock);
  };
  return {
    signal,
    load: () => readStores(options),
    report: onError,
    repeatWaits: async () => {
      const limit = new Limit(requestsInFlight);
      await Promise.allSettled([...roster.values()].map((store) => limit.run(() => repeatWait(store))));
    },
    assign: (shard, mayPoll, polledUntil) => {
      assignment.assign(shard, mayPoll);
      for (const store of assignment.storesOf(shard)) if (!store.call) polling.begin(store, polledUntil);
    },
    unassign: async (shard, timeoutMs) => {
      assignment.unassign(shard);
      await endStores({ engine, requestsInFlight }, assignment.storesOf(shard), timeoutMs);
    },
  };
}
