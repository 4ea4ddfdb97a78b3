import { repeat } from '../../time/timer.js';
import type { Engine } from '../engine.js';
import { hasLease } from '../lease.js';
import type { Store } from '../store.js';
import { type EngineInbox, inTables, ownerOf, storeIdOf, workOf } from './record.js';

/** How often the tables are asked what is due, for all stores at once: retries, and what `redrive` has changed. */
const LOOK_MS = 2000;

/** A look that is not older than this shows that the inbox can be reached: a poll between two looks needs none. */
const FRESH_MS = LOOK_MS + 500;

/**
 * Looks again and again for what is due.
 *
 * @param storeOf - the store with this id, if this process polls it; or its only store.
 */
export function watchInbox(
  engine: Engine,
  stores: () => Iterable<Store>,
  storeOf: (storeId: string) => Store | undefined,
): () => void {
  return repeat(engine.services.clock, LOOK_MS, async () => {
    const inbox = engine.inbox as EngineInbox;
    try {
      const keys = await look(engine);
      const due = new Set<Store>();
      for (const { hub, storeId, isCommand, owner } of keys) {
        const store = hub === inbox.hub ? storeOf(storeId) : undefined;
        if (!store || storeIdOf(store) !== storeId) continue;
        if (owner !== undefined && !wasClaimedLate(engine, store, owner)) continue;
        if (isCommand) workOf(store).hasCommands = true;
        due.add(store);
      }
      // What could not be written or claimed is tried again.
      for (const store of stores()) {
        if (store.work && (store.work.isWoken || store.work.unwritten.size > 0)) due.add(store);
      }
      for (const store of due) engine.wakeInbox(store);
    } catch {
      // The next poll reports it.
    }
  });
}

/**
 * Whether an event was claimed late: by a process that has lost the lease, or by a statement of this one whose answer
 * was not awaited any more. What runs for this one is in its memory.
 */
function wasClaimedLate(engine: Engine, store: Store, owner: string): boolean {
  const { work } = store;
  const isIdle = !work || (work.lanes === 0 && work.held.size === 0);
  return hasLease(store, engine.services.clock) && (isIdle || owner !== ownerOf(engine, store));
}

async function look(engine: Engine) {
  const inbox = engine.inbox as EngineInbox;
  const { clock } = engine.services;
  const at = clock.monotonic();
  try {
    const due = await inbox.tables.due(clock.now());
    inbox.lookedAt = at;
    return due;
  } catch (cause) {
    inbox.lookedAt = Number.NEGATIVE_INFINITY;
    throw cause;
  }
}

/**
 * Before a poll: events that cannot be stored must not be received; and what others have left is taken over.
 *
 * @throws {StateError} the inbox cannot be reached.
 */
export async function prepareInbox(engine: Engine, store: Store): Promise<void> {
  await requireInbox(engine, store);
  await takeOver(engine, store);
}

async function requireInbox(engine: Engine, store: Store): Promise<void> {
  const inbox = engine.inbox as EngineInbox;
  if (engine.services.clock.monotonic() - inbox.lookedAt < FRESH_MS) return;
  await inTables(engine, store, () => inbox.looking.run(() => look(engine)));
}

/** This process has the store's lease now: what it claims (`workOn`) includes what another owner has left. */
async function takeOver(engine: Engine, store: Store): Promise<void> {
  const fence = store.lease?.fence;
  if (store.takenFence === fence) return;
  if (store.call === 'start' && !store.isStarted)
    await inTables(engine, store, (tables, key) => tables.retryNow(key));
  store.takenFence = fence;
  workOf(store).hasCommands = true;
  engine.wakeInbox(store);
}
