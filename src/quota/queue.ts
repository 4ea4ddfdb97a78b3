import { drain, onAbort } from '../async/promises.js';
import { LeaseLostError } from '../errors/index.js';
import type { MaybePromise, Reservation } from '../state/port.js';
import { type Clock, type Moment, momentOf } from '../time/clock.js';
import { Alarm } from '../time/timer.js';
import { type Granted, localLimitError, type SlotRequest } from './request.js';
import type { Slot, Window } from './window.js';

/** A waiting request asks again at least this often: another process may have released slots. */
const MAX_WAIT_MS = 60_000;

/** A reservation that was asked for, and when. */
export interface PendingReservation {
  readonly reservation: MaybePromise<Reservation>;
  readonly at: Moment;
}

interface Waiter {
  readonly request: SlotRequest;
  /** The latest instants on the monotonic clock at which the slot may come, see `Patience`. */
  readonly quotaUntil: number;
  readonly shutUntil: number;
  readonly resolve: (slot: Slot) => void;
  readonly reject: (error: unknown) => void;
  readonly leave: () => void;
}

export interface SlotQueueOptions {
  readonly clock: Clock;
  readonly window: Window;
  readonly ask: (request: SlotRequest, at: Moment) => MaybePromise<Reservation>;
  /** The slot of a granted reservation, which is now taken. */
  readonly take: (request: SlotRequest, granted: Granted, at: Moment) => Slot;
  readonly release: (slot: Slot) => void;
  readonly onEmpty: () => void;
}

/** The requests that wait for a slot of one window, served first come, first served. */
export class SlotQueue {
  readonly #options: SlotQueueOptions;
  readonly #alarm: Alarm;
  readonly #waiters = new Set<Waiter>();
  /** The last answer, unless a slot may have become free since: the instant before which nobody is served. */
  #refusal: { readonly reason: 'quota' | 'shut'; readonly servedAt: number } | undefined;

  constructor(options: SlotQueueOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock);
  }

  /**
   * A slot when it is this request's turn.
   *
   * @param first - what the first request has asked already.
   * @throws as `Quotas.reserve`.
   */
  wait(request: SlotRequest, first?: PendingReservation): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const { clock, window } = this.#options;
      const { row } = window;
      const { endpoint, limit = row.limit, patience, signal } = request;
      const now = clock.monotonic();
      // Those whose exchange goes on keep their slots for a whole window from now.
      const ahead = this.#waiters.size + window.exchanging;
      const aheadMs = Math.floor(ahead / limit) * row.windowMs;
      if (!first && aheadMs > patience.quotaMs) throw localLimitError(endpoint, row, aheadMs);
      const stopListening =
        signal &&
        onAbort(signal, () => {
          this.#reject(waiter, signal.reason);
          this.#alarm.wake();
        });
      const waiter: Waiter = {
        request,
        quotaUntil: now + patience.quotaMs,
        shutUntil: now + patience.shutMs,
        resolve,
        reject,
        leave: () => {
          stopListening?.();
          this.#waiters.delete(waiter);
        },
      };
      this.#waiters.add(waiter);
      if (first) void this.#serve(first);
      else this.#rejectImpatient();
      // The state may have led to an abort, by a listener that stops the poller. Its grant is released.
      if (signal?.aborted) this.#reject(waiter, signal.reason);
    });
  }

  /** A slot may have become free: tries again at once. */
  wake(): void {
    this.#refusal = undefined;
    this.#alarm.wake();
  }

  /** Serves the waiters one after another until none is left. */
  async #serve(first: PendingReservation): Promise<void> {
    const { clock, ask, onEmpty } = this.#options;
    let asked: PendingReservation | undefined = first;
    for (const waiter of drain(this.#waiters)) {
      try {
        const at: Moment = asked?.at ?? momentOf(clock);
        const reservation = await (asked?.reservation ?? ask(waiter.request, at));
        asked = undefined;
        this.#refusal = undefined;
        if (reservation.granted) this.#grant(waiter, reservation, at);
        else if (reservation.reason === 'leased')
          this.#reject(waiter, new LeaseLostError(reservation.waitMs));
        else {
          const { reason, waitMs } = reservation;
          this.#refusal = { reason, servedAt: clock.monotonic() + waitMs };
          this.#rejectImpatient();
          if (this.#waiters.has(waiter)) await this.#alarm.wait(Math.min(waitMs, MAX_WAIT_MS));
        }
      } catch (error) {
        asked = undefined;
        this.#reject(waiter, error);
      }
    }
    onEmpty();
  }

  #grant(waiter: Waiter, granted: Granted, at: Moment): void {
    const slot = this.#options.take(waiter.request, granted, at);
    if (!this.#waiters.has(waiter)) {
      this.#options.release(slot);
      return;
    }
    waiter.leave();
    waiter.resolve(slot);
  }

  #reject(waiter: Waiter, error: unknown): void {
    waiter.leave();
    waiter.reject(error);
  }

  /** Nobody is served before the first waiter, so the others know now whether they can wait that long. */
  #rejectImpatient(): void {
    const { clock, window } = this.#options;
    if (!this.#refusal) return;
    const { reason, servedAt } = this.#refusal;
    const waitMs = servedAt - clock.monotonic();
    for (const waiter of this.#waiters) {
      const latestAt = reason === 'shut' ? waiter.shutUntil : waiter.quotaUntil;
      if (servedAt > latestAt)
        this.#reject(waiter, localLimitError(waiter.request.endpoint, window.row, waitMs));
    }
  }
}
