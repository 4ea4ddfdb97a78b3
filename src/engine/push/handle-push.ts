import { Limit } from '../../async/promises.js';
import { keyOf } from '../../events/read.js';
import type { OrderEvent } from '../../schemas/event.js';
import { isLeftBehind, whenOrderIsFree } from '../busy-orders.js';
import { stopTracking } from '../context.js';
import { type Engine, emit } from '../engine.js';
import { handlingChanged, hasLease } from '../lease.js';
import { oneAtATime, readMarks, uncountAttempts } from '../marks.js';
import { arrive, openOf, queuesByOrder } from '../receive.js';
import { runListeners } from '../run-listeners.js';
import { settlerOf } from '../settle.js';
import { findOpen, type OpenEvent, type Store } from '../store.js';

/** What became of a pushed event. */
export type PushResult =
  | 'done'
  /** Its listeners have failed, or an earlier event of its order was not handled. */
  | 'failed'
  /** The poller has stopped, or has lost the store's lease. */
  | 'ended';

/** Handles the events that the hub has pushed to one store: those of one order one after another, several orders in parallel. */
export class Pushes {
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #places: Limit;
  /** The events that are read together next, and their reading. */
  #batch:
    | { readonly events: Set<OrderEvent>; readonly reading: Promise<ReadonlyMap<OrderEvent, OpenEvent>> }
    | undefined;

  constructor(engine: Engine, store: Store) {
    this.#engine = engine;
    this.#store = store;
    this.#places = new Limit(engine.options.concurrency);
  }

  /** @throws {StateError} the marks of the event cannot be read. */
  async handle(event: OrderEvent): Promise<PushResult> {
    const engine = this.#engine;
    const store = this.#store;
    const { epoch } = store;
    const fence = store.lease?.fence;
    const isCurrent = () => store.epoch === epoch && hasLease(store, engine.services.clock, fence);
    const isOrdered = engine.options.ordering === 'per-order';
    while (isCurrent()) {
      if (isOrdered && isLeftBehind(store, event.orderId)) return 'failed';
      if (isOrdered) await whenOrderIsFree(store, event.orderId);
      const result = await this.#places.run(() => this.#attempt(event, isCurrent));
      if (result !== 'busy') return result;
    }
    // Its attempt may have been counted before it had to wait.
    const open = findOpen(store, event.eventId, keyOf(event));
    if (open) await uncountAttempts(engine, store, [open]);
    return 'ended';
  }

  async #attempt(event: OrderEvent, isCurrent: () => boolean): Promise<PushResult | 'busy'> {
    const engine = this.#engine;
    const store = this.#store;
    const isOrdered = engine.options.ordering === 'per-order';
    if (isOrdered && store.orders?.has(event.orderId)) return 'busy';
    const open = (await this.#read(event)).get(event) as OpenEvent;
    const before = isOrdered ? openOf(store, new Set([event.orderId])) : [open];
    // A poll has brought it meanwhile, and its mark is being read: in the next attempt it is read here.
    if (before.some(({ isRead }) => !isRead)) return 'busy';
    const [queue = []] = queuesByOrder(before.includes(open) ? before : [...before, open]);
    // Later events of the order are handled by their own requests, so that this one is answered before.
    const events = queue.slice(0, queue.indexOf(open) + 1);
    if (open.isMarked) settlerOf(engine, store).acknowledge(open);
    if (open.isHandled) return 'done';
    if (isOrdered && store.orders?.has(event.orderId)) return 'busy';
    if (!isCurrent()) {
      await uncountAttempts(engine, store, events);
      return 'ended';
    }
    const now = engine.services.clock.monotonic();
    const settler = settlerOf(engine, store);
    // A push of the order runs at once what has failed.
    for (const each of events) each.retryAt = 0;
    handlingChanged(engine, store, 1);
    try {
      await runListeners({ engine, store, settler, polledAt: now, isCurrent }, [events]);
      await settler.marked();
    } finally {
      await uncountAttempts(engine, store, events);
      handlingChanged(engine, store, -1);
      stopTracking();
    }
    if (open.isMarked) return 'done';
    return isCurrent() ? 'failed' : 'ended';
  }

  /** Events that are pushed at the same moment are read together. */
  async #read(event: OrderEvent): Promise<ReadonlyMap<OrderEvent, OpenEvent>> {
    this.#batch ??= this.#newBatch();
    this.#batch.events.add(event);
    return this.#batch.reading;
  }

  #newBatch() {
    const engine = this.#engine;
    const store = this.#store;
    const events = new Set<OrderEvent>();
    const read = async () => {
      this.#batch = undefined;
      const now = engine.services.clock.monotonic();
      const pushed = [...events];
      const { received, issues } = arrive(store, pushed, false, now);
      if (issues.length > 0) emit(engine, store, 'invalid', { issues });
      const byEvent = new Map(
        pushed.map((event) => [event, findOpen(store, event.eventId, keyOf(event)) as OpenEvent]),
      );
      const orderIds = new Set(pushed.map(({ orderId }) => orderId));
      // What is open of the orders before them is attempted too, so it is counted too.
      const others = openOf(store, orderIds).filter((open) => !received.includes(open));
      const attempted = queuesByOrder([...received, ...others]).flatMap((queue) =>
        queue.slice(0, 1 + queue.findLastIndex((open) => received.includes(open))),
      );
      for (const open of attempted) open.retryAt = 0;
      await readMarks(engine, store, attempted, now);
      return byEvent;
    };
    // Not at once: others may be pushed at the same moment.
    return { events, reading: Promise.resolve().then(() => oneAtATime(store, read)) };
  }
}
