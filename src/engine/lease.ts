import { unlessFails } from '../async/promises.js';
import { LeaseLostError, StateError } from '../errors/index.js';
import type { AskedLease } from '../state/guard.js';
import type { Lease, LeaseRequest, Reservation } from '../state/port.js';
import { type Clock, elapsedMs, type Moment, momentOf, startTimer } from '../time/clock.js';
import { withinTime } from '../time/timer.js';
import { type Engine, reportError } from './engine.js';
import { causeOf } from './report-events.js';
import type { Store } from './store.js';

/**
 * The right to poll a store, which one client at a time has.
 *
 * Each poll renews it with the state call that reserves the poll's slot. Between
 * polls it is renewed here: at a third of its time while events are handled, otherwise
 * shortly before it would end, if the engine keeps idle leases. It is valid until `leaseMs` after
 * the last good renewal was *sent*, by both clocks. A process that was suspended, or
 * that cannot reach the state, therefore stops before another one can have it.
 */
export interface HeldLease {
  /** Increases with every new holder. */
  readonly fence: number;
  /** The duration that was requested. */
  leaseMs: number;
  /** When the state call was sent. */
  renewedAt: Moment;
  /** Listeners run that a stop has left behind: it is renewed until then, in monotonic ms. */
  keptUntil: number;
}

/** A state call ends within this time (see `guardState`), so a renewal that starts this long before the end is in time. */
const RENEW_BEFORE_END_MS = 5000;

const RETRY_AFTER_MS = 2000;

/** How long listeners that a stop has left behind keep the lease at most, or one `leaseMs` if that is longer. */
const LEFT_LEASE_MS = 10 * 60_000;

const leftMsOf = ({ leaseMs, renewedAt }: HeldLease, clock: Clock): number =>
  leaseMs - elapsedMs(renewedAt, clock);

/** Whether the store's lease is valid now; with a fence, whether it is still that one. */
export function hasLease({ lease }: Store, clock: Clock, fence = lease?.fence): boolean {
  return lease !== undefined && lease.fence === fence && leftMsOf(lease, clock) > 0;
}

const requestOf = ({ services, options }: Engine): LeaseRequest => ({
  holder: services.holder,
  leaseMs: options.leaseMs,
});

/** The key of the polling quota: the lease belongs to it. */
const keyOf = ({ services }: Engine, { account }: Store) => services.quotas.windowOf(account, 'polling').key;

/**
 * Acquires the lease, unless it is valid already.
 *
 * @returns 0, or how long another client still has it, in ms.
 * @throws {StateError} the state is unreachable.
 */
export async function acquireLease(engine: Engine, store: Store): Promise<number> {
  const { clock, state } = engine.services;
  store.leaseRequestedAt ??= clock.monotonic();
  if (hasLease(store, clock)) return 0;
  const sentAt = momentOf(clock);
  let reply: Lease;
  // After the time limit of the call, when polling may have ended: it is released then.
  const onLate = (fence: number) => granted(engine, store, fence, sentAt);
  try {
    const request: AskedLease = { ...requestOf(engine), onLate };
    reply = await state.lease(keyOf(engine, store), request, clock);
  } catch (cause) {
    throw new StateError(
      `the state that holds the store's lease is unreachable (${causeOf(store, cause)}); there are no polls until it is back`,
      { cause },
    );
  }
  if (reply.granted) granted(engine, store, reply.fence, sentAt);
  else lose(engine, store, reply.waitMs);
  return reply.granted ? 0 : reply.waitMs;
}

/** For the state call that reserves a poll's slot; `reserved` is called before the poll is sent. */
export function leaseOfPoll(engine: Engine, store: Store) {
  return {
    request: requestOf(engine),
    reserved: (reservation: Reservation, sentAt: Moment) => {
      if (reservation.fence !== undefined) granted(engine, store, reservation.fence, sentAt);
      else if (!reservation.granted && reservation.reason === 'leased')
        lose(engine, store, reservation.waitMs);
    },
  };
}

/** Events are being handled from now on, or no longer: the lease is renewed earlier, or later. */
export function handlingChanged(engine: Engine, store: Store, by: 1 | -1): void {
  store.handling += by;
  renewInTime(engine, store);
}

/** Ends the lease at once, so that another poller can go on. */
export async function releaseLease(engine: Engine, store: Store): Promise<void> {
  // A grant that is under way is released when it comes, see `granted`.
  store.leaseRequestedAt = undefined;
  const isHeld = hasLease(store, engine.services.clock);
  dropLease(store);
  if (isHeld) await releaseInState(engine, store);
}

/**
 * Listeners run that a stop has left behind: no other process may run their events. If this process ends, the lease
 * ends soon after it, because its renewal does not keep the process alive.
 */
export function keepLeaseUntilIdle(engine: Engine, store: Store): void {
  const { clock } = engine.services;
  const { lease } = store;
  if (lease) lease.keptUntil = clock.monotonic() + Math.max(0, LEFT_LEASE_MS - engine.options.leaseMs);
  renewInTime(engine, store);
}

/** Releases the lease that was kept for listeners which a stop has left behind, if nobody polls meanwhile. */
export function releaseWhenIdle(engine: Engine, store: Store): void {
  if (!store.call && !store.runs && !store.work?.sender) void releaseLease(engine, store);
}

/** If it fails, the lease ends after `leaseMs`. */
async function releaseInState(engine: Engine, store: Store): Promise<void> {
  const { clock, state, holder } = engine.services;
  await unlessFails(() => state.lease(keyOf(engine, store), { holder, leaseMs: 0 }, clock));
}

function dropLease(store: Store): void {
  store.lease = undefined;
  store.cancelRenewal?.();
  store.cancelRenewal = undefined;
}

function granted(engine: Engine, store: Store, fence: number, renewedAt: Moment): void {
  const { leaseRequestedAt } = store;
  if (leaseRequestedAt === undefined) {
    // Released while the request was under way: nobody else would release this grant.
    void releaseInState(engine, store);
    return;
  }
  const current = store.lease;
  if (renewedAt.monotonic < leaseRequestedAt || (current && fence < current.fence)) return;
  // Another client had it meanwhile: what began with the former fence is given up, and this one is new.
  if (current && current.fence !== fence) lose(engine, store, 0);
  const { leaseMs } = engine.options;
  if (store.lease) Object.assign(store.lease, { leaseMs, renewedAt });
  else store.lease = { fence, leaseMs, renewedAt, keptUntil: 0 };
  renewInTime(engine, store);
}

/**
 * Another client has the lease, or had it meanwhile, or it could not be renewed in time.
 * Another poller may run the same events now: nothing more is dispatched; handled events are still acknowledged.
 */
function lose(engine: Engine, store: Store, retryAfterMs: number): void {
  if (!store.lease) return;
  dropLease(store);
  store.epoch += 1;
  const error = new LeaseLostError(retryAfterMs);
  engine.onLeaseLost(store, error);
  reportError(engine, store, error);
}

/** Sets the timer of the next renewal. */
function renewInTime(engine: Engine, store: Store, hasFailed = false): void {
  const { lease } = store;
  store.cancelRenewal?.();
  store.cancelRenewal = undefined;
  const isBusy = store.handling > 0 || store.runs !== undefined;
  const { clock } = engine.services;
  const isLeft = !store.call;
  if (!lease || !(isLeft || isBusy || engine.keepsIdleLease)) return;
  const renewAtLeftMs = isBusy ? (engine.options.leaseMs * 2) / 3 : RENEW_BEFORE_END_MS;
  const leftMs = leftMsOf(lease, clock);
  const dueMs = hasFailed ? Math.min(RETRY_AFTER_MS, leftMs) : leftMs - renewAtLeftMs;
  // What is renewed after `keptUntil` would last longer than it may.
  if (isLeft && clock.monotonic() + Math.max(0, dueMs) >= lease.keptUntil) return;
  const onDue = () => {
    store.cancelRenewal = undefined;
    if (hasFailed && leftMsOf(lease, clock) <= 0) lose(engine, store, 0);
    else void renew(engine, store, lease);
  };
  store.cancelRenewal = startTimer(clock, dueMs, onDue, isLeft);
}

/** One try. A process that was suspended past its lease tries too: maybe no other process has acquired it. */
async function renew(engine: Engine, store: Store, lease: HeldLease): Promise<void> {
  const { clock, state } = engine.services;
  const sentAt = momentOf(clock);
  const leftMs = leftMsOf(lease, clock);
  try {
    const reply = await withinTime(
      clock,
      leftMs > 0 ? leftMs : Number.POSITIVE_INFINITY,
      () => state.lease(keyOf(engine, store), requestOf(engine), clock),
      () => new LeaseLostError(0),
    );
    if (lease !== store.lease) return;
    if (reply.granted) granted(engine, store, reply.fence, sentAt);
    else lose(engine, store, reply.waitMs);
  } catch {
    if (lease !== store.lease) return;
    if (leftMsOf(lease, clock) <= 0) lose(engine, store, 0);
    else renewInTime(engine, store, true);
  }
}
