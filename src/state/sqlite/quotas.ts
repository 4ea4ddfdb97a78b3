import { randomUUID } from 'node:crypto';
import { type Clock, instantAfter } from '../../time/clock.js';
import type { Lease, LeaseRequest, Reservation, ReservationRequest, Settlement } from '../port.js';
import { toStoredText } from '../stored-text.js';
import type { Connection } from './connection.js';

/** A row: when a `shut` ends, and who has the lease. Names as in the table. */
interface Quota {
  readonly shut_ends: number;
  readonly shut_length: number;
  /** Null after a release. */
  readonly holder: string | null;
  readonly lease_ends: number;
  readonly lease_length: number;
  readonly fence: number;
}

const UNKNOWN: Quota = {
  shut_ends: 0,
  shut_length: 0,
  holder: null,
  lease_ends: 0,
  lease_length: 0,
  fence: 0,
};

/** A lease as this process has seen it last. */
interface SeenLease {
  readonly ends: number;
  /** Its end on the monotonic clock. */
  readonly endsMonotonic: number;
}

/** The tables `quotas` and `slots`. Each method is a part of a transaction; `now` is epoch ms. */
export class QuotaTables {
  readonly #connection: Connection;
  /** A wall clock that is set forward ends no lease that this process has seen: its holder may be running listeners. */
  readonly #seen = new Map<string, SeenLease>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Whether the lease, if there is one, would be granted with a new fence. */
  isNewHolder(key: string, lease: LeaseRequest | undefined): boolean {
    return lease !== undefined && this.#find(toStoredText(key)).holder !== toStoredText(lease.holder);
  }

  reserve(given: string, { limit, holdMs, lease }: ReservationRequest, clock: Clock): Reservation {
    const now = clock.now();
    const leased = lease && this.lease(given, lease, clock);
    if (leased?.granted === false) return { ...leased, reason: 'leased' };
    const fence = leased && { fence: leased.fence };
    const key = toStoredText(given);
    const { shut_ends } = this.#bounded(key, now);
    if (shut_ends > now) return { granted: false, waitMs: shut_ends - now, reason: 'shut', ...fence };
    const connection = this.#connection;
    connection.sql('DELETE FROM slots WHERE key = ? AND ends <= ?').run(key, now);
    connection
      .sql('UPDATE slots SET ends = ? + length WHERE key = ? AND ends > ? + length')
      .run(now, key, now);
    const { taken, soonest } = connection
      .sql('SELECT count(*) AS taken, min(ends) AS soonest FROM slots WHERE key = ?')
      .get(key) as { taken: number; soonest: number };
    if (taken >= limit) return { granted: false, waitMs: soonest - now, reason: 'quota', ...fence };
    const id = randomUUID();
    this.#take(key, id, holdMs, now);
    return { granted: true, id, remaining: limit - taken - 1, ...fence };
  }

  settle(given: string, { id, freeInMs = 0, shutMs = 0 }: Settlement, now: number): void {
    const key = toStoredText(given);
    if (shutMs > 0) {
      const quota = this.#bounded(key, now);
      const shut_ends = instantAfter(now, shutMs);
      if (shut_ends > quota.shut_ends)
        this.#keep(key, { ...quota, shut_ends, shut_length: Math.ceil(shutMs) });
    }
    if (id === undefined) return;
    if (freeInMs > 0) this.#take(key, toStoredText(id), freeInMs, now);
    else this.#connection.sql('DELETE FROM slots WHERE key = ? AND id = ?').run(key, toStoredText(id));
  }

  lease(given: string, request: LeaseRequest, clock: Clock): Lease {
    const now = clock.now();
    const key = toStoredText(given);
    const holder = toStoredText(request.holder);
    const quota = this.#bounded(key, now);
    const isSame = quota.holder === holder;
    const leftMs = isSame ? 0 : this.#leftMs(key, quota, clock);
    if (leftMs > 0) return { granted: false, waitMs: leftMs };
    if (request.leaseMs <= 0) {
      if (isSame) this.#keep(key, { ...quota, holder: null, lease_ends: 0 });
      return { granted: true, fence: quota.fence };
    }
    // The time makes it grow if the last fence was lost, the last fence if the clock was set back.
    const fence = isSame ? quota.fence : Math.max(quota.fence + 1, Math.floor(now));
    const lease_length = Math.ceil(request.leaseMs);
    const lease_ends = instantAfter(now, request.leaseMs);
    this.#keep(key, { ...quota, holder, lease_ends, lease_length, fence });
    this.#see(key, lease_ends, clock);
    return { granted: true, fence };
  }

  /** For how long another holder has the lease, by the clock that shows more. */
  #leftMs(key: string, { lease_ends }: Quota, clock: Clock): number {
    if (this.#seen.get(key)?.ends !== lease_ends) this.#see(key, lease_ends, clock);
    const { endsMonotonic } = this.#seen.get(key) as SeenLease;
    return Math.max(lease_ends - clock.now(), endsMonotonic - clock.monotonic());
  }

  #see(key: string, ends: number, clock: Clock): void {
    this.#seen.set(key, { ends, endsMonotonic: clock.monotonic() + ends - clock.now() });
  }

  /** After the clock was set back, nothing lasts longer than its own length from now on. */
  #bounded(key: string, now: number): Quota {
    const found = this.#find(key);
    const shut_ends = Math.min(found.shut_ends, Math.ceil(now) + found.shut_length);
    const lease_ends = Math.min(found.lease_ends, Math.ceil(now) + found.lease_length);
    if (shut_ends === found.shut_ends && lease_ends === found.lease_ends) return found;
    const quota = { ...found, shut_ends, lease_ends };
    this.#keep(key, quota);
    return quota;
  }

  #find(key: string): Quota {
    const row = this.#connection.sql('SELECT * FROM quotas WHERE key = ?').get(key);
    return (row as Quota | undefined | null) ?? UNKNOWN;
  }

  #keep(key: string, { shut_ends, shut_length, holder, lease_ends, lease_length, fence }: Quota): void {
    this.#connection
      .sql('INSERT OR REPLACE INTO quotas VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(key, shut_ends, shut_length, holder, lease_ends, lease_length, fence);
  }

  #take(key: string, id: string, forMs: number, now: number): void {
    this.#connection
      .sql('INSERT OR REPLACE INTO slots VALUES (?, ?, ?, ?)')
      .run(key, id, instantAfter(now, forMs), Math.ceil(forMs));
  }
}
