import { describe, expect, it } from 'vitest';
import { fleetStage, stores } from '../fleet/support.js';
import { stage } from '../support.js';

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
