import type { Engine } from '../engine/engine.js';
import { healthOf, overdueMsOf, sinceLastPollMs } from '../engine/health.js';
import type { ListenerError } from '../engine/reports.js';
import type { Store } from '../engine/store.js';
import { AuthenticationError } from '../errors/index.js';

/** A store of a fleet whose listeners have failed, for an event that is not handled. */
export interface FailingListeners {
  /** Your own name of the store. */
  readonly storeId: string;
  /** The last error of a listener. */
  readonly error: ListenerError;
}

/** What a fleet is doing. */
export interface FleetHealth {
  /**
   * `starting` until a store had a good poll, or is on standby; a fleet that has no store to poll is `running` once it
   * has read its stores. `stopping` from the call of `stop` on, and `idle` before `start` and after `stop`.
   */
  readonly status: 'idle' | 'starting' | 'running' | 'stopping';
  /** Stores of the fleet, also those that other processes poll. */
  readonly stores: number;
  /** Stores whose last poll was good, or whose first one is to come. */
  readonly polling: number;
  /** Stores whose last poll failed, except those that are refused. */
  readonly backingOff: number;
  /** Stores whose last two polls failed, or more, except those that are refused. A single failure may be chance. */
  readonly failingPolls: number;
  /** Stores that another process polls at present. */
  readonly standby: number;
  /** Stores whose credentials the hub has refused. */
  readonly refused: number;
  /** Events whose listeners are running. */
  readonly running: number;
  /** Events that were received and are not acknowledged; on standby none counts. */
  readonly unacknowledged: number;
  /**
   * The shortest time since the last good poll of a store, or since polling began, in ms. It grows if this process
   * polls no store any more. Stores count as for `oldestPollMs`.
   */
  readonly newestPollMs: number;
  /**
   * The longest time since the last good poll of a store, or since polling began, in ms. Stores that are paused, on standby
   * or refused do not count. 0 if there are no others.
   */
  readonly oldestPollMs: number;
  /** Which store that is. */
  readonly oldestPollStoreId: string | undefined;
  /** Stores whose next poll has been due for more than two intervals, see `PollerHealth.overdueMs`. */
  readonly overdue: number;
  /** How long ago the oldest of the unacknowledged events was received, in ms; 0 without such an event. Stores on standby do not count. */
  readonly oldestOpenMs: number;
  /** Which store's event that is. */
  readonly oldestOpenStoreId: string | undefined;
  /**
   * How long the polls that are due have not been begun, although nothing is waited for: neither the hub nor the state, a
   * listener or a limit. In ms. It stays near 0 unless the timers of this process do not fire: `livenessHandler` fails
   * when it is above 15 minutes.
   */
  readonly stuckMs: number;
  /** Stores whose listeners have failed for events that are not handled. Stores on standby do not count. */
  readonly failingListeners: readonly FailingListeners[];
}

/** How far a `start` has come. */
export interface BegunPolling {
  /** All stores that the fleet has read are polled. */
  hasAll: boolean;
  /** One of them had a good poll. */
  hasPolled: boolean;
}

type Status = 'polling' | 'backingOff' | 'standby' | 'refused';

function statusOf({ isOnStandby, lastError }: Store): Status {
  if (isOnStandby) return 'standby';
  if (lastError === undefined) return 'polling';
  return lastError instanceof AuthenticationError ? 'refused' : 'backingOff';
}

/** @param begun - what the fleet has begun, see `Polling.begun`. */
export function fleetHealthOf(
  engine: Engine,
  all: Iterable<Store>,
  begun: BegunPolling | 'idle' | 'stopping',
): FleetHealth {
  const { clock } = engine.services;
  const counts = { polling: 0, backingOff: 0, standby: 0, refused: 0 };
  const polls = new Extremes();
  const open = new Extremes();
  const failingListeners: FailingListeners[] = [];
  let stores = 0;
  let running = 0;
  let unacknowledged = 0;
  let overdue = 0;
  let failingPolls = 0;
  for (const store of all) {
    const { storeId = '' } = store.account;
    const status = statusOf(store);
    stores += 1;
    running += store.runs?.size ?? 0;
    // The process that polls the store handles its events.
    if (status !== 'standby' && store.open) {
      unacknowledged += store.open.size;
      const { oldestOpenMs, listenerError } = healthOf(engine, store);
      if (store.open.size > 0) open.add(storeId, oldestOpenMs);
      if (listenerError) failingListeners.push({ storeId, error: listenerError });
    }
    if (store.call !== 'start' || store.stopping) continue;
    counts[status] += 1;
    if (status === 'backingOff' && store.failures > 1) failingPolls += 1;
    if (overdueMsOf(engine, store) > 0) overdue += 1;
    if (status !== 'standby' && status !== 'refused' && !store.isPaused)
      polls.add(storeId, sinceLastPollMs(store, clock));
  }
  const polled = counts.polling + counts.backingOff + counts.standby + counts.refused;
  const isRunning = (begun: BegunPolling) =>
    begun.hasPolled || counts.standby > 0 || (begun.hasAll && polled === 0);
  return {
    status: typeof begun === 'string' ? begun : isRunning(begun) ? 'running' : 'starting',
    stores,
    ...counts,
    failingPolls,
    running,
    unacknowledged,
    newestPollMs: polls.leastMs,
    oldestPollMs: polls.mostMs,
    oldestPollStoreId: polls.storeId,
    oldestOpenMs: open.mostMs,
    oldestOpenStoreId: open.storeId,
    failingListeners,
    overdue,
    stuckMs: engine.scheduler.stuckMs,
  };
}

/** The least and the most of some times, and whose the most is. */
class Extremes {
  storeId: string | undefined;
  mostMs = 0;
  leastMs = 0;

  add(storeId: string, ms: number): void {
    this.leastMs = this.storeId === undefined ? ms : Math.min(this.leastMs, ms);
    if (this.storeId !== undefined && ms <= this.mostMs) return;
    this.storeId = storeId;
    this.mostMs = ms;
  }
}
