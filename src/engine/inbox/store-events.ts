import { createHash } from 'node:crypto';
import type { OrderEvent } from '../../schemas/event.js';
import { toStoredText } from '../../state/stored-text.js';
import { type Engine, emit } from '../engine.js';
import { oneAtATime } from '../marks.js';
import { arrive, mustStay, type Plan } from '../receive.js';
import { reportUnhandled } from '../report-events.js';
import { settlerOf } from '../settle.js';
import type { OpenEvent, Store } from '../store.js';
import { inTables } from './record.js';

/** A key in an index; a hub's id may be longer than an index allows. */
const MAX_KEY_LENGTH = 200;

/** A key is compared, and never read back: what a database may cut or change is hashed. */
const storedKeyOf = (key: string) => {
  const text = toStoredText(key);
  return text === key && key.length <= MAX_KEY_LENGTH ? key : createHash('sha256').update(text).digest('hex');
};

/**
 * Stores events in the inbox, and says which may be acknowledged now: all that are stored, and those that nobody
 * listens to. Nothing is handled here.
 *
 * @throws {StateError} the inbox cannot be reached: nothing is acknowledged.
 */
export async function storeEvents(
  engine: Engine,
  store: Store,
  received: readonly OpenEvent[],
): Promise<Plan> {
  const unheard: OpenEvent[] = [];
  const heard: OpenEvent[] = [];
  for (const open of received) {
    const { registrations, isBusy } = engine.listeners.of(open.event.eventType);
    (registrations.length > 0 || isBusy ? heard : unheard).push(open);
  }
  let redelivered = 0;
  if (heard.length > 0) {
    const rows = heard.map(({ key, event }) => ({
      key: storedKeyOf(key),
      eventId: event.eventId,
      orderId: event.orderId,
      eventType: event.eventType,
      event: JSON.stringify(event),
    }));
    const added = await inTables(engine, store, (tables, key, now) => tables.insert(key, rows, now));
    redelivered = heard.length - added;
  }
  for (const { event, isRedelivered } of unheard) {
    // What the hub sends again may be of an earlier command.
    if (!isRedelivered) store.evidence?.get(event.orderId)?.types.push(event.eventType);
  }
  const left = unheard.filter(({ event }) => mustStay(engine.options.unhandled, event.eventType));
  for (const open of unheard) reportUnhandled(engine, store, open, !left.includes(open));
  const done = received.filter((open) => !left.includes(open));
  for (const open of done) if (!open.isMarked) open.status = 'marked';
  return { received, redelivered, done, queues: [] };
}

/**
 * Reports a stored event as unhandled, because an application that has no listener for it runs now.
 *
 * @returns false if it stays: it was tried, wants an answer, or has had a listener.
 */
export function leaveOut(engine: Engine, store: Store, open: OpenEvent): boolean {
  const { eventType } = open.event;
  if (
    open.attempts > 0 ||
    mustStay(engine.options.unhandled, eventType) ||
    engine.listeners.hasHad(eventType)
  )
    return false;
  reportUnhandled(engine, store, open, true);
  return true;
}

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
  const { received, issues } = arrive(store, events, false, engine.services.clock.monotonic());
  if (issues.length > 0) emit(engine, store, 'invalid', { issues });
  const { done } = await oneAtATime(store, () => storeEvents(engine, store, received));
  const settler = settlerOf(engine, store);
  for (const open of done) settler.acknowledge(open);
  const orderIds = events.map(({ orderId }) => orderId);
  await inTables(engine, store, (tables, key) => tables.retryNow(key, orderIds));
  engine.wakeInbox(store);
  return done.length === received.length;
}
