import type { Clock } from '../clock.js';
import { ManualClock } from './manual-clock.js';

/** Sleeps on behalf of a request that holds the clock, such as a delayed response of the mock hub. */
export async function sleepParked(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  const unpark = clock instanceof ManualClock ? clock.park() : undefined;
  await clock.sleep(ms, signal).finally(unpark);
}
