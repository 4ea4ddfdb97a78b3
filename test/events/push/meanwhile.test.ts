import { memoryState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { afterAdvance, clientOf, gate } from '../../support.js';
import { withCalls } from '../support.js';
import { pushOf, running, statusOf } from './support.js';

/** A state in memory that takes a second for the marks of events once `isSlow` is set. */
function slowMarks() {
  const clock = new ManualClock();
  const link = { isSlow: false };
  const shared = memoryState();
  const state = withCalls(shared, {
    recall: async (next) => {
      const marks = await next();
      if (link.isSlow) await clock.sleep(1000);
      return marks;
    },
  });
  return { clock, link, shared, state };
}

describe('a pushed event', () => {
  it('is named by `pushed`, with the status of its response', async () => {
    const { clock, mock, poller } = await running();
    const pushed: unknown[] = [];
    poller.on('pushed', (payload) => void pushed.push(payload));
    const { event } = mock.createOrder();
    await poller.receive(pushOf(event));
    poller.pause();
    await poller.receive(pushOf(event));
    expect(pushed).toEqual([
      { status: 200, eventIds: [event.eventId] },
      { status: 503, eventIds: [] },
    ]);
    await clock.advance('1s');
  });

  it('is named by `invalid` if it deviates from the spec, and only then', async () => {
    const { mock, poller } = await running();
    const issues: unknown[] = [];
    poller.on('invalid', (payload) => void issues.push(payload.issues.map(({ path, code }) => [path, code])));
    const { event } = mock.createOrder();
    await poller.receive(pushOf(event));
    expect(issues).toEqual([]);
    await poller.receive(pushOf({ ...mock.createOrder().event, sourceAppId: null }));
    expect(issues).toEqual([[[[0, 'sourceAppId'], 'null']]]);
  });

  it('is not handled if the poller is paused while the lease is being acquired', async () => {
    const clock = new ManualClock();
    const link = { isSlow: false };
    const state = withCalls(memoryState(), {
      lease: async (next) => {
        if (link.isSlow) await clock.sleep(2000);
        return next();
      },
    });
    const { mock, poller, noted: handled } = await running({ clock, state, hubOptions: { clock } });
    // The machine sleeps past the lease: it has to be acquired again.
    link.isSlow = true;
    clock.step(60_000);
    const { event } = mock.createOrder();
    const response = poller.receive(pushOf(event));
    await clock.advance('1s');
    poller.pause();
    await clock.advance('2s');
    expect(await statusOf(response)).toBe(503);
    expect(handled).toEqual([]);
    link.isSlow = false;
    poller.resume();
    expect(await statusOf(poller.receive(pushOf(event)))).toBe(200);
    expect(handled).toEqual([event.eventId]);
  });

  it('waits if a poll begins to handle its order while its marks are read, and gets 200 afterwards', async () => {
    const { clock, link, state } = slowMarks();
    const first = gate();
    const {
      mock,
      poller,
      noted: begun,
    } = await running({ clock, state, hubOptions: { clock } }, (poller, noted) => {
      poller.on('event', async ({ eventType }) => {
        noted.push(eventType);
        if (eventType === 'CREATED') await first.promise;
      });
    });
    link.isSlow = true;
    const { orderId } = mock.createOrder();
    // The poll is sent, and its marks are being read.
    await clock.advance('25500ms');
    const confirmed = mock.emit('CONFIRMED', { orderId });
    const response = poller.receive(pushOf(confirmed));
    await clock.advance('5s');
    expect(begun).toEqual(['CREATED']);
    first.open();
    await clock.advance('5s');
    expect(await statusOf(response)).toBe(200);
    expect(begun).toEqual(['CREATED', 'CONFIRMED']);
  });

  it('that a poll has brought too, and not begun, does not hold up the later events of its order', async () => {
    const slow = gate();
    const all = await running({ poller: { concurrency: 1 } }, (poller, noted) =>
      poller.on('event', async ({ orderId, eventType }) => {
        noted.push(`${orderId} ${eventType}`);
        if (orderId === 'slow') await slow.promise;
      }),
    );
    const { clock, mock, poller, noted } = all;
    mock.createOrder({ orderId: 'slow' });
    const { event } = mock.createOrder({ orderId: 'other' });
    mock.emit('CONFIRMED', { orderId: 'other' });
    await clock.advance('26s');
    expect(await statusOf(poller.receive(pushOf(event)))).toBe(200);
    slow.open();
    await clock.advance(0);
    expect(noted).toEqual(['slow CREATED', 'other CREATED', 'other CONFIRMED']);
  });

  it('whose marks were read when the poller stops counts no attempt', async () => {
    const { clock, link, shared, state } = slowMarks();
    const { mock, poller, noted: handled } = await running({ clock, state, hubOptions: { clock } });
    link.isSlow = true;
    const { event } = mock.createOrder();
    const response = poller.receive(pushOf(event));
    await clock.advance(500);
    const stopped = poller.stop();
    await clock.advance('2s');
    expect(await statusOf(response)).toBe(503);
    await stopped;
    expect(handled).toEqual([]);
    const attempts: number[] = [];
    const { hub } = clientOf(mock, { clock, state: shared });
    const next = hub.poller().on('CREATED', (_event, { attempt }) => void attempts.push(attempt));
    await afterAdvance(clock, '1m', next.start());
    expect(attempts).toEqual([1]);
  });

  it('that is read again before its listeners run is attempted for the first time', async () => {
    const first = gate();
    const noted: string[] = [];
    const { clock, mock, poller } = await running({}, (poller) => {
      poller.on('event', async ({ eventType }, { attempt, redelivered }) => {
        noted.push(`${eventType} ${attempt} ${redelivered}`);
        if (eventType === 'CREATED') await first.promise;
      });
    });
    const { event } = mock.createOrder();
    const confirmed = mock.emit('CONFIRMED', { orderId: event.orderId });
    // Pushed at the same moment, both are read, and one waits for the other.
    const responses = [poller.receive(pushOf(event)), poller.receive(pushOf(confirmed))];
    await clock.advance('1s');
    first.open();
    await clock.advance('1s');
    expect(await Promise.all(responses.map(statusOf))).toEqual([200, 200]);
    expect(noted).toEqual(['CREATED 1 false', 'CONFIRMED 1 false']);
  });

  it('that waits for an earlier one of its order when the poller stops counts no attempt', async () => {
    const clock = new ManualClock();
    const state = memoryState();
    const { mock, poller } = await running({ clock, state, hubOptions: { clock } }, (poller) =>
      poller.on('event', () => new Promise(() => {})),
    );
    const { event } = mock.createOrder();
    const confirmed = mock.emit('CONFIRMED', { orderId: event.orderId });
    const responses = [poller.receive(pushOf(event)), poller.receive(pushOf(confirmed))];
    await clock.advance('1s');
    const stopped = poller.stop({ timeoutMs: 1000 });
    await clock.advance('2s');
    await stopped;
    expect(await Promise.all(responses.map(statusOf))).toEqual([503, 503]);
    const attempts: string[] = [];
    const { hub } = clientOf(mock, { clock, state });
    const next = hub
      .poller()
      .on('event', ({ eventType }, { attempt }) => void attempts.push(`${eventType} ${attempt}`));
    const started = next.start();
    // The stopped poller keeps the lease while its listener runs, for ten minutes at most.
    await clock.advance('15m');
    await started;
    expect(attempts).toEqual(['CREATED 2', 'CONFIRMED 1']);
  });

  it('is attempted for the first time if the attempt that a poll has counted is being taken back', async () => {
    const clock = new ManualClock();
    const link = { isSlow: false };
    const state = withCalls(memoryState(), {
      attempts: async (next) => {
        if (link.isSlow) await clock.sleep(5000);
        return next();
      },
    });
    const noted: string[] = [];
    const { mock, poller } = await running({ clock, state, hubOptions: { clock } }, (poller) => {
      poller.on('CREATED', (_event, { attempt }) => {
        if (attempt === 1) throw new Error('refused');
      });
      poller.on('CONFIRMED', (_event, { attempt }) => void noted.push(`CONFIRMED ${attempt}`));
    });
    link.isSlow = true;
    const { event } = mock.createOrder();
    const confirmed = mock.emit('CONFIRMED', { orderId: event.orderId });
    // The poll counts both, CREATED fails, and CONFIRMED is not attempted.
    await clock.advance('26s');
    const response = poller.receive(pushOf(confirmed));
    await clock.advance('20s');
    expect(await statusOf(response)).toBe(200);
    expect(noted).toEqual(['CONFIRMED 1']);
  });

  it('of an order whose listener hangs gets 503: the hub must not wait as long', async () => {
    const { clock, mock, poller } = await running({ poller: { listenerTimeoutMs: 10_000 } }, (poller) =>
      poller.on('event', () => new Promise(() => {})),
    );
    const { event } = mock.createOrder();
    const first = poller.receive(pushOf(event));
    const waiting = poller.receive(pushOf(mock.emit('CONFIRMED', { orderId: event.orderId })));
    await clock.advance('10s');
    expect(await Promise.all([first, waiting].map(statusOf))).toEqual([503, 503]);
    expect(await statusOf(poller.receive(pushOf(event)))).toBe(503);
    const dispatched = mock.emit('DISPATCHED', { orderId: event.orderId });
    expect(await statusOf(poller.receive(pushOf(dispatched)))).toBe(503);
    await afterAdvance(clock, '2s', poller.stop({ timeoutMs: 1000 }));
  });
});
