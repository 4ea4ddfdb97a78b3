import { setTimeout as pause } from 'node:timers/promises';
import { FACTOR, Pack, type SharedState } from './pack.js';

/** The defaults of a poller. */
export const INTERVAL_MS = 30_000;
export const LEASE_MS = 45_000;

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
    await pack.pollAfter(0);
    return await work(pack);
  } finally {
    await pack.close();
  }
}
