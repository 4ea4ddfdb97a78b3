import { ClosedError, type OrderEvent } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { gate, stage } from '../support.js';

describe('resolved means acknowledged', () => {
  it('acknowledges an event when all of its listeners have resolved, and not earlier', async () => {
    const { clock, mock, hub } = stage();
    const first = gate();
    const second = gate();
    const poller = hub.poller().on('CREATED', () => first.promise);
    poller.on('event', () => second.promise);
    mock.createOrder();
    await poller.start();
    first.open();
    await clock.advance('20s');
    expect(mock.acknowledged()).toEqual([]);
    second.open();
    await clock.advance('2s');
    expect(mock.acknowledged()).toHaveLength(1);
  });

  it('leaves an event at the hub if a listener throws, and calls all its listeners again when it comes again', async () => {
    const { clock, mock, hub } = stage();
    const calls: string[] = [];
    const poller = hub.poller().on('CREATED', (_event, { attempt, redelivered }) => {
      calls.push(`bad ${attempt} ${redelivered}`);
      if (attempt === 1) throw new Error('no paper');
    });
    poller.on('event', (_event, { attempt }) => void calls.push(`good ${attempt}`)).on('error', () => {});
    mock.createOrder();
    await poller.start();
    await clock.advance('10s');
    expect(mock.acknowledged()).toEqual([]);
    await clock.advance('25s');
    expect(calls).toEqual(['bad 1 false', 'good 1', 'bad 2 true', 'good 2']);
    expect(mock.acknowledged()).toHaveLength(1);
    expect(await poller.stop()).toEqual({ handled: 1, acknowledged: 1, unacknowledged: [], timedOut: false });
  });

  it('emits listenerFailed and error; without an error listener the error is logged', async () => {
    const { clock, mock, hub, log } = stage();
    const failures: unknown[] = [];
    const poller = hub.poller().on('CREATED', () => Promise.reject(new Error('no paper')));
    poller.on('listenerFailed', ({ event, attempt }) => failures.push([event.eventType, attempt]));
    mock.createOrder();
    await poller.start();
    await clock.advance('1s');
    expect(failures).toEqual([['CREATED', 1]]);
    expect(log.join()).toContain('no paper');
  });

  it('is not affected by a lifecycle listener that throws or rejects', async () => {
    const { clock, mock, hub, log } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    for (const name of ['polled', 'acknowledged', 'started', 'stopped'] as const) {
      poller.on(name, () => {
        throw new Error(`thrown in ${name}`);
      });
      poller.on(name, () => Promise.reject(new Error(`rejected in ${name}`)));
    }
    mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    await poller.stop();
    expect(mock.acknowledged()).toHaveLength(1);
    expect(log).toHaveLength(8);
  });
});

describe('event types', () => {
  it('with an older name are dispatched under the present one and acknowledged under the received one', async () => {
    const { clock, mock, hub } = stage();
    const seen: string[] = [];
    const poller = hub.poller().on('CANCELLED_DENIED', (event) => void seen.push(event.eventType));
    poller.on(
      'ORDER_CANCELLATION_REQUEST',
      (event) => void seen.push(`${event.eventType} ${event.receivedEventType}`),
    );
    mock.emit('CANCELLATION_DENIED');
    mock.emit('ORDER_CANCELLATION_REQUESTED');
    await poller.start();
    await clock.advance('5s');
    expect(seen.sort()).toEqual([
      'CANCELLED_DENIED',
      'ORDER_CANCELLATION_REQUEST ORDER_CANCELLATION_REQUESTED',
    ]);
    // The mock hub refuses any type except the one it sent.
    expect(
      mock
        .acknowledged()
        .map(({ eventType }) => eventType)
        .sort(),
    ).toEqual(['CANCELLATION_DENIED', 'ORDER_CANCELLATION_REQUESTED']);
    expect(mock.violations()).toEqual([]);
  });

  it('that a hub adds go to their own listeners', async () => {
    const { clock, mock, hub } = stage();
    const seen: OrderEvent[] = [];
    const poller = hub.poller().on('RIDER_ARRIVED_AT_STORE' as string, (event) => void seen.push(event));
    mock.emit('RIDER_ARRIVED_AT_STORE', { metadata: { rider: 'Zé' } });
    await poller.start();
    await clock.advance('5s');
    expect(seen[0]?.metadata).toEqual({ rider: 'Zé' });
    expect(mock.acknowledged()).toHaveLength(1);
  });
});

describe('runOnce', () => {
  it('runs one cycle and reports it', async () => {
    const { mock, hub } = stage();
    const poller = hub.poller().on('error', () => {});
    poller.on('CREATED', (event) => {
      if (event.orderId === bad.orderId) throw new Error('bad');
    });
    mock.createOrder();
    const bad = mock.createOrder();
    mock.emit('DISPATCHED');
    expect(await poller.runOnce()).toEqual({
      received: 3,
      handled: 1,
      redelivered: 0,
      unhandled: 1,
      acknowledged: 2,
      unacknowledged: [bad.event.eventId],
      failures: [{ eventId: bad.event.eventId, error: new Error('bad') }],
      issues: [],
    });
    await hub.close();
    await expect(poller.runOnce()).rejects.toBeInstanceOf(ClosedError);
  });
});
