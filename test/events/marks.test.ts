import { memoryState, StateError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { afterAdvance, clientOf, gate, requestsTo, stage } from '../support.js';
import { fails, withCalls } from './support.js';

const QUARTER_DAYS = runs(7 * 4, 14);

/** A week has 20,160 polls at the default interval. */
const RARELY_MS = 600_000;

describe('the mark of a handled event', () => {
  it('is renewed when the hub sends the event again, which is handled once and acknowledged each time', async () => {
    const { clock, mock, hub } = stage();
    let handled = 0;
    const poller = hub.poller({ intervalMs: RARELY_MS }).on('CREATED', () => void (handled += 1));
    const { event: created } = mock.createOrder();
    await poller.start();
    await clock.advance('1m');
    for (let quarter = 0; quarter < QUARTER_DAYS; quarter += 1) {
      mock.redeliver(created.eventId);
      await clock.advance('6h');
    }
    expect(handled).toBe(1);
    // Each time it is acknowledged again.
    expect(mock.acknowledged()).toHaveLength(1 + QUARTER_DAYS);
    expect(mock.pending()).toEqual([]);
  });

  it('ends after rememberMs: a redelivered event is then handled again', async () => {
    const { clock, mock, hub } = stage();
    let calls = 0;
    const poller = hub.poller({ rememberMs: 60_000 }).on('CREATED', () => void (calls += 1));
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('65s');
    mock.redeliver(event.eventId);
    await clock.advance('30s');
    expect(calls).toBe(2);
  });

  it('can be kept without an end', async () => {
    const { clock, mock, hub } = stage();
    let handled = 0;
    mock.createOrder();
    for (let count = 0; count < 4; count += 1) mock.faults.next('acknowledgment', 503);
    for (let count = 0; count < 2; count += 1) {
      const poller = hub.poller({ rememberMs: Number.MAX_SAFE_INTEGER });
      poller.on('CREATED', () => void (handled += 1)).on('error', () => {});
      await afterAdvance(clock, '5m', poller.runOnce());
    }
    expect(handled).toBe(1);
  });

  it('is written before the event is acknowledged, however long that takes', async () => {
    const written = gate();
    const state = withCalls(memoryState(), { handled: (next) => written.promise.then(next) });
    const { clock, mock, hub } = stage({}, { state });
    const poller = hub.poller().on('CREATED', () => {});
    mock.createOrder();
    await poller.start();
    await clock.advance('4s');
    expect(requestsTo(mock, 'acknowledgment')).toEqual([]);
    written.open();
    await clock.advance('1s');
    expect(mock.acknowledged()).toHaveLength(1);
  });

  it('is written together with others, at most 200 of them, and no more than 400 events wait for that', async () => {
    const EVENTS = 1000;
    const batches: number[] = [];
    let written = gate();
    const state = withCalls(memoryState(), {
      handled: (next, _key, ids) => {
        batches.push((ids as string[]).length);
        return written.promise.then(next);
      },
    });
    const { clock, mock, hub } = stage({}, { state });
    let ran = 0;
    const poller = hub.poller({ concurrency: EVENTS }).on('CREATED', () => void (ran += 1));
    for (let count = 0; count < EVENTS; count += 1) mock.createOrder();
    await poller.start();
    await clock.advance('1s');
    // A process that is killed now runs them again.
    expect(ran).toBeGreaterThan(0);
    expect(ran).toBeLessThanOrEqual(400);
    written.open();
    written = gate();
    written.open();
    await clock.advance('10s');
    expect(mock.pending()).toEqual([]);
    expect(batches.reduce((sum, size) => sum + size, 0)).toBe(EVENTS);
    expect(Math.max(...batches)).toBeLessThanOrEqual(200);
    expect(batches.length).toBeLessThan(EVENTS / 50);
  });
});

describe('the mark of an attempted event', () => {
  it('is renewed too: it never counts as unhandled, not after days and a restart', {
    tags: 'slow',
  }, async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const { hub } = clientOf(mock, { clock, state });
    const poller = hub.poller({ intervalMs: RARELY_MS }).on('error', () => {});
    poller.on('CREATED', () => {
      throw new Error('no paper');
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('24h');
    await clock.advance('24h');
    await hub.close();
    const { hub: later } = clientOf(mock, { clock, state });
    const without = later.poller().on('CONFIRMED', () => {});
    without.on('error', () => {});
    await afterAdvance(clock, '2m', without.start());
    expect(mock.acknowledged()).toEqual([]);
  });
});

describe('a state that can read marks and not write them', () => {
  it('delays no event: it is handled, acknowledged, known to the process, and reported', async () => {
    const state = withCalls(memoryState(), { 'recall and count': () => fails(), handled: () => fails() });
    const { clock, mock, hub } = stage({}, { state });
    const errors: unknown[] = [];
    const handled: string[] = [];
    const poller = hub.poller().on('error', (error) => void errors.push(error));
    poller.on('CREATED', ({ orderId }) => void handled.push(orderId));
    const orders = [mock.createOrder(), mock.createOrder()].map(({ orderId }) => orderId);
    await afterAdvance(clock, '1m', poller.runOnce());
    expect(handled.sort()).toEqual(orders.sort());
    expect(mock.pending()).toEqual([]);
    const messages = errors.map((error) => (error as StateError).message);
    expect(messages.filter((message) => message.includes('could not count the attempts'))).toHaveLength(1);
    expect(messages.filter((message) => message.includes('the mark could not be written'))).toHaveLength(2);
    expect(messages).toHaveLength(3);
  });

  it('delays no later event either, and has all marks when it can write again', async () => {
    let isFull = true;
    const memory = memoryState();
    const state = withCalls(memory, { handled: (next) => (isFull ? fails() : next()) });
    const { clock, mock, hub } = stage({}, { state });
    const handled: string[] = [];
    const poller = hub.poller().on('error', () => {});
    poller.on('CREATED', ({ orderId }) => void handled.push(orderId));
    await poller.start();
    const events = [];
    for (let minute = 0; minute < 10; minute += 1) {
      const { event } = mock.createOrder();
      mock.redeliver(events.at(-1)?.eventId ?? event.eventId);
      events.push(event);
      await clock.advance('1m');
      expect(mock.pending()).toEqual([]);
    }
    expect(handled).toEqual(events.map(({ orderId }) => orderId));
    expect(poller.health().lastError).toBeUndefined();
    isFull = false;
    await clock.advance('1m');
    await poller.stop();
    for (const { eventId } of events) mock.redeliver(eventId);
    const { hub: later } = clientOf(mock, { clock, state: memory });
    const next = later.poller().on('CREATED', ({ orderId }) => void handled.push(orderId));
    await afterAdvance(clock, '2m', next.start());
    expect(handled).toHaveLength(10);
    expect(mock.pending()).toEqual([]);
  });

  it('counts the attempts of a failing listener in this process', async () => {
    const state = withCalls(memoryState(), { 'recall and count': () => fails(), attempts: () => fails() });
    const { clock, mock, hub } = stage({}, { state });
    const attempts: number[] = [];
    const dead: string[] = [];
    const poller = hub.poller({ maxAttempts: 2 }).on('error', () => {});
    poller.on('CREATED', (_event, { attempt }) => {
      attempts.push(attempt);
      throw new Error('no paper');
    });
    poller.on('deadLetter', ({ event }) => void dead.push(event.orderId));
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('2m');
    expect(attempts).toEqual([1, 2]);
    expect(dead).toEqual([orderId]);
  });

  it.each([
    ['throws', () => fails('no mock-client-secret disk')],
    ['rejects', async () => fails('no mock-client-secret disk')],
  ])(
    'leaves the events at the hub if it %s when it reads too, and the error shows no secret',
    async (_how, recall) => {
      const { clock, mock, hub } = stage({}, { state: withCalls(memoryState(), { recall }) });
      let handled = 0;
      const reported: unknown[] = [];
      const poller = hub.poller().on('CREATED', () => void (handled += 1));
      poller.on('error', (error) => void reported.push(error));
      mock.createOrder();
      const failed = poller.runOnce().catch((error: unknown) => error);
      const error = await afterAdvance(clock, '1m', failed);
      expect(error).toBeInstanceOf(StateError);
      expect((error as StateError).message).toContain('(Error: no [secret] disk)');
      expect(reported.filter((each) => each !== error)).toEqual([]);
      expect(handled).toBe(0);
      expect(mock.pending()).toHaveLength(1);
    },
  );

  it('does not make an event be handled twice, by this poller or the next one of the client', async () => {
    const link = { isFull: true };
    const state = withCalls(memoryState(), {
      handled: async (next) => (link.isFull ? fails() : next()),
    });
    const { clock, mock, hub } = stage({}, { state });
    let handled = 0;
    const started = async () => {
      const poller = hub.poller().on('CREATED', () => void (handled += 1));
      poller.on('error', () => {});
      await afterAdvance(clock, '31s', poller.start());
      return poller;
    };
    const { event } = mock.createOrder();
    const first = await started();
    expect(mock.acknowledged()).toHaveLength(1);
    mock.redeliver(event.eventId);
    await clock.advance('65s');
    await first.stop();
    link.isFull = false;
    await started();
    mock.redeliver(event.eventId);
    await clock.advance('31s');
    expect(handled).toBe(1);
    expect(mock.pending()).toEqual([]);
  });

  it.each([
    ['at the next poll', true],
    ['at stop, if that comes first', false],
  ])('gets the marks when it can write again: %s', async (_when, polls) => {
    const link = { isFull: true };
    const memory = memoryState();
    const state = withCalls(memory, { handled: (next) => (link.isFull ? fails() : next()) });
    const { clock, mock, hub } = stage({}, { state });
    const poller = hub.poller().on('CREATED', () => {});
    poller.on('error', () => {});
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('2s');
    link.isFull = false;
    await clock.advance(polls ? '31s' : '1s');
    if (polls) link.isFull = true;
    await poller.stop();
    // Another process knows only what the state has.
    let handled = 0;
    const next = clientOf(mock, { clock, state: memory }).hub.poller();
    next.on('CREATED', () => void (handled += 1));
    mock.redeliver(event.eventId);
    await afterAdvance(clock, '1m', next.start());
    expect(handled).toBe(0);
    expect(mock.pending()).toEqual([]);
  });
});

describe('an unreachable state', () => {
  it('is reported with all of its message, which ends with what to do', async () => {
    const remedy = 'check the username and password of the client';
    const failing = async () => {
      throw new StateError(`redisState: NOAUTH ${'HELLO '.repeat(40)}; ${remedy}`);
    };
    const { hub, mock } = stage({}, { state: withCalls(memoryState(), { recall: failing }) });
    mock.createOrder();
    const poller = hub.poller().on('CREATED', () => {});
    await expect(poller.runOnce()).rejects.toThrow(remedy);
  });

  it('makes the poller wait, which goes on when the state is back', async () => {
    const link = { isDown: false };
    const reached = (next: () => unknown) => (link.isDown ? fails('redis is away') : next());
    const state = withCalls(memoryState(), { recall: reached, slot: reached });
    const { clock, mock, hub } = stage({}, { state });
    const reports: string[] = [];
    let handled = 0;
    const poller = hub.poller().on('CREATED', () => void (handled += 1));
    poller.on('error', (error) => void reports.push(error.name));
    poller.on('recovered', () => void reports.push('recovered'));
    await poller.start();
    link.isDown = true;
    mock.createOrder();
    const before = requestsTo(mock, 'polling').length;
    await clock.advance('10m');
    expect(requestsTo(mock, 'polling')).toHaveLength(before);
    expect(handled).toBe(0);
    link.isDown = false;
    await clock.advance('6m');
    expect(handled).toBe(1);
    expect(mock.pending()).toEqual([]);
    expect(reports.at(-1)).toBe('recovered');
    expect(new Set(reports)).toEqual(new Set(['StateError', 'recovered']));
  });
});
