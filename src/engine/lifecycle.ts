import { abandonOnAbort, onAbort } from '../async/promises.js';
import { ClosedError, ConfigurationError, LeaseLostError } from '../errors/index.js';
import { startTimer } from '../time/clock.js';
import { callingRun } from './context.js';
import { scheduleNext } from './due.js';
import { type Engine, emit } from './engine.js';
import { giveUpRuns, isDrained, leaveBehind } from './give-up.js';
import { prepareInbox } from './inbox/watch.js';
import { finishWork, leaveWork, takeFailures } from './inbox/work.js';
import { acquireLease, keepLeaseUntilIdle, releaseLease, releaseWhenIdle } from './lease.js';
import { writeRefused } from './marks.js';
import { cycleReportOf, shownId } from './report-events.js';
import type { CycleReport, SkippedCycle, StopReport } from './reports.js';
import { isPolling, noteEnd, openEvents, type Stopping, type Store, when } from './store.js';
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
      'another poller of this client is running; stop it first. Two pollers would share one quota, ' +
        'and each would receive only some of the events',
    );
  }
  // What a former poller has left there belongs to it, and so does a stop that still waits for a late run.
  if (store.engine !== engine) store.settler = undefined;
  store.stopping = undefined;
  Object.assign(store, {
    engine,
    call,
    beganAt: engine.services.clock.now(),
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
 * @throws the error of the poll.
 */
export async function runOnce(
  engine: Engine,
  store: Store,
  signal: AbortSignal | undefined,
): Promise<CycleReport> {
  engine.listeners.requireAny();
  while (store.releasing && store.call === 'receive') await store.releasing;
  signal?.throwIfAborted();
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
    stopListening?.();
    await flushAll(engine, store);
    const isReceiving = store.receiving > 0;
    if (isReceiving) store.call = 'receive';
    endTurn(store);
    if (!isReceiving) await release(engine, store);
  }
}

export const skipped = (retryAfterMs: number): SkippedCycle => ({
  skipped: 'leased',
  retryAfterMs: Math.max(1, Math.ceil(retryAfterMs)),
});

/**
 * Ends polling: waits for a poll that was sent and for the listeners that are running, and acknowledges the
 * events they have handled. Called in a listener, it does not wait for that listener.
 *
 * @param timeoutMs - then it aborts the listeners and does not wait for them. A second call shares the first
 * one's result, and can only make it come sooner.
 */
export function stop(engine: Engine, store: Store, timeoutMs: number): Promise<StopReport> {
  const calling = callingRun();
  if (calling?.engine === engine && calling.store === store) {
    calling.isExempt = true;
    leaveBehind(calling);
    store.epoch += 1;
    noteEnd(store);
  }
  // It has never polled, or another poller of the client polls now.
  if (store.engine !== engine) {
    return Promise.resolve({ handled: 0, acknowledged: 0, unacknowledged: [], timedOut: false });
  }
  store.stopping?.shorten(timeoutMs);
  store.stopping ??= beginStop(engine, store, timeoutMs);
  return store.stopping.report;
}

function beginStop(engine: Engine, store: Store, timeoutMs: number): Stopping {
  const timers: (() => void)[] = [];
  let giveUp = () => {};
  const late = new Promise<boolean>((resolve) => {
    giveUp = () => resolve(true);
  });
  // Each call of `stop` has a timer, and the first one that is over counts.
  const within = (ms: number) => void timers.push(startTimer(engine.services.clock, ms, giveUp));
  const shorten = (ms: number) => (ms > 0 ? within(ms) : giveUp());
  within(timeoutMs);
  const report = endPolling(engine, store, late).finally(() => {
    for (const cancelTimer of timers) cancelTimer();
    if (store.stopping === stopping) store.stopping = undefined;
  });
  const stopping = { report, shorten };
  return stopping;
}

/** @param late - resolves to true when the time is over. */
async function endPolling(engine: Engine, store: Store, late: Promise<boolean>): Promise<StopReport> {
  const stopped = new ClosedError('the poller is stopped');
  const { call, turn } = store;
  if (call === 'start') engine.scheduler.remove(store);
  if (turn?.stage === 'unsent') turn.controller.abort(stopped);
  // A poll that was sent is finished, with its events; of what is being handled, no more listeners are called.
  if (turn?.stage === 'handling' || store.work || call === 'receive') store.epoch += 1;
  const { reached, end } = when(store, () => isDrained(engine, store));
  const finished = reached.then(() => flushAll(engine, store)).then(() => false);
  const timedOut = await Promise.race([finished, late]);
  end();
  // Without a call, it has waited for late runs only; polling may have begun again.
  if (timedOut && call) {
    store.epoch += 1;
    store.turn?.controller.abort(stopped);
    giveUpRuns(engine, store, stopped);
    store.settler?.abort(stopped);
    await flushAll(engine, store);
    // It sends nothing any more. Runs that are left behind keep it; what begins next gets another one.
    store.settler = undefined;
  }
  const { handled, acknowledged } = store;
  const unacknowledged = [...(store.open?.keys() ?? [])].map((eventId) => shownId(store, eventId));
  const report = { handled, acknowledged, unacknowledged, timedOut };
  if (call === 'start') {
    engine.scheduler.counted(-1);
    await release(engine, store);
    // First: a listener of `stopped` may start it again.
    engine.onStopped(store);
    emit(engine, store, 'stopped', report);
  }
  return report;
}

/** Writes the last marks and sends the last acknowledgments, as far as state and hub can be reached. */
export async function flushAll(engine: Engine, store: Store): Promise<void> {
  await store.settler?.flush();
  if (store.work) await leaveWork(engine, store);
  // Reported when it was refused for the first time.
  await writeRefused(engine, store).catch(() => {});
}

/** Ends the lease, unless listeners run that a stop has left behind: no other process may run their events. */
export function release(engine: Engine, store: Store): Promise<void> {
  store.releasing = endLease(engine, store).finally(() => {
    store.releasing = undefined;
  });
  return store.releasing;
}

async function endLease(engine: Engine, store: Store): Promise<void> {
  const isLeft = store.runs !== undefined || store.work?.sender !== undefined;
  if (!isLeft) await releaseLease(engine, store);
  store.call = undefined;
  if (isLeft) keepLeaseUntilIdle(engine, store);
  releaseWhenIdle(engine, store);
}

/**
 * The end of a client: stops its poller, and releases the lease, also if listeners that a stop has left behind still run.
 *
 * @returns the report of the poller, if one was running.
 */
export async function closeStore(store: Store, timeoutMs: number): Promise<StopReport[]> {
  const { engine } = store;
  store.isClosed = true;
  if (!engine) return [];
  const reports = store.call ? [await stop(engine, store, timeoutMs)] : [];
  await releaseLease(engine, store);
  return reports;
}
