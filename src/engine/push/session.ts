import type { Engine } from '../engine.js';
import { begin, flushAll, release } from '../lifecycle.js';
import { noteEnd, type Store } from '../store.js';

/**
 * Pushes that are handled together. If nobody polls the store, the first one begins a session of its own, as `runOnce`
 * does. Those that come meanwhile share its lease, and the last one releases it. A `start` or `runOnce` that comes
 * meanwhile takes the session over.
 *
 * @throws {ConfigurationError} there is no listener for any order event.
 */
export async function inPushSession(
  engine: Engine,
  store: Store,
  handle: () => Promise<void>,
): Promise<void> {
  if (!store.call) {
    engine.listeners.requireAny();
    begin(engine, store, 'receive');
  }
  store.receiving += 1;
  try {
    await handle();
  } finally {
    if (store.call === 'receive' && store.receiving === 1) await flushAll(engine, store);
    store.receiving -= 1;
    if (store.call === 'receive' && store.receiving === 0) await release(engine, store);
    noteEnd(store);
  }
}
