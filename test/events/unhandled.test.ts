import { memoryState } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { fleetStage, stores } from '../fleet/support.js';
import { afterAdvance, clientOf, during, stage } from '../support.js';
import { pushOf } from './push/support.js';
import { fails, withCalls } from './support.js';

const WANT_AN_ANSWER = ['CREATED', 'ORDER_CANCELLATION_REQUEST', 'PREPARATION_REQUESTED'] as const;

describe('an event type without a listener', () => {
  it.each(WANT_AN_ANSWER)(
    '%s stays at the hub, with one warning, and blocks no later event',
    async (type) => {
      const { clock, mock, hub, log } = stage();
      const handled: string[] = [];
      const emitted: boolean[] = [];
      const poller = hub.poller().on('DISPATCHED', ({ orderId }) => void handled.push(orderId));
      poller.on('unhandled', ({ acknowledged }) => emitted.push(acknowledged));
      const left = [mock.emit(type, { orderId: 'one' }), mock.emit(type, { orderId: 'two' })];
      mock.emit('DISPATCHED', { orderId: 'one' });
      await poller.start();
      await clock.advance('10m');
      expect(handled).toEqual(['one']);
      expect(mock.pending().map(({ eventId }) => eventId)).toEqual(left.map(({ eventId }) => eventId));
      expect(emitted.every((acknowledged) => !acknowledged)).toBe(true);
      expect(log).toEqual([
        `opendelivery-client: ${type} has no listener and stays at the hub, because it wants an answer; add one with poller.on('${type}', …)`,
      ]);
    },
  );

  it('that wants an answer is handled as soon as it has a listener, as a first attempt of an event that was sent before', async () => {
    const { clock, mock, hub } = stage();
    const runs: unknown[] = [];
    const poller = hub.poller().on('DISPATCHED', () => {});
    mock.createOrder();
    await poller.start();
    await clock.advance('2m');
    poller.on('CREATED', (_event, { attempt, redelivered }) => void runs.push([attempt, redelivered]));
    await clock.advance('31s');
    expect(runs).toEqual([[1, true]]);
    expect(mock.pending()).toEqual([]);
  });

  it('that wants an answer stays under its older name, too', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('DISPATCHED', () => {});
    mock.emit('ORDER_CANCELLATION_REQUESTED');
    await poller.start();
    await clock.advance('2m');
    expect(mock.pending()).toHaveLength(1);
  });

  it('is acknowledged otherwise: a known type with one warning, a type of the hub without', async () => {
    const { clock, mock, hub, log } = stage();
    const emitted: unknown[] = [];
    const poller = hub.poller().on('CREATED', () => {});
    poller.on('unhandled', ({ event, acknowledged }) => emitted.push([event.eventType, acknowledged]));
    const types = ['DISPATCHED', 'DISPATCHED', 'DELIVERED', 'RIDER_NEAR'];
    for (const type of types) mock.emit(type);
    await poller.start();
    await clock.advance('1m');
    expect(mock.pending()).toEqual([]);
    expect(emitted.sort()).toEqual(types.map((type) => [type, true]).sort());
    expect(log).toHaveLength(2);
    expect(log.join()).toMatch(/DISPATCHED has no listener and is acknowledged unhandled.*DELIVERED/s);
  });

  it("stays with unhandled: 'leave', whatever its type, without a warning", async () => {
    const { clock, mock, hub, log } = stage();
    const handled: string[] = [];
    const poller = hub.poller({ unhandled: 'leave' });
    poller.on('CONCLUDED', ({ orderId }) => void handled.push(orderId));
    const types = [...WANT_AN_ANSWER, 'DISPATCHED', 'RIDER_NEAR'];
    for (const type of types) mock.emit(type, { orderId: 'one' });
    mock.emit('CONCLUDED', { orderId: 'one' });
    await poller.start();
    await clock.advance('2m');
    expect(mock.pending().map(({ eventType }) => eventType)).toEqual(types);
    expect([handled, log]).toEqual([['one'], []]);
  });

  it('is counted by runOnce, and listed as unacknowledged if it stays', async () => {
    const { mock, hub } = stage();
    const poller = hub.poller().on('CONCLUDED', () => {});
    const { event } = mock.createOrder();
    mock.emit('DISPATCHED', { orderId: 'another' });
    expect(await poller.runOnce()).toMatchObject({
      received: 2,
      unhandled: 2,
      acknowledged: 1,
      unacknowledged: [event.eventId],
      failures: [],
    });
  });

  it('is handled if its acknowledgment fails and a listener comes meanwhile, after one report', async () => {
    const { clock, mock, hub } = stage();
    const seen: unknown[] = [];
    const poller = hub.poller().on('error', () => {});
    poller.on('CREATED', () => {}).on('unhandled', ({ event }) => void seen.push(event.eventType));
    mock.emit('DISPATCHED');
    mock.faults.next('acknowledgment', 503, 100);
    await poller.start();
    await clock.advance('95s');
    poller.on('DISPATCHED', (_event, { attempt }) => void seen.push(attempt));
    await clock.advance('1m');
    expect(seen).toEqual(['DISPATCHED', 1]);
    mock.faults.clear();
    await clock.advance('2m');
    expect(mock.pending()).toEqual([]);
  });

  it('stays if its acknowledgment fails and a listener of another process fails meanwhile', async () => {
    const state = memoryState();
    const { clock, mock, hub } = stage({}, { state });
    const errors: string[] = [];
    const poller = hub.poller().on('error', (error) => void errors.push(error.message));
    poller.on('CREATED', () => {});
    mock.emit('DISPATCHED');
    mock.faults.next('acknowledgment', 503, 100);
    await poller.start();
    await clock.advance('30s');
    await afterAdvance(clock, '1m', poller.stop());
    const other = clientOf(mock, { clock, state })
      .hub.poller()
      .on('error', () => {});
    other.on('DISPATCHED', () => {
      throw new Error('no printer');
    });
    void other.start();
    await clock.advance('2m');
    await afterAdvance(clock, '1m', other.stop());
    mock.faults.clear();
    void poller.start();
    await clock.advance('5m');
    expect(mock.pending()).toHaveLength(1);
    expect(errors.at(-1)).toBe(
      'no listener is left for DISPATCHED; the event stays at the hub until there is one, if only one that does nothing',
    );
  });

  it('is not open any more if a push of it fails while it is being acknowledged', async () => {
    let isAway = false;
    const state = withCalls(memoryState(), { recall: (next) => (isAway ? fails() : next()) });
    const { clock, mock, hub } = stage({}, { state });
    const poller = hub.poller().on('error', () => {});
    poller.on('CREATED', () => {});
    await poller.start();
    const event = mock.emit('DISPATCHED');
    mock.faults.next('acknowledgment', { type: 'latency', ms: 8000 });
    await clock.advance('32s');
    isAway = true;
    expect((await during(clock, '20s', poller.receive(pushOf(event)))).status).toBe(503);
    isAway = false;
    await clock.advance('1m');
    expect([poller.health().unacknowledged, mock.pending()]).toEqual([0, []]);
  });

  it('is counted by each runOnce to which it comes, and reported once', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('error', () => {});
    let reports = 0;
    poller.on('CREATED', () => {}).on('unhandled', () => (reports += 1));
    mock.emit('DISPATCHED');
    mock.faults.next('acknowledgment', 503, 100);
    expect(await during(clock, '2m', poller.runOnce())).toMatchObject({ unhandled: 1, acknowledged: 0 });
    mock.faults.clear();
    expect(await during(clock, '2m', poller.runOnce())).toMatchObject({ unhandled: 1, acknowledged: 1 });
    expect(reports).toBe(1);
  });

  it('causes one warning of a fleet, not one for each store', async () => {
    const all = stores(3);
    const { clock, mock, fleet, log } = fleetStage(all);
    fleet.on('DISPATCHED', () => {});
    for (const { clientId } of all) mock.createOrder({ clientId });
    void fleet.start();
    await clock.advance('2m');
    expect(log).toHaveLength(1);
    for (const { clientId } of all) expect(mock.pending(clientId)).toHaveLength(1);
  });
});
