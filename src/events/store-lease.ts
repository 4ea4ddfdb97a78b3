import { Alarm } from '../async/timer.js';
import { type Clock, type Moment, momentOf } from '../clock.js';
import { LeaseLostError, StateError } from '../errors.js';
import type { Lease, LeaseRequest, Reservation, State } from '../state/port.js';
import { type Grant, leftMsOf } from './grant.js';

export interface StoreLeaseOptions {
  readonly clock: Clock;
  readonly state: State;
  /** The key of the polling quota; the lease belongs to it. */
  readonly key: string;
  /** Identifies this client among all that share the state. */
  readonly holder: string;
  /** Whether it is renewed while no listener runs. Default: true. */
  readonly renewsWhenIdle?: boolean;
  /** What an earlier object of the same holder was granted. */
  readonly grant?: Grant | undefined;
}

/** A state call ends within this time (see `StateHealth`), so a renewal that starts this long before the end is in time. */
const RENEW_BEFORE_END_MS = 5000;

const RETRY_AFTER_MS = 2000;

/**
 * The right to poll a store, which one client at a time has.
 *
 * Each poll renews it with the state call that reserves the poll's slot.
 * Between polls it is renewed here: at a third of its time while listeners run,
 * otherwise shortly before it would end. It is valid until `leaseMs` after the
 * last good renewal was *sent*, by both clocks. A process that was suspended, or
 * that cannot reach the state, therefore stops before another one can have the
 * lease.
 */
export class StoreLease {
  readonly #options: StoreLeaseOptions;
  /** Rings when a renewal is due. */
  readonly #alarm: Alarm;
  #leaseMs = 0;
  #grant: Grant | undefined;
  /** When the lease was first requested since the last release. Replies to earlier requests are ignored. */
  #requestedSince: number | undefined;
  #acquiring = 0;
  #isBusy = false;
  #isRenewing = false;
  #onLost: (error: LeaseLostError) => void = () => {};

  constructor(options: StoreLeaseOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock);
    this.resume(options.grant);
  }

  /** What `reserve` sends to the state together with the slot. */
  get request(): LeaseRequest {
    return { holder: this.#options.holder, leaseMs: this.#leaseMs };
  }

  /** Increases with every new holder; 0 without a lease. */
  get fence(): number {
    return this.#grant?.fence ?? 0;
  }

  /** Whether the lease with this fence is valid now: events may be dispatched. */
  isValid(fence: number): boolean {
    return (
      this.#grant !== undefined &&
      this.#grant.fence === fence &&
      leftMsOf(this.#grant, this.#options.clock) > 0
    );
  }

  /**
   * Acquires the lease, unless it is valid already.
   *
   * @param onLost - called once if the lease is lost before `release`.
   * @returns 0, or how long another client still has it, in ms.
   * @throws {StateError} the state is unreachable.
   */
  async acquire(leaseMs: number, onLost: (error: LeaseLostError) => void): Promise<number> {
    this.#leaseMs = leaseMs;
    this.#onLost = onLost;
    this.#requestedSince ??= this.#options.clock.monotonic();
    return this.isValid(this.fence) ? 0 : this.#acquire();
  }

  async #acquire(): Promise<number> {
    const { state, key, clock } = this.#options;
    const sentAt = momentOf(clock);
    let lease: Lease;
    this.#acquiring += 1;
    try {
      lease = await state.lease(key, this.request, clock);
    } catch (cause) {
      throw new StateError(
        "the state that holds the store's lease is unreachable; there are no polls until it is back",
        { cause },
      );
    } finally {
      this.#acquiring -= 1;
    }
    if (!lease.granted) {
      this.#lose(lease.waitMs);
      return lease.waitMs;
    }
    this.#granted(lease.fence, sentAt);
    return 0;
  }

  /** The state's reply to a reservation that contained `request`. */
  reserved(reservation: Reservation, sentAt: Moment): void {
    if (reservation.fence !== undefined) this.#granted(reservation.fence, sentAt);
    else if (!reservation.granted && reservation.reason === 'leased') this.#lose(reservation.waitMs);
  }

  /** While listeners run, the lease is renewed earlier. */
  setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    if (isBusy || !this.#isRenewedNow) this.#alarm.wake();
    this.#renewFromNowOn();
  }

  /** Whether it is being kept renewed. */
  get isRenewing(): boolean {
    return this.#isRenewing;
  }

  /** Stops renewing. @returns what `resume` of another object of the same holder takes. */
  suspend(): Grant | undefined {
    const grant = this.#grant;
    this.#grant = undefined;
    this.#requestedSince = undefined;
    this.#alarm.wake();
    return grant;
  }

  /** Takes over a grant that has not ended. */
  resume(grant: Grant | undefined): void {
    if (!grant || this.#grant || leftMsOf(grant, this.#options.clock) <= 0) return;
    this.#leaseMs = grant.leaseMs;
    this.#grant = grant;
    this.#requestedSince = grant.renewedAt.monotonic;
  }

  /** Ends the lease at once, so that another poller can go on. */
  async release(): Promise<void> {
    this.#requestedSince = undefined;
    if (!this.#grant && this.#acquiring === 0) return;
    this.#grant = undefined;
    this.#alarm.wake();
    await this.#releaseInState();
  }

  async #releaseInState(): Promise<void> {
    const { state, key, holder, clock } = this.#options;
    try {
      await state.lease(key, { holder, leaseMs: 0 }, clock);
    } catch {
      // The lease ends after `leaseMs` without a release.
    }
  }

  #granted(fence: number, renewedAt: Moment): void {
    if (this.#requestedSince === undefined) {
      // Released while the request was under way: nobody else would release this grant.
      void this.#releaseInState();
      return;
    }
    const current = this.#grant;
    if (renewedAt.monotonic < this.#requestedSince || (current && fence < current.fence)) return;
    if (current && current.fence !== fence) this.#lose(0);
    this.#grant = current?.fence === fence ? current : { fence, leaseMs: 0, renewedAt };
    Object.assign(this.#grant, { leaseMs: this.#leaseMs, renewedAt });
    this.#renewFromNowOn();
  }

  #renewFromNowOn(): void {
    if (this.#grant && !this.#isRenewing && this.#isRenewedNow) void this.#keepRenewed();
  }

  get #isRenewedNow(): boolean {
    return this.#isBusy || this.#options.renewsWhenIdle !== false;
  }

  /** Another client has the lease, or had it meanwhile; or this one could not renew it in time. */
  #lose(retryAfterMs: number): void {
    if (!this.#grant) return;
    this.#grant = undefined;
    this.#alarm.wake();
    this.#onLost(new LeaseLostError(retryAfterMs));
  }

  async #keepRenewed(): Promise<void> {
    this.#isRenewing = true;
    let hasFailed = false;
    while (this.#grant && this.#isRenewedNow) {
      const grant = this.#grant;
      const leftMs = leftMsOf(grant, this.#options.clock);
      const dueMs = hasFailed ? Math.min(RETRY_AFTER_MS, leftMs) : leftMs - this.#renewAtLeftMs();
      const isDue = await (dueMs <= 0 || this.#alarm.wait(dueMs));
      if (!isDue || grant !== this.#grant) continue;
      if (leftMsOf(grant, this.#options.clock) > this.#renewAtLeftMs()) hasFailed = false;
      else if (hasFailed && leftMsOf(grant, this.#options.clock) <= 0) this.#lose(0);
      else hasFailed = !(await this.#renew(grant));
    }
    this.#isRenewing = false;
  }

  /** One try. @returns false if it failed before the lease ended. */
  async #renew(grant: Grant): Promise<boolean> {
    const { state, key, clock } = this.#options;
    const sentAt = momentOf(clock);
    const leftMs = leftMsOf(grant, this.#options.clock);
    const done = new AbortController();
    try {
      const renewal = Promise.resolve(state.lease(key, this.request, clock));
      // A process that was suspended past its lease tries too: maybe no other process has acquired it.
      const lease = await (leftMs > 0
        ? Promise.race([renewal, this.#rejectAtEnd(renewal, leftMs, done.signal)])
        : renewal);
      if (grant !== this.#grant) return true;
      if (lease.granted) this.#granted(lease.fence, sentAt);
      else this.#lose(lease.waitMs);
      return true;
    } catch {
      if (grant === this.#grant && leftMsOf(grant, this.#options.clock) <= 0) this.#lose(0);
      return grant !== this.#grant;
    } finally {
      done.abort('done');
    }
  }

  /** Rejects when the lease ends; a reply that comes later is ignored. */
  async #rejectAtEnd(renewal: Promise<unknown>, leftMs: number, signal: AbortSignal): Promise<never> {
    renewal.catch(() => {});
    await this.#options.clock.sleep(leftMs, signal);
    throw new LeaseLostError(0);
  }

  /** A renewal is due when this much of the lease is left. */
  #renewAtLeftMs(): number {
    return this.#isBusy ? (this.#leaseMs * 2) / 3 : RENEW_BEFORE_END_MS;
  }
}
