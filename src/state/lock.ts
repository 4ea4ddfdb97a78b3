import type { Clock } from '../clock.js';
import type { Reservation, State } from './port.js';

/**
 * How long one process may hold the lock, and the longest the others wait for
 * it: a process can die while it holds it, and a state can refuse everything.
 */
const LOCK_MS = 30_000;

/** How often a process that waits looks for a result of the others. */
const CHECK_EVERY_MS = 500;

export interface LockOptions<Result> {
  readonly state: State;
  readonly key: string;
  readonly clock: Clock;
  /** Waits; rejects when the caller no longer needs the result. */
  readonly pause: (ms: number) => Promise<void>;
  /** The result that another process has stored, if it can be used. */
  readonly findResult: () => Promise<Result | undefined>;
  readonly work: () => Promise<Result>;
}

/**
 * Runs `work` in one process at a time, among all that share the state. The
 * others wait, and return the result that it has stored.
 *
 * Without a lock (the state fails, or refuses it for 30 s) `work` runs anyway.
 */
export async function withLock<Result>(options: LockOptions<Result>): Promise<Result> {
  const { key, state, clock, pause, findResult, work } = options;
  const waitsUntil = clock.monotonic() + LOCK_MS;
  while (true) {
    const found = await findResult();
    if (found !== undefined) return found;
    const lock = await acquire(options);
    if (lock?.granted === false && clock.monotonic() < waitsUntil) {
      await pause(Math.min(lock.waitMs, CHECK_EVERY_MS));
      continue;
    }
    try {
      return await work();
    } finally {
      if (lock?.granted) await release(state, key, lock.id, clock);
    }
  }
}

/** @returns undefined if the state fails: then there is no lock. */
async function acquire({ state, key, clock }: LockOptions<unknown>): Promise<Reservation | undefined> {
  try {
    return await state.reserve(key, { limit: 1, holdMs: LOCK_MS }, clock);
  } catch {
    return undefined;
  }
}

async function release(state: State, key: string, id: string, clock: Clock): Promise<void> {
  try {
    await state.settle(key, { id, freeInMs: 0 }, clock);
  } catch {
    // The lock ends after `LOCK_MS`.
  }
}
