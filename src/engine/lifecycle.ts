import { abandonOnAbort, onAbort } from '../async/promises.js';
import { ClosedError, ConfigurationError, LeaseLostError } from '../errors/index.js';
import { momentOf } from '../time/clock.js';
import { callingRun } from './context.js';
import { scheduleNext } from './due.js';
import type { Engine } from './engine.js';
import { prepareInbox } from './inbox/watch.js';
import { finishWork, takeFailures, workEnded } from './inbox/work.js';
import { acquireLease } from './lease.js';
import { cycleReportOf } from './report-events.js';
import type { CycleReport, SkippedCycle } from './reports.js';
import { flushAll, release } from './stop.js';
import { isPolling, openEvents, type Store } from './store.js';
import { beginTurn, endTurn, handle, poll } from './turn.js';

/**
 * Polling of a store begins: one `start` or `runOnce` at a time. Pushes that are being handled without them go on
 * under it.
 *
 * @throws {ConfigurationError} the poller runs, or another one of the client does.
 */
export function begin(engine: Engine, store: Store, call: 'start' | 'runOnce' | 'receive'): void {
  const isReceiving = store.call === 'receive' && !store.stopping;
  if (store.call && store.engine === engine && !isReceiving) {
    throw new ConfigurationError(call, 'the poller is already running');
  }
  if (store.call && store.engine !== engine) {
    throw new ConfigurationError(
      'poller',
      'another poller of this client is running; stop it first, or each gets a part of the events',
    );
  }
  // What a former poller has left there belongs to it, and so does a stop that still waits for a late run.
  if (store.engine !== engine) store.settler = undefined;
  store.stopping = undefined;
  Object.assign(store, {
    engine,
    call,
    waitsSince: momentOf(engine.services.clock),
    isStarted: false,
    isOnStandby: false,
    takenFence: undefined,
    failures: 0,
    lastError: undefined,
    handled: 0,
    unhandled: 0,
    acknowledged: 0,
  });
  if (call === 'start') for (const open of openEvents(store)) open.retryAt = 0;
}

/** Waits for what ends before polling can begin: a stop, or the release after a push. Undefined if there is nothing. */
export function waitForEnd(
  engine: Engine,
  store: Store,
  signal: AbortSignal | undefined,
): Promise<void> | undefined {
  const { call, releasing, stopping } = store;
  // A listener that waited for a stop might wait for itself.
  const isStopping = call && store.engine === engine && callingRun()?.engine !== engine;
  const ending: Promise<unknown> | false | undefined =
    (call === 'receive' && releasing) || (isStopping && stopping?.report);
  return ending ? abandonOnAbort(ending, signal).then(() => waitForEnd(engine, store, signal)) : undefined;
}

/** The scheduler gives the store its turns, the first one at `dueAt`. */
export function schedule({ scheduler }: Engine, store: Store, dueAt: number): void {
  store.dueAt = dueAt;
  store.expectedAt = dueAt;
  scheduler.counted(1);
  if (!store.isPaused) scheduler.add(store);
}

/** No poll is sent until `resume`; one that was sent goes on. */
export function pause(engine: Engine, store: Store): void {
  if (store.isPaused || !isPolling(engine, store)) return;
  store.isPaused = true;
  engine.scheduler.remove(store);
  if (store.turn?.stage === 'unsent') store.turn.controller.abort(new ClosedError('the poller is paused'));
}

/** Polls again; at once if a poll is due. */
export function resume(engine: Engine, store: Store): void {
  if (!store.isPaused || !isPolling(engine, store)) return;
  store.isPaused = false;
  store.expectedAt = Math.max(store.expectedAt, engine.services.clock.monotonic());
  if (!store.turn) scheduleNext(engine, store);
}

/**
 * One poll in a session of its own.
 *
 * @param stops - how often it was stopped.
 * @throws the error of the poll.
 * @throws {ClosedError} it waited for a stop, and was stopped again.
 */
export async function runOnce(
  engine: Engine,
  store: Store,
  signal: AbortSignal | undefined,
  stops = () => 0,
): Promise<CycleReport> {
  engine.listeners.requireAny();
  const stopsBefore = stops();
  const ending = waitForEnd(engine, store, signal);
  if (ending) await ending;
  signal?.throwIfAborted();
  if (store.isClosed || stops() !== stopsBefore) throw new ClosedError('the poller is stopped');
  begin(engine, store, 'runOnce');
  const turn = beginTurn(store);
  const stopListening = signal && onAbort(signal, () => turn.controller.abort(signal.reason));
  try {
    const leasedMs = await abandonOnAbort(acquireLease(engine, store), turn.controller.signal);
    if (leasedMs > 0) return skipped(leasedMs);
    if (engine.inbox) await prepareInbox(engine, store);
    const received = await poll(engine, store, turn);
    await handle(engine, store, turn, received.plan);
    if (!engine.inbox) return cycleReportOf(store, received);
    await finishWork(engine, store);
    const failures = takeFailures(store);
    return { ...cycleReportOf(store, received), failures };
  } catch (error) {
    // Lost before the poll was sent: the lease comes with the poll's slot.
    if (!(error instanceof LeaseLostError)) throw error;
    return skipped(error.retryAfterMs);
  } finally {
    // After a failed poll, what the inbox had before it may run.
    if (store.work) await workEnded(store);
    stopListening?.();
    await flushAll(engine, store);
    const isReceiving = store.receiving > 0;
    if (isReceiving) store.call = 'receive';
    // Before the turn ends: a stop waits for it.
    const releasing = isReceiving ? undefined : release(engine, store);
    endTurn(store);
    await releasing;
  }
}

export const skipped = (retryAfterMs: number): SkippedCycle => ({
  skipped: 'leased',
  retryAfterMs: Math.max(1, Math.ceil(retryAfterMs)),
});
