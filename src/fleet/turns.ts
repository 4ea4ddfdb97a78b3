import { Limit } from '../async/limit.js';
import { ClosedError } from '../errors.js';
import type { CycleReport, StopReport } from '../events/poller-events.js';
import { notNow, refused } from '../events/push/refusal.js';
import { StoreLease } from '../events/store-lease.js';
import { quotaKey } from '../http/quota.js';
import { phaseOf, untilFirstPoll } from './places.js';
import { Seat, type SeatParts } from './seat.js';
import type { StoreRecord } from './store-record.js';
import { Wheel } from './wheel.js';

export interface TurnsOptions extends SeatParts {
  readonly requestsInFlight: number;
  /** Whether the store may be polled now. If not, it is asked again a second later. */
  readonly mayPoll: (record: StoreRecord) => boolean;
  /** The store was polled, or its failure was reported. */
  readonly onPolled: (record: StoreRecord) => void;
}

/** Until a store that may not be polled is asked again, in ms. */
const ASK_AGAIN_MS = 1000;

/** A turn that begins so much later than it was due is late. */
const LATE_MS = 1000;

/** Gives every store its turn when it is due, with a bounded number of polls at a time. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #wheel: Wheel<StoreRecord>;
  /** Polls, and the token requests before them. They wait here, not in the transport, where their time limit runs. */
  readonly #polls: Limit;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#wheel = new Wheel(
      options.shared.clock,
      (record, dueAt) => void this.#turn(record, record.run, dueAt),
    );
    this.#polls = new Limit(options.requestsInFlight);
  }

  /** Polls the store from now on, each interval in its phase. @param since - until when another process did, in epoch ms. */
  begin(record: StoreRecord, since?: number): void {
    const { clock } = this.#options.shared;
    const { intervalMs } = this.#options.pollerOptions;
    if (record.isRemoved) return;
    record.isPolled = true;
    record.run += 1;
    record.beganAt = clock.now();
    record.handled = 0;
    record.acknowledged = 0;
    const inMs = untilFirstPoll(phaseOf(record.store.storeId), intervalMs, record.beganAt, since);
    record.pace.begin(clock.monotonic() + inMs);
    this.#schedule(record, inMs);
  }

  /**
   * Stops polling the stores, waits for their listeners and acknowledges what
   * these have handled. Stores that are busy do not hold up the others; the
   * leases of idle ones are released a few at a time.
   *
   * @returns the report of each store that was polled.
   */
  async endAll(records: readonly StoreRecord[], timeoutMs: number): Promise<Map<string, StopReport>> {
    const deadlineAt = this.#options.shared.clock.monotonic() + timeoutMs;
    const limit = new Limit(this.#options.requestsInFlight);
    const reports = new Map<string, StopReport>();
    const end = async (record: StoreRecord) => {
      if (!record.isPolled && record.seat?.poller.session.call === undefined) return;
      reports.set(record.store.storeId, await this.#end(record, deadlineAt));
    };
    await Promise.all(records.map((record) => (record.seat ? end(record) : limit.run(() => end(record)))));
    return reports;
  }

  async #end(record: StoreRecord, deadlineAt: number): Promise<StopReport> {
    record.isPolled = false;
    if (record.tick !== undefined) this.#wheel.remove(record, record.tick);
    record.tick = undefined;
    // The session of a former seat goes on while the application has its client.
    const seat = record.seat ?? (record.formerSeat?.deref() && this.seatOf(record));
    if (!seat || (seat.poller.session.call === undefined && seat.isIdle))
      return this.#endIdle(record, deadlineAt);
    const timeoutMs = Math.max(0, deadlineAt - this.#options.shared.clock.monotonic());
    const report = await seat.poller.session.stop(timeoutMs);
    seat.countInto(record);
    // Runs that were left behind belong to the store: its next poller must know them.
    this.#dropIfIdle(record, seat);
    return { ...report, handled: record.handled, acknowledged: record.acknowledged };
  }

  /** Nothing is to be finished but the lease. */
  async #endIdle(record: StoreRecord, deadlineAt: number): Promise<StopReport> {
    const { shared, subscriptions } = this.#options;
    const { clock, state, holder } = shared;
    const { storeScope, grant, handled, acknowledged } = record;
    // Without a release it ends by itself.
    if (storeScope !== undefined && grant && clock.monotonic() <= deadlineAt) {
      record.grant = undefined;
      const key = quotaKey(storeScope, 'polling');
      await new StoreLease({ clock, state, key, holder, grant }).release();
    }
    const report = { handled, acknowledged, unacknowledged: [], timedOut: false };
    const { observers } = subscriptions;
    if (observers.has('stopped')) observers.emit('stopped', report, { storeId: record.store.storeId });
    return report;
  }

  /** One cycle of a store that is not polled otherwise. */
  async runOnce(record: StoreRecord, signal: AbortSignal | undefined): Promise<CycleReport> {
    const seat = this.seatOf(record);
    try {
      return await seat.poller.runOnce(signal);
    } finally {
      if (!record.isPolled && seat.poller.session.call === undefined) this.#dropIfIdle(record, seat);
    }
  }

  /** Answers what the hub pushes for a store that is polled here. */
  async receive(record: StoreRecord, request: Request): Promise<Response> {
    const seat = this.seatOf(record);
    try {
      return await seat.receive(request);
    } catch {
      // The application has closed the store's client; the next turn makes another one.
      return refused(notNow('the client of the store is closed'));
    } finally {
      // During a turn, the turn itself drops it.
      if (record.tick !== undefined) this.#dropIfIdle(record, seat);
    }
  }

  /** The store's objects, made if there are none. */
  seatOf(record: StoreRecord): Seat {
    if (record.seat) return record.seat;
    const former = record.formerSeat?.deref();
    former?.wiring.lease.resume(record.grant);
    record.seat = former ?? new Seat(record, this.#options);
    return record.seat;
  }

  #schedule(record: StoreRecord, inMs: number): void {
    record.tick = this.#wheel.add(record, inMs);
  }

  /**
   * @param run - which the turn belongs to, see `StoreRecord.run`.
   * @param dueAt - when it was due, in monotonic ms.
   */
  async #turn(record: StoreRecord, run: number, dueAt: number): Promise<void> {
    const { clock } = this.#options.shared;
    record.tick = undefined;
    const isCurrent = () => record.isPolled && record.run === run;
    if (!isCurrent()) return;
    if (!this.#options.mayPoll(record)) {
      this.#schedule(record, ASK_AGAIN_MS);
      return;
    }
    const place = this.#polls.enter();
    if (place) await place;
    let hasPlace = true;
    const leave = () => {
      if (hasPlace) this.#polls.leave();
      hasPlace = false;
    };
    // The wait for a place may have been long.
    if (!isCurrent() || !this.#options.mayPoll(record)) {
      leave();
      if (isCurrent()) this.#schedule(record, ASK_AGAIN_MS);
      return;
    }
    const lateMs = clock.monotonic() - dueAt;
    const seat = this.seatOf(record);
    let isClosed = false;
    try {
      await seat.poller.turn.run({
        signal: seat.begin(),
        onPolled: () => {
          leave();
          this.#options.onPolled(record);
        },
      });
    } catch (error) {
      // The application has closed the store's client; the next turn makes another one, unless listeners run on.
      isClosed = error instanceof ClosedError && seat.wiring.pollerParts.runs.size === 0;
      if (!isClosed) record.pace.lastError = error;
      record.pace.lastStartedAt = clock.monotonic();
      record.pace.delayMs = isClosed ? 0 : this.#options.pollerOptions.intervalMs;
    }
    leave();
    if (!isCurrent()) return;
    const dueInMs = Math.max(record.pace.dueInMs(clock), this.#quotaOf(record).waitMs);
    this.#schedule(record, dueInMs + this.#spreadMs(lateMs));
    if (isClosed) this.#drop(record, seat);
    else this.#dropIfIdle(record, seat);
    this.#options.onPolled(record);
  }

  /**
   * Stores that were late together, because the process was suspended or the hub
   * slow, would stay together. A random part of the delay spreads them again.
   */
  #spreadMs(lateMs: number): number {
    const { intervalMs } = this.#options.pollerOptions;
    return lateMs < LATE_MS ? 0 : Math.random() * Math.min(lateMs, intervalMs);
  }

  /** Reports each store whose poll is overdue, once. */
  reportOverdue(records: Iterable<StoreRecord>): void {
    const { shared, pollerOptions } = this.#options;
    for (const record of records) {
      if (!record.isPolled) continue;
      const error = record.pace.newlyOverdue(shared.clock, pollerOptions.intervalMs);
      if (error) this.seatOf(record).poller.report(error);
    }
  }

  /** Tells the state how long each store's slots are taken, as far as this process knows: the state may have lost its data. */
  async repeatWaits(records: Iterable<StoreRecord>): Promise<void> {
    const { clock, state } = this.#options.shared;
    const limit = new Limit(this.#options.requestsInFlight);
    const repeat = async (record: StoreRecord) => {
      const { key, waitMs } = this.#quotaOf(record);
      if (waitMs > 0) await state.settle(key, { shutMs: waitMs }, clock);
    };
    await Promise.allSettled([...records].map((record) => limit.run(() => repeat(record))));
  }

  /** The store's polling quota; `waitMs`: until its next slot is free, as far as this process knows. */
  #quotaOf({ seat, lane, storeScope = '' }: StoreRecord): { readonly key: string; readonly waitMs: number } {
    const key = quotaKey(seat?.wiring.credentials.storeScope ?? storeScope, 'polling');
    const knownLane = seat?.wiring.governor.pollingLane ?? lane;
    const now = this.#options.shared.clock.monotonic();
    const known = knownLane?.knownWait(key, this.#options.shared.endpoints.polling.limit, now);
    return { key, waitMs: known?.granted === false ? known.waitMs : 0 };
  }

  #dropIfIdle(record: StoreRecord, seat: Seat): void {
    if (record.isPinned || !seat.isIdle) return;
    seat.leaveInto(record);
    record.seat = undefined;
    // The application may have kept the client that a listener got: two of them would not share what they remember.
    if (seat.isHandedOut && record.formerSeat?.deref() !== seat) record.formerSeat = new WeakRef(seat);
  }

  #drop(record: StoreRecord, seat: Seat): void {
    if (record.seat === seat) record.seat = undefined;
    record.formerSeat = undefined;
  }
}
