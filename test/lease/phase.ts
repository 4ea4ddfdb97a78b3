import { setTimeout as pause } from 'node:timers/promises';
import { POLLER_DEFAULTS } from '../../src/events/poller-options.js';
import { FACTOR, Pack, type SharedState } from './pack.js';

export const INTERVAL_MS = POLLER_DEFAULTS.intervalMs;
export const LEASE_MS = POLLER_DEFAULTS.leaseMs;

export const SIZE = 4;

/** A run takes up to this long, in virtual ms. */
export const RUN_MS = 12_000;

/** Waits in virtual time; the processes are real. */
export const wait = (virtualMs: number) => pause(Math.max(0, virtualMs) / FACTOR);

/** Runs a phase of the test with four new processes. */
export async function inPack<T>(
  shared: SharedState,
  kinds: { readonly runMs: number; readonly longShare: number; readonly concurrency: number },
  work: (pack: Pack) => Promise<T>,
): Promise<T> {
  const pack = new Pack({ shared, size: SIZE, ...kinds });
  try {
    await pack.start();
    return await work(pack);
  } finally {
    await pack.close();
  }
}
