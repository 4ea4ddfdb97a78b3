import type { OrderEvent } from '../../schemas/event.js';
import { type Engine, emit } from '../engine.js';
import { oneAtATime } from '../marks.js';
import { arrive } from '../receive.js';
import { settlerOf } from '../settle.js';
import type { Store } from '../store.js';
import { inboxError, inboxOf, keyOfStore } from './record.js';
import { storeEvents } from './store-events.js';

/**
 * Stores pushed events. What has failed of their orders runs at once.
 *
 * @returns whether all of them are stored, or need not be.
 * @throws {StateError} the inbox cannot be reached.
 */
export async function storePushed(
  engine: Engine,
  store: Store,
  events: readonly OrderEvent[],
): Promise<boolean> {
  const inbox = inboxOf(engine);
  const { received, issues } = arrive(store, { events }, false, engine.services.clock.monotonic());
  if (issues.length > 0) emit(engine, store, 'invalid', { issues });
  const { again, stored = [] } = await oneAtATime(store, () => storeEvents(engine, store, received));
  const settler = settlerOf(engine, store);
  for (const open of [...again, ...stored]) settler.acknowledge(open);
  try {
    await inbox.tables.hurry(
      keyOfStore(inbox, store),
      events.map(({ orderId }) => orderId),
    );
  } catch (cause) {
    throw inboxError(store, cause);
  }
  engine.wakeInbox(store);
  return again.length + stored.length === received.length;
}
