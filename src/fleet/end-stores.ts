import { Limit } from '../async/promises.js';
import type { Engine } from '../engine/engine.js';
import type { StopReport } from '../engine/reports.js';
import { mustWait, stop } from '../engine/stop.js';
import type { Store } from '../engine/store.js';
import { startTimer } from '../time/clock.js';

/**
 * Stops polling the stores, waits for their listeners and acknowledges what
 * these have handled. Stores that are busy do not hold up the others; the
 * leases of idle ones are released a few at a time, and all at once when the time is over.
 *
 * @returns the report of each store that was polled.
 */
export async function endStores(
  { engine, requestsInFlight }: { readonly engine: Engine; readonly requestsInFlight: number },
  stores: readonly Store[],
  timeoutMs: number,
  how = stop,
): Promise<Map<string, StopReport>> {
  const { clock } = engine.services;
  const endsAt = clock.monotonic() + timeoutMs;
  const limit = new Limit(requestsInFlight);
  const reports = new Map<string, StopReport>();
  const end = async (store: Store) => {
    const leftMs = Math.max(0, endsAt - clock.monotonic());
    reports.set(store.account.storeId as string, await how(engine, store, leftMs));
  };
  const polled = stores.filter((store) => store.call !== undefined || mustWait(engine, store));
  // No turn of theirs begins any more.
  for (const store of polled) engine.scheduler.remove(store);
  // A state that does not answer keeps each release waiting: when the time is over, nothing waits for a place.
  const late = new AbortController();
  const cancelTimer = startTimer(clock, timeoutMs, () => late.abort());
  const endInTurn = (store: Store) => limit.run(() => end(store), late.signal).catch(() => end(store));
  await Promise.all(polled.map((store) => (store.turn || store.runs ? end(store) : endInTurn(store))));
  cancelTimer();
  return reports;
}
