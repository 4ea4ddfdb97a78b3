import {
  AuthenticationError,
  isLocalFailure,
  LeaseLostError,
  RateLimitError,
  StateError,
} from '../errors/index.js';
import { type Engine, emit, reportError } from './engine.js';
import type { ResolvedPollerOptions, RetryDelay } from './options.js';
import { type OpenEvent, type Store, willPoll } from './store.js';

/** A store on standby tries to acquire the lease this often per interval, so that a released one is soon noticed. */
const LEASE_TRIES_PER_INTERVAL = 3;

/** The longest backoff after failures of the network or the hub: a restaurant is waiting for its orders. */
const MAX_BACKOFF_MS = 5 * 60_000;

/** A person has to correct refused credentials; frequent tries would only use up the token quota. */
const FIRST_CREDENTIALS_BACKOFF_MS = 5 * 60_000;
const MAX_CREDENTIALS_BACKOFF_MS = 30 * 60_000;

/** A store whose polls are this far from its own phase returns to it. */
const ASTRAY_MS = 900;

/** A stall of the process, or its pace, delays by less than this. The phase moves with that: the way back would be longer. */
const STALL_MS = 2000;

/** It returns a part of the interval at a time, so that no poll waits for two intervals. */
const RETURN_STEP = 1 / 3;

/** A hub that takes longer is having an outage. */
const MAX_LATENCY_MS = 5000;

/** Another poller has the lease. */
export function standBy(engine: Engine, store: Store, leasedMs: number): void {
  const { intervalMs } = engine.options;
  // Earlier failures do not delay the poll that follows when the lease is acquired, and say nothing of a store on standby.
  store.failures = 0;
  store.lastError = undefined;
  store.dueAt = (store.startedAt as number) + Math.min(leasedMs, intervalMs / LEASE_TRIES_PER_INTERVAL);
  // Also after a request for the lease that has failed.
  store.expectedAt = Number.POSITIVE_INFINITY;
  if (store.isOnStandby) return;
  store.isOnStandby = true;
  emit(engine, store, 'standby', { retryAfterMs: leasedMs });
}

/** It has the lease again. */
export function leaveStandby({ services }: Engine, store: Store): void {
  store.isOnStandby = false;
  store.expectedAt = services.clock.monotonic();
}

/** The poll was good; its events are not handled yet. @param wasDueAt - when it was due, in monotonic ms. */
export function turnSucceeded(engine: Engine, store: Store, wasDueAt: number): void {
  const { failures, startedAt = 0 } = store;
  store.formerLatencyMs = store.latencyMs;
  store.latencyMs = Math.ceil(engine.services.clock.monotonic() - startedAt);
  store.failures = 0;
  store.lastError = undefined;
  // Unless `fleet.poll` was called while it was on its way.
  if (store.dueAt === wasDueAt) store.dueAt = nextDueAt(engine, store, wasDueAt);
  // A poll that waits for its slot is late; one that returns to its phase is not.
  store.expectedAt = Math.max(store.dueAt, (store.startedAt as number) + engine.options.intervalMs);
  engine.scheduler.polled(store);
  if (!store.isStarted) {
    store.isStarted = true;
    emit(engine, store, 'started', { at: engine.services.clock.now() });
    engine.onFirstTurn(store);
  }
  if (failures > 0) emit(engine, store, 'recovered', { failures });
}

/**
 * An interval after the poll was sent. Stores that were late together, because the process was suspended or the
 * hub slow, would stay together: each returns to its own phase.
 */
function nextDueAt({ options: { intervalMs } }: Engine, store: Store, wasDueAt: number): number {
  const startedAt = store.startedAt as number;
  const dueAt = startedAt + intervalMs;
  if (store.phaseAt === undefined) return dueAt;
  const lateMs = startedAt - wasDueAt;
  // Of stores with nearly the same phase, the pace of the first polls makes neighbours.
  if (!store.isStarted && isInPhase(store, wasDueAt, intervalMs)) store.phaseAt = startedAt;
  else if (lateMs < STALL_MS) store.phaseAt += lateMs;
  if (isInPhase(store, startedAt, intervalMs)) return dueAt;
  return dueAt + Math.min(untilPhase(store.phaseAt, dueAt, intervalMs), intervalMs * RETURN_STEP);
}

/** How long after `from` an interval begins again, if one begins at `phaseAt`, in ms. */
export const untilPhase = (phaseAt: number, from: number, intervalMs: number): number =>
  (((phaseAt - from) % intervalMs) + intervalMs) % intervalMs;

function isInPhase({ phaseAt = 0 }: Store, at: number, intervalMs: number): boolean {
  const apartMs = untilPhase(phaseAt, at, intervalMs);
  return Math.min(apartMs, intervalMs - apartMs) < ASTRAY_MS;
}

/**
 * The turn has failed. Unless that ends polling, it is decided when the next one is due.
 *
 * @param wasDueAt - when it was due, in monotonic ms.
 */
export function turnFailed(engine: Engine, store: Store, error: unknown, wasDueAt: number): void {
  const { clock } = engine.services;
  const { intervalMs } = engine.options;
  if (engine.onTurnFailed(store, error)) return;
  const startedAt = store.startedAt as number;
  // Another poller has the lease; the next try to acquire it is due at once. Its runs were given up when it was lost.
  if (error instanceof LeaseLostError) store.dueAt = clock.monotonic();
  else if (isNotYetFree(error)) {
    store.dueAt = startedAt + error.retryAfterMs;
    // A failure of an earlier poll, if it takes longer than the interval.
    if (error.retryAfterMs > intervalMs) store.lastError = error;
  } else {
    store.failures += 1;
    store.lastError = error;
    // The hub needs no rest, and orders wait there until the state is back.
    const delayMs =
      error instanceof StateError ? intervalMs : backoffAfter(error, store.failures, intervalMs);
    // Unless it was changed while it was on its way: `fleet.poll`, a lost lease.
    if (store.dueAt === wasDueAt) store.dueAt = startedAt + delayMs;
    store.expectedAt = Math.max(store.dueAt, clock.monotonic());
    emit(engine, store, 'backoff', { error, delayMs, failures: store.failures });
    reportError(engine, store, error);
  }
}

/** The poll was not sent, because its slot is not free yet: nothing has failed. */
const isNotYetFree = (error: unknown): error is RateLimitError =>
  error instanceof RateLimitError && error.origin === 'local' && error.endpoint === 'polling';

/** With a refused token of the state, so many polls are tried again: by the third one, it is old enough to be renewed. */
const MAX_FAILURES_OF_RESTORED = 3;

/**
 * Only a person can correct it: an option, refused credentials, or a new token that the hub does not accept. One of the
 * state may have been revoked meanwhile: it is renewed when it is five minutes old.
 */
export function needsPerson({ account: { token }, failures }: Store, error: unknown): boolean {
  if (!(error instanceof AuthenticationError)) return isLocalFailure(error);
  const mayBeRevoked = error.which === 'bearer' && token?.isRestored && failures < MAX_FAILURES_OF_RESTORED;
  return error.status !== 403 && !mayBeRevoked;
}

/**
 * How long after the start of a failed poll the next one is due: at least the
 * interval. Exponential, with jitter above the interval; after 429, what the
 * hub (or our own count of its quota) demands.
 *
 * @param failures - failed polls in a row, including this one.
 * @see Spec §6.2, §7
 */
function backoffAfter(error: unknown, failures: number, intervalMs: number): number {
  if (error instanceof RateLimitError) return Math.max(intervalMs, error.retryAfterMs);
  const [first, max] =
    error instanceof AuthenticationError
      ? [FIRST_CREDENTIALS_BACKOFF_MS, MAX_CREDENTIALS_BACKOFF_MS]
      : [intervalMs, MAX_BACKOFF_MS];
  const bound = Math.max(intervalMs, Math.min(max, first * 2 ** Math.min(failures - 1, 20)));
  return jittered(intervalMs, bound);
}

/** Between half of the bound, or `min`, and the bound. */
function jittered(min: number, bound: number): number {
  const least = Math.max(min, bound / 2);
  return Math.ceil(least + Math.random() * (bound - least));
}

/**
 * When a failed event runs again: after `retryDelayMs.min`, doubled with each attempt up to `max`, with jitter.
 *
 * @param polledAt - when the poll that brought it was sent. The wait begins there unless the run took longer than an
 * interval: with a slow hub, every second poll would otherwise come a moment too early.
 */
export function retryAtOf(
  { attempts }: OpenEvent,
  { intervalMs, retryDelayMs }: Pick<ResolvedPollerOptions, 'intervalMs' | 'retryDelayMs'>,
  polledAt: number,
  now: number,
): number {
  const { min, max } = retryDelayMs as Record<keyof RetryDelay, number>;
  const bound = Math.min(max, min * 2 ** Math.min(attempts - 1, 40));
  const from = now - polledAt < intervalMs ? polledAt : now;
  return from + jittered(min, bound);
}

/** A turn is over: the next one is due at `dueAt`, but not before the hub allows it. */
export function scheduleNext(engine: Engine, store: Store): void {
  if (!willPoll(store)) return;
  const { clock, quotas } = engine.services;
  const { intervalMs } = engine.options;
  const waitMs = quotas.waitMs(store.account, 'polling');
  const laterMs = waitMs > 0 ? clock.monotonic() + waitMs - store.dueAt : 0;
  if (laterMs > 0) {
    // A slot is free a minute after the response, so each minute is longer by the hub's latency. The phase moves with
    // that: otherwise the store would go back to it again and again.
    if (store.phaseAt !== undefined && isInPhase(store, store.startedAt ?? 0, intervalMs)) {
      const latencyMs = Math.max(store.latencyMs, store.formerLatencyMs);
      if (latencyMs < MAX_LATENCY_MS) store.phaseAt += Math.min(laterMs, latencyMs);
    }
    store.dueAt += laterMs;
  }
  engine.scheduler.add(store);
}
