import { describe, expect, it } from 'vitest';
import { afterAdvance, gate } from '../support.js';
import { processes } from './support.js';

/** One process whose `stop` timed out: a listener of its event still runs. Another one shares its state. */
async function stopTimedOut() {
  const { clock, mock, hubs } = processes(2);
  const [one, other] = hubs as unknown as [(typeof hubs)[0], (typeof hubs)[0]];
  const running = gate();
  const seen: string[] = [];
  const poller = one
    .poller()
    .on('CREATED', () => running.promise)
    .on('error', () => {});
  const elsewhere = other.poller().on('CREATED', ({ eventId }) => void seen.push(eventId));
  mock.createOrder();
  void poller.start();
  await clock.advance('1s');
  const stopped = poller.stop({ timeoutMs: 2000 });
  await clock.advance('2s');
  return { clock, mock, one, elsewhere, running, seen, stopped: await stopped };
}

describe('the lease of a store after a stop that timed out', () => {
  it('is kept until its listeners have settled: no other process runs their events (point 11)', async () => {
    const { clock, mock, elsewhere, running, seen, stopped } = await stopTimedOut();
    expect(stopped).toMatchObject({ timedOut: true });
    expect(await elsewhere.runOnce()).toMatchObject({ skipped: 'leased' });
    // Longer than a lease that nobody renews.
    await clock.advance('2m');
    expect(await elsewhere.runOnce()).toMatchObject({ skipped: 'leased' });
    running.open();
    await clock.advance('1s');
    expect(await elsewhere.runOnce()).not.toHaveProperty('skipped');
    expect(seen).toEqual([]);
    expect(mock.pending()).toEqual([]);
  });

  it('is released by close, also if its listeners never settle (point 11)', async () => {
    const { clock, one, elsewhere, seen } = await stopTimedOut();
    expect(await elsewhere.runOnce()).toMatchObject({ skipped: 'leased' });
    await afterAdvance(clock, '31s', one.close());
    expect(await elsewhere.runOnce()).toMatchObject({ received: 1, handled: 1 });
    expect(seen).toHaveLength(1);
    expect(clock.sleepers).toBe(0);
  });
});
