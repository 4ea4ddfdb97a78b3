import type { Clock } from '../clock.js';
import { AuthenticationError, ClosedError } from '../errors.js';
import type { ListenerError, PollerHealth } from '../events/poller-events.js';
import type { Shared } from '../wiring.js';
import type { StoreRecord } from './store-record.js';
import { TICK_MS } from './wheel.js';

/** A store of a fleet whose listeners have failed, for an event that is not handled. */
export interface FailingListeners {
  /** Your own name of the store. */
  readonly storeId: string;
  /** The last error of a listener. */
  readonly error: ListenerError;
}

/** What a fleet is doing. */
export interface FleetHealth {
  /** Stores of the fleet, also those that other processes poll. */
  readonly stores: number;
  /** Stores whose last poll was good, or whose first one is to come. */
  readonly polling: number;
  /** Stores whose last poll failed, except those that are refused. */
  readonly backingOff: number;
  /** Stores that another process polls at present. */
  readonly standby: number;
  /** Stores whose credentials the hub has refused. */
  readonly refused: number;
  /** Events whose listeners are running. */
  readonly running: number;
  /** Events that were received and are not acknowledged. */
  readonly unacknowledged: number;
  /**
   * The shortest time since the last good poll of a store, or since polling began, in ms. It grows if this process
   * polls no store any more. Stores count as for `oldestPollMs`.
   */
  readonly newestPollMs: number;
  /**
   * The longest time since the last good poll of a store, or since polling began, in ms. Stores that are on standby or
   * refused, or whose client the application has closed, do not count. 0 if there are no others.
   */
  readonly oldestPollMs: number;
  /** Stores whose next poll has been due for more than two intervals, see `PollerHealth.overdueMs`. */
  readonly overdue: number;
  /** Which store that is. */
  readonly oldestPollStoreId: string | undefined;
  /** How long ago the oldest of the unacknowledged events was received, in ms; 0 if there is none. Stores on standby do not count. */
  readonly oldestOpenMs: number;
  /** Which store's event that is. */
  readonly oldestOpenStoreId: string | undefined;
  /** Stores whose listeners have failed for events that are not handled. Stores on standby do not count. */
  readonly failingListeners: readonly FailingListeners[];
}

type Status = 'polling' | 'backingOff' | 'standby' | 'refused';

function statusOf({ pace }: StoreRecord): Status {
  if (pace.isOnStandby) return 'standby';
  if (pace.lastError === undefined) return 'polling';
  return pace.lastError instanceof AuthenticationError ? 'refused' : 'backingOff';
}

export function healthOf(records: Iterable<StoreRecord>, clock: Clock, intervalMs: number): FleetHealth {
  const counts = { polling: 0, backingOff: 0, standby: 0, refused: 0 };
  const now = clock.now();
  const polls = new Oldest();
  const open = new Oldest();
  const failingListeners: FailingListeners[] = [];
  let stores = 0;
  let running = 0;
  let unacknowledged = 0;
  let overdue = 0;
  for (const record of records) {
    const { storeId } = record;
    const status = statusOf(record);
    stores += 1;
    if (record.seat) {
      const health = record.seat.poller.health();
      running += health.running;
      unacknowledged += health.unacknowledged;
      // The process that polls the store handles its events.
      if (status !== 'standby') {
        if (health.unacknowledged > 0) open.add(storeId, health.oldestOpenMs);
        if (health.listenerError) failingListeners.push({ storeId, error: health.listenerError });
      }
    }
    if (!record.isPolled) continue;
    counts[status] += 1;
    if (record.pace.overdueMs(clock, intervalMs) > 0) overdue += 1;
    if (status === 'standby' || status === 'refused' || record.pace.lastError instanceof ClosedError)
      continue;
    polls.add(storeId, now - Math.max(record.pace.lastPolledAt ?? 0, record.beganAt));
  }
  return {
    stores,
    ...counts,
    running,
    unacknowledged,
    newestPollMs: polls.leastMs,
    oldestPollMs: polls.mostMs,
    oldestPollStoreId: polls.storeId,
    oldestOpenMs: open.mostMs,
    oldestOpenStoreId: open.storeId,
    failingListeners,
    overdue,
  };
}

/** The least and the most of some times, and whose the most is. */
class Oldest {
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

export function storeHealthOf(
  record: StoreRecord,
  { clock, stateDriver }: Pick<Shared, 'clock' | 'stateDriver'>,
  intervalMs: number,
): PollerHealth {
  const { pace, seat } = record;
  seat?.countInto(record);
  const live = seat?.poller.health();
  return {
    status: storeStatusOf(record),
    lastPolledAt: pace.lastPolledAt,
    nextPollAt: pace.isOnStandby ? undefined : nextPollAt(record, clock),
    overdueMs: record.isPolled ? pace.overdueMs(clock, intervalMs) : 0,
    consecutiveFailures: pace.failures,
    lastError: pace.lastError,
    running: live?.running ?? 0,
    unacknowledged: live?.unacknowledged ?? 0,
    oldestOpenMs: live?.oldestOpenMs ?? 0,
    listenerError: live?.listenerError,
    handled: record.handled,
    acknowledged: record.acknowledged,
    stateDriver,
  };
}

function storeStatusOf({ isPolled, pace, seat }: StoreRecord): PollerHealth['status'] {
  if (!isPolled) return seat?.poller.session.call === 'runOnce' ? 'running' : 'idle';
  if (seat?.poller.session.isStopping) return 'stopping';
  if (pace.isOnStandby) return 'standby';
  return pace.isStarted ? 'running' : 'starting';
}

function nextPollAt({ isPolled, tick }: StoreRecord, clock: Clock): number | undefined {
  if (!isPolled) return undefined;
  const inMs = tick === undefined ? 0 : tick * TICK_MS - clock.monotonic();
  return Math.ceil(clock.now() + Math.max(0, inMs));
}
