import type { Clock } from '../clock.js';
import { LeaseLostError, StateError } from '../errors.js';
import type { Lease, LeaseRequest, Reservation, State } from '../state/port.js';

export interface StoreLeaseOptions {
  readonly clock: Clock;
  readonly state: State;
  /** The key of the quota of polls, whose lease it is. */
  readonly key: string;
  /** Identifies this client among all that share the state. */
  readonly holder: string;
}

/** When a state call was sent: the lease counts from then, because the answer may have taken long. */
export interface SentAt {
  readonly monotonic: number;
  readonly wall: number;
}

interface Tenure {
  readonly fence: number;
  /** For how long it was asked for when it was last renewed. */
  leaseMs: number;
  renewedAt: SentAt;
}

/** A state call ends within this time (see `StateHealth`), so a renewal begun this long before the end is not too late. */
const RENEW_BEFORE_END_MS = 5000;

const RETRY_AFTER_MS = 2000;

/**
 * The right to poll a store, which one client at a time has.
 *
 * Each poll renews it with the state call that reserves the poll's slot.
 * Between polls it is renewed here: at a third of its time while listeners
 * run, otherwise shortly before it would end. It counts as held until
 * `leaseMs` after the last good renewal was *sent*, by both clocks: a process
 * that was suspended, or whose state is out of reach, stops by itself before
 * another one can have the lease.
 */
export class StoreLease {
  readonly #options: StoreLeaseOptions;
  #leaseMs = 0;
  #tenure: Tenure | undefined;
  /** When it was first asked for since the last release; an answer to an earlier request is of no use. */
  #wantedSince: number | undefined;
  #asking = 0;
  #isBusy = false;
  #keeping = false;
  #wake: AbortController | undefined;
  #onLost: (error: LeaseLostError) => void = () => {};

  constructor(options: StoreLeaseOptions) {
    this.#options = options;
  }

  /** What `reserve` sends along. */
  get request(): LeaseRequest {
    return { holder: this.#options.holder, leaseMs: this.#leaseMs };
  }

  /** Increases with every new holder; 0 before the first lease. */
  get fence(): number {
    return this.#tenure?.fence ?? 0;
  }

  /** Whether events may be dispatched now. */
  isHeld(): boolean {
    return this.#tenure !== undefined && this.#leftMs(this.#tenure) > 0;
  }

  /**
   * Acquires the lease, unless it is held already.
   *
   * @param onLost - called once if it is lost before `release`.
   * @returns 0, or for how long another client still has it, in ms.
   * @throws {StateError} the state is out of reach.
   */
  async acquire(leaseMs: number, onLost: (error: LeaseLostError) => void): Promise<number> {
    this.#leaseMs = leaseMs;
    this.#onLost = onLost;
    const sentAt = this.#now();
    this.#wantedSince ??= sentAt.monotonic;
    if (this.isHeld()) return 0;
    const { state, key, clock } = this.#options;
    let answer: Lease;
    this.#asking += 1;
    try {
      answer = await state.lease(key, this.request, clock);
    } catch (cause) {
      throw new StateError(
        "the state that has the store's lease is out of reach; nothing is polled until it is back",
        {
          cause,
        },
      );
    } finally {
      this.#asking -= 1;
    }
    if (!answer.granted) {
      this.#lose(answer.waitMs);
      return answer.waitMs;
    }
    this.#granted(answer.fence, sentAt);
    return 0;
  }

  /** The answer to a reservation that was sent with `request`. */
  reserved(answer: Reservation, sentAt: SentAt): void {
    if (answer.fence !== undefined) this.#granted(answer.fence, sentAt);
    else if (!answer.granted && answer.reason === 'leased') this.#lose(answer.waitMs);
  }

  /** While listeners run the lease is renewed earlier. */
  busy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    if (isBusy) this.#wake?.abort('busy');
  }

  /** Ends the lease at once, so that another poller can go on. */
  async release(): Promise<void> {
    this.#wantedSince = undefined;
    if (!this.#tenure && this.#asking === 0) return;
    this.#tenure = undefined;
    this.#wake?.abort('released');
    await this.#releaseInState();
  }

  async #releaseInState(): Promise<void> {
    const { state, key, holder, clock } = this.#options;
    try {
      await state.release(key, holder, clock);
    } catch {
      // It ends by itself after `leaseMs`.
    }
  }

  #granted(fence: number, renewedAt: SentAt): void {
    if (this.#wantedSince === undefined) {
      // Released while the state was asked: nobody would end it.
      void this.#releaseInState();
      return;
    }
    const tenure = this.#tenure;
    if (renewedAt.monotonic < this.#wantedSince || (tenure && fence < tenure.fence)) return;
    if (tenure && tenure.fence !== fence) this.#lose(0);
    this.#tenure = tenure?.fence === fence ? tenure : { fence, leaseMs: 0, renewedAt };
    Object.assign(this.#tenure, { leaseMs: this.#leaseMs, renewedAt });
    if (!this.#keeping) void this.#keep();
  }

  /** Another client has, or had, the lease; or this one could not renew it in time. */
  #lose(retryAfterMs: number): void {
    if (!this.#tenure) return;
    this.#tenure = undefined;
    this.#wake?.abort('lost');
    this.#onLost(new LeaseLostError(retryAfterMs));
  }

  async #keep(): Promise<void> {
    this.#keeping = true;
    let hasFailed = false;
    while (this.#tenure) {
      const tenure = this.#tenure;
      const leftMs = this.#leftMs(tenure);
      const dueMs = hasFailed ? Math.min(RETRY_AFTER_MS, leftMs) : leftMs - this.#renewAtLeftMs();
      const isDue = await this.#sleep(dueMs);
      if (!isDue || tenure !== this.#tenure) continue;
      if (this.#leftMs(tenure) > this.#renewAtLeftMs()) hasFailed = false;
      else if (hasFailed && this.#leftMs(tenure) <= 0) this.#lose(0);
      else hasFailed = !(await this.#renew(tenure));
    }
    this.#keeping = false;
  }

  /** One try; false when it failed before the lease has ended. */
  async #renew(tenure: Tenure): Promise<boolean> {
    const { state, key, clock } = this.#options;
    const sentAt = this.#now();
    const leftMs = this.#leftMs(tenure);
    const end = new AbortController();
    try {
      const asked = Promise.resolve(state.lease(key, this.request, clock));
      // A process that was suspended past its lease asks all the same: nobody may have taken it.
      const answer = await (leftMs > 0 ? Promise.race([asked, this.#ended(asked, leftMs, end)]) : asked);
      if (tenure !== this.#tenure) return true;
      if (answer.granted) this.#granted(answer.fence, sentAt);
      else this.#lose(answer.waitMs);
      return true;
    } catch {
      if (tenure === this.#tenure && this.#leftMs(tenure) <= 0) this.#lose(0);
      return tenure !== this.#tenure;
    } finally {
      end.abort('answered');
    }
  }

  /** Rejects when the lease is over; the answer that comes later is not waited for. */
  async #ended(asked: Promise<unknown>, leftMs: number, end: AbortController): Promise<never> {
    asked.catch(() => {});
    await this.#options.clock.sleep(leftMs, end.signal);
    throw new LeaseLostError(0);
  }

  /** @returns false when woken early. */
  async #sleep(ms: number): Promise<boolean> {
    if (ms <= 0) return true;
    const wake = new AbortController();
    this.#wake = wake;
    try {
      await this.#options.clock.sleep(ms, wake.signal);
      return true;
    } catch {
      return false;
    } finally {
      this.#wake = undefined;
    }
  }

  /** A renewal is due when this much of the lease is left. */
  #renewAtLeftMs(): number {
    return this.#isBusy ? (this.#leaseMs * 2) / 3 : RENEW_BEFORE_END_MS;
  }

  #leftMs({ leaseMs, renewedAt }: Tenure): number {
    const { monotonic, wall } = this.#now();
    return leaseMs - Math.max(monotonic - renewedAt.monotonic, wall - renewedAt.wall);
  }

  #now(): SentAt {
    const { clock } = this.#options;
    return { monotonic: clock.monotonic(), wall: clock.now() };
  }
}
