import { describe, expect, it } from 'vitest';
import { pushOf, signatureOf, statusOf } from '../events/push/support.js';
import { afterAdvance } from '../support.js';
import { caught, fleetStage, stores } from './support.js';

/** A fleet that polls its stores, and what its listener has noted. */
async function polling(count: number) {
  const all = stores(count);
  const stage = fleetStage(all);
  const noted: string[] = [];
  stage.fleet.on('event', ({ eventId }, { storeId }) => void noted.push(`${storeId} ${eventId}`));
  await afterAdvance(stage.clock, '31s', stage.fleet.start());
  const push = (storeId: string, event: unknown, secret = `secret-of-${storeId}`) =>
    statusOf(stage.fleet.receive(storeId, pushOf(event, { secret })));
  return { ...stage, all, noted, push };
}

describe('what a hub pushes to a fleet', () => {
  it('goes to the listeners with the store, and the store is a record again afterwards', async () => {
    const { clock, mock, noted, push, fleet } = await polling(3);
    const { event } = mock.createOrder({ clientId: '1001' });
    expect(await push('store-1', event)).toBe(200);
    expect(noted).toEqual([`store-1 ${event.eventId}`]);
    await clock.advance('31s');
    expect(noted).toHaveLength(1);
    expect(mock.acknowledged('1001')).toMatchObject([{ eventId: event.eventId }]);
    expect(await push('store-1', event)).toBe(200);
    expect(fleet.health('store-1')).toMatchObject({ handled: 1, acknowledged: 1, unacknowledged: 0 });
  });

  it('is refused with the secret of another store, for an unknown store, and when the fleet has stopped', async () => {
    const { mock, noted, push, fleet } = await polling(2);
    const { event } = mock.createOrder({ clientId: '1000' });
    expect(await push('store-0', event, 'secret-of-store-1')).toBe(403);
    expect(await push('store-9', event)).toBe(404);
    const stopped = caught(fleet.stop());
    await stopped;
    expect(await push('store-0', event)).toBe(503);
    expect(noted).toEqual([]);
  });

  it('is handled once when it comes while the store is polled', async () => {
    const { clock, mock, noted, push } = await polling(1);
    const { event } = mock.createOrder({ clientId: '1000' });
    mock.faults.next('polling', { type: 'latency', ms: 5000 });
    const statuses: Promise<number>[] = [];
    for (let second = 0; second < 40; second += 1) {
      statuses.push(push('store-0', event));
      await clock.advance('1s');
    }
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
    expect(noted).toEqual([`store-0 ${event.eventId}`]);
    expect(mock.pending('1000')).toEqual([]);
  });

  it('is answered to the end before stop resolves', async () => {
    const { clock, mock, fleet, push } = await polling(1);
    let isDone = false;
    fleet.on('CREATED', async () => {
      await clock.sleep(5000);
      isDone = true;
    });
    const status = push('store-0', mock.createOrder({ clientId: '1000' }).event);
    await clock.advance('1s');
    const stopped = fleet.stop().then(() => isDone);
    await clock.advance('5s');
    expect(await stopped).toBe(true);
    expect(await status).toBe(200);
  });

  it('is handled also after the application has closed the client of the store', async () => {
    const { clock, mock, fleet, push } = await polling(1);
    const { event } = mock.createOrder({ clientId: '1000' });
    await afterAdvance(clock, '1s', fleet.hub('store-0').close());
    expect(await push('store-0', event)).toBe(200);
  });

  it('is handled also if its body arrives while the store is polled', async () => {
    const { clock, mock, fleet, noted } = await polling(1);
    const { event } = mock.createOrder();
    const body = Buffer.from(JSON.stringify(event));
    const slow = new ReadableStream<Uint8Array>({
      start: async (controller) => {
        controller.enqueue(body.subarray(0, 5));
        await clock.sleep(29_900);
        controller.enqueue(body.subarray(5));
        controller.close();
      },
    });
    const headers = { 'x-app-signature': signatureOf(body, 'secret-of-store-0') };
    const init = { method: 'POST', headers, body: slow, duplex: 'half' };
    const status = statusOf(
      fleet.receive('store-0', new Request('https://pos.example/', init as RequestInit)),
    );
    await clock.advance('31s');
    expect(await status).toBe(200);
    expect(noted).toEqual([`store-0 ${event.eventId}`]);
  });
});
