import { freeOrder, takeOrder } from './busy-orders.js';
import type { Handling } from './handling.js';
import type { Audience } from './listeners.js';
import { countAlone, isSuspect } from './marks.js';
import { decide } from './receive.js';
import { noListenerLeft, reportExhausted, reportFailed, reportUnhandled } from './report-events.js';
import { Run, startRun } from './run.js';
import type { Settler } from './settle.js';
import type { OpenEvent } from './store.js';

/** The events of a poll or of a push. */
interface PollHandling extends Handling {
  readonly settler: Settler;
}

/** Whether the later events of the order may follow. A promise of it, if a listener is asynchronous. */
type MayGoOn = boolean | Promise<boolean>;

/**
 * Calls the listeners of events: those of one order strictly one after another,
 * several orders in parallel.
 *
 * @returns resolves when every event is handled, has failed or timed out, or is blocked by another one.
 */
export async function runListeners(
  handling: PollHandling,
  queues: readonly (readonly OpenEvent[])[],
): Promise<void> {
  const { engine, store, isCurrent } = handling;
  const { concurrency, ordering } = engine.options;
  const isOrdered = ordering === 'per-order';
  let next = 0;
  const workers = Array.from({ length: Math.min(concurrency, queues.length) }, async () => {
    while (next < queues.length && isCurrent()) {
      const queue = queues[next] as readonly OpenEvent[];
      const orderId = queue[0]?.event.orderId as string;
      next += 1;
      if (isOrdered && !takeOrder(store, orderId)) continue;
      try {
        for (const open of queue) {
          const pending = handleOne(handling, open);
          // Most listeners are synchronous, and a promise for each event costs half as much as all the rest.
          const mayGoOn = pending instanceof Promise ? await pending : pending;
          if (!isCurrent() || (isOrdered && !mayGoOn)) break;
        }
      } finally {
        if (isOrdered) freeOrder(store, orderId);
      }
    }
  });
  await Promise.all(workers);
  if (store.orders?.size === 0) store.orders = undefined;
  engine.deadlines.stopTimer();
}

/** @param isCounted - its coming attempt was counted alone; what the count showed may change the decision. */
function handleOne(handling: PollHandling, open: OpenEvent, isCounted = false): MayGoOn {
  const { engine, store, settler, polledAt, isCurrent } = handling;
  const { listeners, options } = engine;
  if (settler.isFull) return settler.marked().then(() => isCurrent() && handleOne(handling, open, isCounted));
  const audience = listeners.of(open.event.eventType);
  switch (decide(open, audience, options, polledAt)) {
    case 'done':
      if (open.isMarked) settler.acknowledge(open);
      return true;
    case 'wait':
      return false;
    case 'run':
      if (isCounted || !isSuspect(open, options.maxAttempts)) return callListeners(handling, open, audience);
      return countAlone(engine, store, open, () => isCurrent() && handleOne(handling, open, true));
    // Of an earlier attempt; that of the last one follows it in `callListeners`.
    case 'deadLetter':
      return callDeadLetter(handling, open);
    case 'acknowledge':
      settler.acknowledge(open);
      reportUnhandled(engine, store, open, true);
      return true;
    case 'leave':
      reportUnhandled(engine, store, open, false);
      return true;
    case 'abandoned':
      reportFailed(engine, store, open, noListenerLeft(store, open, 'at the hub'), open.attempts);
      return false;
  }
}

/** After the last attempt has failed, the dead-letter listeners are called at once. */
function callListeners(handling: PollHandling, open: OpenEvent, { registrations }: Audience): MayGoOn {
  open.attempts += 1;
  // Otherwise only this process knows the attempt.
  open.counted = open.counted === 'ahead' ? 'exactly' : 'behind';
  const run = new Run(handling, open, false);
  const called = startRun(run, registrations, open.event);
  if (run.attempt < handling.engine.options.maxAttempts) return called;
  const next = (isHandled: boolean) =>
    isHandled ||
    (open.status === 'failed' && !run.isLate && handling.isCurrent() && callDeadLetter(handling, open));
  return called instanceof Promise ? called.then(next) : next(called);
}

/** Calls the dead-letter listeners, which decide over the event as others do. */
function callDeadLetter(handling: PollHandling, open: OpenEvent): MayGoOn {
  const { engine, store } = handling;
  const { registrations, isBusy } = engine.listeners.deadLetter();
  if (isBusy) return false;
  if (registrations.length === 0) {
    reportExhausted(engine, store, open);
    return false;
  }
  const { event, attempts, error } = open;
  return startRun(new Run(handling, open, true), registrations, { event, attempts, error });
}
