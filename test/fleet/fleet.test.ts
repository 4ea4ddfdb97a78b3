import { memoryState } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { gate, settledNow } from '../support.js';
import { fleetOf, fleetStage, stores } from './support.js';

describe('a fleet', () => {
  it('polls every store, and passes each event to the listeners with its store', async () => {
    const all = stores(5);
    const { clock, mock, fleet } = fleetStage(all);
    const seen: string[] = [];
    fleet.on('CREATED', async (event, { storeId, hub, signal, attempt, fence }) => {
      expect(signal.aborted).toBe(false);
      expect(fence).toBeGreaterThan(0);
      const { order } = await hub.orders.get(event.orderId);
      seen.push(`${storeId} ${order.id === event.orderId} ${attempt}`);
    });
    for (const { clientId } of all) mock.createOrder({ clientId });
    const started = fleet.start();
    await clock.advance('31s');
    await started;
    expect(seen.sort()).toEqual(all.map(({ storeId }) => `${storeId} true 1`));
    expect(fleet.health()).toMatchObject({ stores: 5, polling: 5, backingOff: 0, standby: 0, refused: 0 });
    const reports = await fleet.stop();
    expect([...reports.keys()].sort()).toEqual(all.map(({ storeId }) => storeId));
    expect(reports.get('store-3')).toMatchObject({ handled: 1, acknowledged: 1, unacknowledged: [] });
    expect(mock.pending()).toEqual([]);
    expect(mock.violations()).toEqual([]);
  });

  it('polls each store at most twice in any minute, for hours, with any latency', async () => {
    const all = stores(20);
    const { clock, mock, fleet, pollsOf } = fleetStage(all, {}, { latencyMs: 700 });
    fleet.on('event', () => {});
    void fleet.start().catch(() => {});
    await clock.advance('2h');
    for (const store of all) {
      const times = pollsOf(store);
      expect(times.length).toBeGreaterThan(225);
      times.forEach((time, index) => {
        if (index >= 2) expect(time - (times[index - 2] as number)).toBeGreaterThanOrEqual(60_000);
      });
    }
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'token')).toHaveLength(20);
    expect(mock.violations()).toEqual([]);
  });
});

void gate;
void settledNow;
void memoryState;
void fleetOf;
