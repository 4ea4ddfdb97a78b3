import type { Logger } from '../observe/logger.js';
import { localStates, type State } from '../state/port.js';

/** The states of the open clients of each store in this process. Weak, so that a client that is never closed can be collected. */
const statesByStore = new Map<string, Set<WeakRef<State>>>();
const warnedStores = new Set<string>();

/**
 * Registers an open client of a store, and warns once per store if another one
 * is open with another state, and one of the two is in memory or a file: the hub counts the requests of both together,
 * but neither client can count those of the other. Two other states may share one database.
 *
 * @returns a function that unregisters the client.
 */
export function registerClient(store: string, state: State, logger: Logger): () => void {
  const states = statesByStore.get(store) ?? new Set();
  statesByStore.set(store, states);
  for (const each of states) if (!each.deref()) states.delete(each);
  const others = [...states].map((each) => each.deref()).filter((each) => each !== undefined);
  const isShared = others.includes(state) || ![state, ...others].some((each) => localStates.has(each));
  if (others.length > 0 && !isShared && !warnedStores.has(store)) {
    warnedStores.add(store);
    logger.warn(
      'opendelivery-client: two clients of one clientId do not share a `state`; the hub counts their requests together. Pass the same memoryState(), fileState(path), redisState(client) or postgresState(pool) to both',
    );
  }
  const registered = new WeakRef(state);
  states.add(registered);
  return () => {
    states.delete(registered);
    if (states.size === 0) statesByStore.delete(store);
  };
}
