import { describe, expect, it } from 'vitest';
import { gate, stage } from '../support.js';

describe('the events of one order', () => {
  it('are dispatched strictly one after another, in parallel to other orders', async () => {
    const { clock, mock, hub } = stage();
    const slow = gate();
    const log: string[] = [];
    const [a, b] = [mock.createOrder().orderId, mock.createOrder().orderId];
    mock.emit('CONFIRMED', { orderId: a });
    mock.emit('CONFIRMED', { orderId: b });
    const poller = hub.poller();
    poller.on('event', async ({ orderId, eventType }) => {
      const name = `${orderId === a ? 'a' : 'b'} ${eventType}`;
      log.push(`begin ${name}`);
      if (orderId === a && eventType === 'CREATED') await slow.promise;
      else await clock.sleep(1000);
      log.push(`end ${name}`);
    });
    await poller.start();
    await clock.advance('5s');
    expect(log).toEqual([
      'begin a CREATED',
      'begin b CREATED',
      'end b CREATED',
      'begin b CONFIRMED',
      'end b CONFIRMED',
    ]);
    slow.open();
    await clock.advance('5s');
    expect(log.slice(5)).toEqual(['end a CREATED', 'begin a CONFIRMED', 'end a CONFIRMED']);
    await poller.stop();
  });

  it('are sorted by createdAt, then by lifecycle rank, whatever order they come in', async () => {
    const { clock, mock, hub } = stage({ order: 'shuffled' });
    const seen: string[] = [];
    const { orderId, event } = mock.createOrder();
    const types = ['CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP', 'DISPATCHED', 'DELIVERED', 'CONCLUDED'];
    for (const type of [...types].reverse()) mock.emit(type, { orderId, createdAt: event.createdAt });
    mock.emit('CANCELLATION_REQUESTED', { orderId, createdAt: '2020-01-01T00:00:00Z' });
    const poller = hub.poller();
    poller.on('event', ({ eventType }) => void seen.push(eventType));
    await poller.start();
    await clock.advance('2s');
    expect(seen).toEqual(['CANCELLATION_REQUESTED', 'CREATED', ...types]);
    await poller.stop();
  });

  it.each([
    ['per-order', ['CREATED']],
    ['none', ['CREATED', 'CONFIRMED']],
  ] as const)(
    'are blocked by an earlier one that failed, unless ordering is none: %s',
    async (ordering, expected) => {
      const { clock, mock, hub } = stage();
      const seen: string[] = [];
      const { orderId } = mock.createOrder();
      mock.emit('CONFIRMED', { orderId });
      const other = mock.createOrder();
      const poller = hub.poller({ ordering });
      poller.on('error', () => {});
      poller.on('event', (event) => {
        if (event.orderId !== orderId) return;
        seen.push(event.eventType);
        if (event.eventType === 'CREATED') throw new Error('bad');
      });
      await poller.start();
      await clock.advance('5s');
      expect(seen).toEqual(expected);
      expect(mock.acknowledged().map(({ orderId: id }) => id)).toContain(other.orderId);
      await poller.stop();
    },
  );

  it('run for at most as many orders at a time as concurrency allows', async () => {
    const { clock, mock, hub } = stage();
    let running = 0;
    let most = 0;
    for (let count = 0; count < 20; count += 1) mock.createOrder();
    const poller = hub.poller({ concurrency: 3 });
    poller.on('CREATED', async () => {
      running += 1;
      most = Math.max(most, running);
      await clock.sleep(500);
      running -= 1;
    });
    await poller.start();
    await clock.advance('20s');
    expect(most).toBe(3);
    expect(mock.pending()).toEqual([]);
    await poller.stop();
  });
});

describe('dead letters', () => {
  it('go to their listeners after maxAttempts, which decide over them', async () => {
    const { clock, mock, hub } = stage();
    const letters: unknown[] = [];
    let calls = 0;
    const poller = hub.poller({ maxAttempts: 3 });
    poller.on('error', () => {});
    poller.on('CREATED', () => {
      calls += 1;
      throw new Error(`bad ${calls}`);
    });
    poller.on('deadLetter', async ({ event, attempts, error }) => {
      letters.push([event.eventType, attempts, String(error)]);
      if (letters.length === 1) throw new Error('the dead-letter table is locked');
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('3m');
    expect(calls).toBe(3);
    expect(letters).toEqual([
      ['CREATED', 3, 'Error: bad 3'],
      ['CREATED', 3, expect.any(String)],
    ]);
    expect(mock.acknowledged()).toHaveLength(1);
    await poller.stop();
  });

  it('without listeners stay at the hub, and are reported once', async () => {
    const { clock, mock, hub } = stage();
    let calls = 0;
    const emitted: string[] = [];
    const poller = hub.poller({ maxAttempts: 2 });
    poller.on('error', (error) => emitted.push(error.message));
    poller.on('CREATED', () => {
      calls += 1;
      throw new Error('bad');
    });
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('10m');
    expect(calls).toBe(2);
    expect(emitted.filter((message) => message.includes('deadLetter'))).toHaveLength(1);
    expect((await poller.stop()).unacknowledged).toEqual([event.eventId]);
  });
});
