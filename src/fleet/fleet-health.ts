import type { Clock } from '../clock.js';
import { AuthenticationError } from '../errors.js';
import type { PollerHealth } from '../events/poller-events.js';
import type { StoreRecord } from './store-record.js';
import { TICK_MS } from './wheel.js';

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
   * The longest time since the last good poll of a store, or since polling began, in ms. Stores that are on standby
   * or refused do not count. 0 if there are no others.
   */
  readonly oldestPollMs: number;
  /** Stores whose next poll has been due for more than two intervals, see `PollerHealth.overdueMs`. */
  readonly overdue: number;
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
  let stores = 0;
  let running = 0;
  let unacknowledged = 0;
  let oldestPollMs = 0;
  let overdue = 0;
  for (const record of records) {
    stores += 1;
    if (record.seat) {
      const health = record.seat.poller.health();
      running += health.running;
      unacknowledged += health.unacknowledged;
    }
    if (!record.isPolled) continue;
    const status = statusOf(record);
    counts[status] += 1;
    if (record.pace.overdueMs(clock, intervalMs) > 0) overdue += 1;
    if (status === 'standby' || status === 'refused') continue;
    oldestPollMs = Math.max(oldestPollMs, now - Math.max(record.pace.lastPolledAt ?? 0, record.beganAt));
  }
  return { stores, ...counts, running, unacknowledged, oldestPollMs, overdue };
}

export function storeHealthOf(record: StoreRecord, clock: Clock, intervalMs: number): PollerHealth {
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
    handled: record.handled,
    acknowledged: record.acknowledged,
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
