import type { Logger } from './logger.js';
import type { State } from './state/port.js';

/** Which states the living clients of a store use; the one thing clients know of each other. */
const statesByStore = new Map<string, Set<WeakRef<State>>>();
const warned = new Set<string>();

/**
 * IssueCollector a client of a store, and warns once when another one lives beside it
 * without sharing a state: the hub counts their requests together, and neither
 * knows of the other's.
 *
 * @returns takes the note back.
 */
export function announce(store: string, state: State, logger: Logger): () => void {
  const states = statesByStore.get(store) ?? new Set();
  statesByStore.set(store, states);
  for (const each of states) if (!each.deref()) states.delete(each);
  const others = [...states].map((each) => each.deref()).filter((each) => each !== undefined);
  if (others.length > 0 && !others.includes(state) && !warned.has(store)) {
    warned.add(store);
    logger.warn(
      'opendelivery-client: two clients of one clientId do not share a `state`; the hub counts their requests together. Pass the same memoryState(), fileState(dir) or redisState(client) to both',
    );
  }
  const own = new WeakRef(state);
  states.add(own);
  return () => {
    states.delete(own);
    if (states.size === 0) statesByStore.delete(store);
  };
}
