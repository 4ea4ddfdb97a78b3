import { type FleetStore, memoryState } from 'opendelivery-client';
import { describe, expect, it, vi } from 'vitest';
import { afterAdvance, gate, settledNow, watched } from '../support.js';
import { caught, fleetStage, one, overlap, polling, stores } from './support.js';

describe('a fleet whose functions hang and whose stores change', () => {
  it('a changed secret while a listener hangs: one run at a time', async () => {
    const all = one();
    let listed = all;
    const { clock, mock, fleet } = fleetStage(all, {
      stores: () => listed,
      poller: { listenerTimeoutMs: 1000 },
    });
    const g = gate();
    const o = overlap();
    fleet.on('CREATED', (event) => o.run(event.eventId, () => g.promise)).on('error', () => {});
    mock.createOrder({ clientId: all[0]?.clientId as string });
    void caught(fleet.start());
    await clock.advance('40s');
    // the apiKey only, so that polls go on
    listed = [{ ...(all[0] as FleetStore), apiKey: 'another' }];
    await clock.advance('5m');
    const most = o.most;
    g.open();
    await clock.advance('2m');
    expect(most).toBe(1);
    expect(mock.pending(all[0]?.clientId as string)).toEqual([]);
  });

  it('start() rejects on abort while the stores are read', async () => {
    const { clock, fleet } = fleetStage([], { stores: () => new Promise(() => {}) });
    fleet.on('event', () => {});
    const controller = new AbortController();
    const started = fleet.start({ signal: controller.signal });
    await clock.advance(10);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await settledNow(clock, started)).toEqual({ error: reason });
  });

  it('a store that was added stays, whatever the source returns', async () => {
    const all = one();
    let listed = [] as typeof all;
    const { clock, fleet } = await polling(fleetStage(all, { stores: () => listed }), 0);
    await fleet.add(all[0] as FleetStore);
    listed = [{ ...(all[0] as FleetStore), apiKey: 'other' }];
    await clock.advance('61s');
    listed = [];
    await clock.advance('2m');
    expect(fleet.health().stores).toBe(1);
  });

  it('clients that listeners use are not registered for ever', async () => {
    const RealWeakRef = globalThis.WeakRef;
    const state = memoryState();
    let registered = 0;
    // Like a garbage collection after every turn.
    class Collected {
      #t: object;
      constructor(t: object) {
        this.#t = t;
        if (t === state) registered += 1;
      }
      deref() {
        return this.#t === state ? this.#t : undefined;
      }
    }
    vi.stubGlobal('WeakRef', Collected);
    try {
      const all = one();
      const { clock, mock, fleet } = fleetStage(all, { state });
      fleet.on('CREATED', (_e, { hub }) => void hub);
      void caught(fleet.start());
      for (let i = 0; i < 20; i += 1) {
        mock.createOrder({ clientId: all[0]?.clientId as string });
        await clock.advance('31s');
      }
      await fleet.stop();
      expect(registered).toBeLessThanOrEqual(2);
    } finally {
      vi.stubGlobal('WeakRef', RealWeakRef);
    }
  });

  it('a removed store whose listener hangs does not delay the polls of a new one', async () => {
    const all = stores(3);
    let listed = [all[0] as FleetStore, all[1] as FleetStore];
    const { clock, mock, fleet, pollsOf } = fleetStage(all, { stores: () => listed });
    fleet.on('CREATED', () => new Promise(() => {})).on('error', () => {});
    mock.createOrder({ clientId: all[0]?.clientId as string });
    void caught(fleet.start());
    await clock.advance('55s');
    listed = [all[1] as FleetStore, all[2] as FleetStore];
    await clock.advance('5s');
    const at = clock.monotonic();
    await clock.advance('31s');
    expect(pollsOf(all[2] as FleetStore).filter((t) => t - at < 31_000).length).toBeGreaterThan(0);
  });

  it('clientSecret functions that hang stop neither the other stores nor themselves for ever', async () => {
    const all = stores(10);
    let hangs = true;
    const { clock, fleet, pollsOf } = fleetStage(all, {
      requestsInFlight: 6,
      stores: all.map((s, i) =>
        i < 6
          ? {
              ...s,
              clientSecret: () =>
                hangs ? new Promise<string>(() => {}) : Promise.resolve(s.clientSecret as string),
            }
          : s,
      ),
    });
    const failed = new Set<string>();
    fleet.on('event', () => {}).on('error', (_e, { storeId }) => void failed.add(storeId as string));
    const started = watched(fleet.start());
    await clock.advance('2m');
    hangs = false;
    await clock.advance('6m');
    const now = clock.monotonic();
    const forgotten = all.filter((s) => !pollsOf(s).some((t) => now - t < 61_000)).map((s) => s.storeId);
    expect({
      started: started.done,
      failed: failed.size,
      forgotten: forgotten.length,
      health: fleet.health().polling,
    }).toEqual({ started: true, failed: 6, forgotten: 0, health: 10 });
  });

  it('a client kept from a listener can poll after stop', async () => {
    const { clock, mock, fleet } = fleetStage(one());
    let kept: ReturnType<typeof fleet.hub> | undefined;
    fleet.on('CREATED', (_e, { hub }) => {
      kept = hub;
    });
    mock.createOrder({ clientId: '1000' });
    void caught(fleet.start());
    await clock.advance('62s');
    await fleet.stop();
    const poller = (kept as ReturnType<typeof fleet.hub>).poller().on('event', () => {});
    const started = caught(poller.start());
    await clock.advance('61s');
    await afterAdvance(clock, '1s', poller.stop());
    expect(await started).toBe('resolved');
  });
});
