import { TimeoutError } from '../errors/index.js';
import { type Clock, elapsedMs } from '../time/clock.js';
import { repeat } from '../time/timer.js';
import { type Engine, reportError } from './engine.js';
import { watchInbox } from './inbox/watch.js';
import type { PollerHealth } from './reports.js';
import { isPolling, type OpenEvent, openEvents, type Store, willPoll } from './store.js';
import { listenerErrorOf } from './thrown.js';

/** A poll that is later than this is reported. */
const OVERDUE_INTERVALS = 2;

/** What the poller of a store is doing. */
export function healthOf(engine: Engine, store: Store): PollerHealth {
  const { clock, stateDriver } = engine.services;
  // On standby: the process that has the lease handles the events, and knows.
  const oldest = store.isOnStandby ? undefined : oldestOf(store);
  const failed = store.isOnStandby ? undefined : (lastFailedOf(store) ?? store.work?.lastFailed);
  const isDue = isPolling(engine, store) && willPoll(store) && !store.isOnStandby;
  const { lastPolledAt, failures, lastError, runs, open, handled, acknowledged } = store;
  return {
    status: isPolling(engine, store) ? statusOf(store) : 'idle',
    lastPolledAt,
    nextPollAt: isDue ? Math.ceil(clock.now() + Math.max(0, store.dueAt - clock.monotonic())) : undefined,
    overdueMs: overdueMsOf(engine, store),
    consecutiveFailures: failures,
    lastError,
    running: runs?.size ?? 0,
    unacknowledged: (!store.isOnStandby && open?.size) || 0,
    oldestOpenMs: oldest ? Math.round(clock.monotonic() - oldest.receivedAt) : 0,
    listenerError: failed && listenerErrorOf(failed.error, (text) => store.account.quote(text)),
    handled,
    acknowledged,
    stuckMs: isPolling(engine, store) ? engine.scheduler.stuckMs : 0,
    stateDriver,
  };
}

function statusOf({ call, stopping, isOnStandby, isStarted, isPaused }: Store): PollerHealth['status'] {
  if (call !== 'start') return 'running';
  if (stopping) return 'stopping';
  if (isOnStandby) return 'standby';
  if (!isStarted) return 'starting';
  return isPaused ? 'paused' : 'running';
}

/** The open event that was received first. */
function oldestOf(store: Store): OpenEvent | undefined {
  let oldest: OpenEvent | undefined;
  for (const open of openEvents(store)) if (!oldest || open.receivedAt < oldest.receivedAt) oldest = open;
  return oldest;
}

/** The event whose listeners have failed last, among those that are not handled. */
function lastFailedOf(store: Store): OpenEvent | undefined {
  let last: OpenEvent | undefined;
  for (const open of openEvents(store)) {
    const { failedAt, isHandled } = open;
    if (failedAt !== undefined && !isHandled && !(last?.failedAt && last.failedAt >= failedAt)) last = open;
  }
  return last;
}

/** How long the poll has been due, once that is more than two intervals; otherwise 0. */
export function overdueMsOf(engine: Engine, store: Store): number {
  const { services, options } = engine;
  if (!isPolling(engine, store) || !willPoll(store)) return 0;
  const lateMs = services.clock.monotonic() - store.expectedAt;
  return lateMs > OVERDUE_INTERVALS * options.intervalMs ? Math.ceil(lateMs) : 0;
}

/**
 * While stores are polled: what is overdue is reported, and the inbox is asked what is due.
 *
 * @param storeOf - see `watchInbox`.
 * @returns ends it.
 */
export function watchStores(
  engine: Engine,
  stores: () => Iterable<Store>,
  storeOf: (storeId: string) => Store | undefined,
): () => void {
  const stopReporting = repeat(engine.services.clock, engine.options.intervalMs, () => {
    for (const store of stores()) reportOverdue(engine, store);
  });
  const stopLooking = engine.inbox && watchInbox(engine, stores, storeOf);
  return () => {
    stopReporting();
    stopLooking?.();
  };
}

/** Reports a store whose poll is overdue, once until there is a poll again. */
function reportOverdue(engine: Engine, store: Store): void {
  const wasReported = store.isOverdueReported;
  store.isOverdueReported = overdueMsOf(engine, store) > 0;
  if (!store.isOverdueReported || wasReported) return;
  const limitMs = OVERDUE_INTERVALS * engine.options.intervalMs;
  reportError(engine, store, new TimeoutError('nextPoll', limitMs, { cause: store.lastError }));
}

/** How long ago a store had its last good poll, or polling began, in ms. */
export const sinceLastPollMs = ({ waitsSince }: Store, clock: Clock): number =>
  waitsSince ? Math.floor(elapsedMs(waitsSince, clock)) : 0;
