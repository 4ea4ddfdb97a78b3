import { onAbort } from '../async/abort.js';
import { drain } from '../async/drain.js';
import { Alarm } from '../async/timer.js';
import { type Clock, instantAfter, type Moment, momentOf } from '../clock.js';
import type { Endpoint, EndpointName } from '../endpoints.js';
import { LeaseLostError, StateError } from '../errors.js';
import type { LeaseRequest, Reservation, State } from '../state/port.js';
import type { Lane, Slot } from './lane.js';
import { localLimitError } from './quota.js';

/** A waiting request asks again at least this often: another process may have released slots. */
const MAX_WAIT_MS = 60_000;

/** How long a call is willing to wait for its slot. */
export interface Patience {
  /** For a free slot in the quota of Spec §8, in ms. */
  readonly quotaMs: number;
  /** For an endpoint that the hub has blocked with 429, in ms. */
  readonly shutMs: number;
}

/** Does not wait at all. */
export const NO_PATIENCE: Patience = Object.freeze({ quotaMs: 0, shutMs: 0 });

/** Waits at most `quotaMs` for the quota, and for a blocked endpoint as long as the call's deadline allows. */
export const patienceOf = (quotaMs: number): Patience => ({ quotaMs, shutMs: Number.POSITIVE_INFINITY });

/** A lease that is acquired or renewed together with a slot. */
export interface LeaseKeeper {
  /** The lease to acquire or renew. */
  readonly request: LeaseRequest;
  /**
   * Called with the result of the reservation.
   *
   * @param sentAt - when the state was asked, on both clocks: the lease counts from then.
   */
  reserved(reservation: Reservation, sentAt: Moment): void;
}

/** What one request needs. */
export interface SlotRequest {
  /** The state's key of the quota. */
  readonly key: string;
  /** At most this many of the quota's slots may be taken. */
  readonly limit: number;
  /** How long a slot stays taken if nobody settles it. */
  readonly holdMs: number;
  /** Acquired or renewed in the same step; without it no slot is granted. */
  readonly lease: LeaseKeeper | undefined;
}

interface Waiter {
  readonly request: SlotRequest;
  /** The latest instants on the monotonic clock at which the slot may come, see `Patience`. */
  readonly quotaUntil: number;
  readonly shutUntil: number;
  readonly resolve: (slot: Slot) => void;
  readonly reject: (error: unknown) => void;
}

export interface SlotQueueOptions {
  /** The endpoint's limit. */
  readonly row: Endpoint;
  readonly clock: Clock;
  readonly state: State;
  readonly lane: Lane;
  /** Returns a slot that was granted after its request was aborted. */
  readonly release: (slot: Slot) => Promise<void>;
}

/** The requests of one endpoint that wait for a slot, served first come, first served. */
export class SlotQueue {
  readonly #endpoint: EndpointName;
  readonly #options: SlotQueueOptions;
  readonly #alarm: Alarm;
  readonly #waiters = new Set<Waiter>();
  #isServed = false;

  constructor(endpoint: EndpointName, options: SlotQueueOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#alarm = new Alarm(options.clock);
  }

  /**
   * A slot when it is this request's turn.
   *
   * @throws as `Governor.reserve`.
   */
  reserve(request: SlotRequest, patience: Patience, signal: AbortSignal | undefined): Promise<Slot> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const aheadMs = Math.floor(this.#waiters.size / request.limit) * this.#options.row.windowMs;
      if (aheadMs > patience.quotaMs) {
        reject(localLimitError(this.#endpoint, this.#options.row, aheadMs));
        return;
      }
      const stopListening =
        signal &&
        onAbort(signal, () => {
          waiter.reject(signal.reason);
          this.#alarm.wake();
        });
      const leave = () => {
        stopListening?.();
        this.#waiters.delete(waiter);
      };
      const now = this.#options.clock.monotonic();
      const waiter: Waiter = {
        request,
        quotaUntil: now + patience.quotaMs,
        shutUntil: now + patience.shutMs,
        resolve: (slot) => {
          leave();
          resolve(slot);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      if (!this.#isServed) void this.#serve();
      // The state may have led to an abort, by a listener that stops the poller. Its grant is released.
      if (signal?.aborted) waiter.reject(signal.reason);
    });
  }

  /** A slot may have become free: tries again at once. */
  wake(): void {
    this.#alarm.wake();
  }

  /** Serves the waiters one after another until none is left. */
  async #serve(): Promise<void> {
    this.#isServed = true;
    for (const waiter of drain(this.#waiters)) {
      const at = momentOf(this.#options.clock);
      let reservation: Reservation;
      try {
        reservation = await this.#ask(waiter.request, at);
      } catch (error) {
        waiter.reject(error);
        continue;
      }
      if (reservation.granted) this.#grant(waiter, reservation.id, at);
      else if (reservation.reason === 'leased') waiter.reject(new LeaseLostError(reservation.waitMs));
      else {
        this.#rejectImpatient(reservation.reason, reservation.waitMs);
        if (this.#waiters.has(waiter)) await this.#alarm.wait(Math.min(reservation.waitMs, MAX_WAIT_MS));
      }
    }
    this.#isServed = false;
  }

  /** @throws {StateError} the state is unreachable; for polls and token requests only. */
  async #ask({ key, limit, holdMs, lease }: SlotRequest, at: Moment): Promise<Reservation> {
    const { clock, state, lane } = this.#options;
    const known = lane.knownWait(key, limit, at.monotonic);
    if (known) return known;
    try {
      const reservation = await state.reserve(key, { limit, holdMs, lease: lease?.request }, clock);
      lease?.reserved(reservation, at);
      return reservation;
    } catch (cause) {
      if (this.#endpoint !== 'polling' && this.#endpoint !== 'token') {
        return lane.reserveLocally(limit, clock.monotonic());
      }
      // Polls and token requests are counted across processes or not sent at all: the events wait at the hub.
      throw new StateError(
        `${this.#endpoint}: not sent, because the state that counts requests across processes is unreachable`,
        { cause },
      );
    }
  }

  #grant(waiter: Waiter, id: string, reservedAt: Moment): void {
    if (this.#waiters.has(waiter)) waiter.resolve(this.#add(waiter.request, id, reservedAt));
    else void this.#options.release(this.#slotOf(waiter.request, id, reservedAt));
  }

  /** The slot is taken. */
  #add(request: SlotRequest, id: string, reservedAt: Moment): Slot {
    const slot = this.#slotOf(request, id, reservedAt);
    this.#options.lane.add(slot, this.#options.clock.monotonic());
    return slot;
  }

  #slotOf({ key, holdMs }: SlotRequest, id: string, reservedAt: Moment): Slot {
    const freeAt = instantAfter(this.#options.clock.monotonic(), holdMs);
    return { endpoint: this.#endpoint, key, id, reservedAt, freeAt };
  }

  /** Nobody is served before the first waiter, so the others know now whether they can wait that long. */
  #rejectImpatient(reason: 'quota' | 'shut', waitMs: number): void {
    const servedAt = this.#options.clock.monotonic() + waitMs;
    for (const waiter of this.#waiters) {
      const latestAt = reason === 'shut' ? waiter.shutUntil : waiter.quotaUntil;
      if (servedAt > latestAt) waiter.reject(localLimitError(this.#endpoint, this.#options.row, waitMs));
    }
  }
}
