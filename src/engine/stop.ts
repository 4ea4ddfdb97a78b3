import { ClosedError } from '../errors/index.js';
import { startTimer } from '../time/clock.js';
import { withinTime } from '../time/timer.js';
import { callingRun } from './context.js';
import { type Engine, emit } from './engine.js';
import { giveUpRuns, isDrained, leaveBehind } from './give-up.js';
import { leaveWork } from './inbox/work.js';
import { keepLeaseUntilIdle, releaseLease } from './lease.js';
import { writeRefused } from './marks.js';
import { shownId } from './report-events.js';
import type { StopReport } from './reports.js';
import type { Run } from './run.js';
import { noteEnd, type Stopping, type Store, when } from './store.js';

/** For a database to take back commands that a stop has kept from being sent. */
const GIVE_BACK_MS = 1000;

/**
 * Ends polling: waits for a poll that was sent and for the listeners that are running, and acknowledges the
 * events they have handled. Called in a listener, it does not wait for that listener.
 *
 * @param timeoutMs - then it aborts the listeners and does not wait for them. A second call shares the first
 * one's result, and can only make it come sooner.
 */
export async function stop(engine: Engine, store: Store, timeoutMs: number): Promise<StopReport> {
  const { clock } = engine.services;
  const endsAt = clock.monotonic() + timeoutMs;
  const { call } = store;
  const report = await stopSession(engine, store, timeoutMs);
  const mayWait = isSameSession(store, call) && mustWait(engine, store);
  return mayWait ? stop(engine, store, Math.max(0, endsAt - clock.monotonic())) : report;
}

/** As `stop`, and it does not wait for listeners that call `stop` themselves. */
export async function stopSession(engine: Engine, store: Store, timeoutMs: number): Promise<StopReport> {
  const calling = callingRunOf(engine, store);
  if (calling) {
    calling.isExempt = true;
    leaveBehind(calling);
    store.epoch += 1;
    noteEnd(store);
  }
  // It has never polled, or another poller of the client polls now.
  if (store.engine !== engine) return { handled: 0, acknowledged: 0, unacknowledged: [], timedOut: false };
  store.stopping?.shorten(timeoutMs);
  store.stopping ??= beginStop(engine, store, timeoutMs);
  return store.stopping.report;
}

/** Whether nobody has begun to poll since then. */
const isSameSession = (store: Store, call: Store['call']): boolean => !store.call || store.call === call;

/** The run of the store whose listener is calling. */
function callingRunOf(engine: Engine, store: Store): Run | undefined {
  const run = callingRun();
  return run?.engine === engine && run.store === store ? run : undefined;
}

/**
 * Polling is over, and a listener still runs that has called `stop`: the program waits for it. Listeners do not wait for
 * each other, also of two stores of a fleet: neither would end.
 */
export const mustWait = (engine: Engine, store: Store): boolean =>
  store.call !== 'start' &&
  callingRun()?.engine !== engine &&
  [...(store.runs ?? [])].some((run) => run.engine === engine && !run.isGivenUp);

/**
 * As `stop`, and the lease ends at the latest when the time is over, also if listeners still run. Called in a listener,
 * it ends with that listener.
 */
export async function close(engine: Engine, store: Store, timeoutMs: number): Promise<StopReport> {
  const { call } = store;
  const report = await stop(engine, store, timeoutMs);
  // Another poller of the client may have left listeners behind, which still need it.
  const isOthers = [...(store.runs ?? [])].some((run) => run.engine !== engine && !run.isGivenUp);
  if (isSameSession(store, call) && !isOthers) await releaseLeft(engine, store);
  return report;
}

/** After a stop: ends the lease that listeners keep which still run, unless it is one of them that asks for it. */
export async function releaseLeft(engine: Engine, store: Store): Promise<void> {
  // A listener of `stopped` may have started it again.
  const isOver = store.engine === engine && store.call !== 'start';
  if (isOver && !callingRunOf(engine, store)) await releaseLease(engine, store);
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
    // A listener that waits for a later stop of a new session stays exempt.
    if (store.stopping && store.stopping !== stopping) return;
    for (const run of store.runs ?? []) run.isExempt = false;
    store.stopping = undefined;
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
  if (timedOut && (call || !store.call)) {
    store.epoch += 1;
    store.turn?.controller.abort(stopped);
    giveUpRuns(engine, store, stopped);
    store.settler?.abort(stopped);
    // Commands that were not sent are given back: the next process would not know that.
    const given = when(store, () => !store.work?.sender);
    await withinTime(
      engine.services.clock,
      GIVE_BACK_MS,
      () => given.reached,
      () => stopped,
    ).catch(given.end);
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
    noteEnd(store);
  });
  return store.releasing;
}

async function endLease(engine: Engine, store: Store): Promise<void> {
  const isLeft = store.runs !== undefined || store.work?.sender !== undefined;
  if (!isLeft) await releaseLease(engine, store);
  store.call = undefined;
  if (isLeft) keepLeaseUntilIdle(engine, store);
}

/**
 * The end of a client: closes its poller.
 *
 * @returns the report of the poller, if one was running.
 */
export async function closeStore(store: Store, timeoutMs: number): Promise<StopReport[]> {
  const { engine, call } = store;
  store.isClosed = true;
  if (!engine) return [];
  const reports = call || mustWait(engine, store) ? [await close(engine, store, timeoutMs)] : [];
  // Also that of listeners which another poller of the client has left.
  await releaseLeft(engine, store);
  return call ? reports : [];
}
