import { describe, expect, it } from 'vitest';
import { gate, settledNow, stage } from '../support.js';

describe('the order of one order', () => {
  it("hands out one order's events strictly one after another, and other orders beside them", async () => {
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

  it('sorts by createdAt, then by the lifecycle where createdAt is the same, whatever order they come in', async () => {
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
  ] as const)('a failed event holds back the later ones of its order: %s', async (ordering, expected) => {
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
  });

  it('handles no more orders at once than concurrency allows', async () => {
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

describe('a listener that takes too long', () => {
  it('is timed out, not started twice, and its event handled when it resolves after all', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    let calls = 0;
    let aborted = false;
    const poller = hub.poller({ listenerTimeoutMs: 10_000 });
    const errors: Error[] = [];
    poller.on('error', (error) => errors.push(error));
    poller.on('CREATED', async (_event, { signal }) => {
      calls += 1;
      signal.addEventListener('abort', () => void (aborted = true));
      await held.promise;
    });
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    const other = mock.createOrder();
    await poller.start();
    await clock.advance('5m');
    // Two orders, each begun once; polling goes on and the later event of the order waits.
    expect(calls).toBe(2);
    expect(aborted).toBe(true);
    expect(errors.map(({ name }) => name)).toEqual(['TimeoutError', 'TimeoutError']);
    expect(mock.requests.filter(({ endpoint }) => endpoint === 'polling').length).toBeGreaterThan(8);
    expect(mock.acknowledged()).toEqual([]);
    held.open();
    await clock.advance('2s');
    expect(
      mock
        .acknowledged()
        .map(({ orderId: id }) => id)
        .sort(),
    ).toEqual([orderId, other.orderId].sort());
    await clock.advance('31s');
    expect(mock.pending()).toEqual([]);
    expect(calls).toBe(2);
    await poller.stop();
  });

  it('is handed the event again when it rejects after all', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    let calls = 0;
    const told: string[] = [];
    const poller = hub.poller({ listenerTimeoutMs: 10_000 });
    poller.on('error', (error) => void told.push(error.name));
    poller.on('CREATED', async () => {
      calls += 1;
      if (calls === 1) await held.promise;
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('2m');
    expect(calls).toBe(1);
    expect(told).toEqual(['TimeoutError']);
    held.fail(new Error('too late'));
    await clock.advance('31s');
    expect(calls).toBe(2);
    // Another cause than the time-out itself is told too.
    expect(told).toEqual(['TimeoutError', 'Error']);
    expect(mock.pending()).toEqual([]);
    await poller.stop();
  });

  it('is not started twice where nothing is held back, either', async () => {
    const { clock, mock, hub } = stage();
    const calls: string[] = [];
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    const poller = hub.poller({ listenerTimeoutMs: 10_000, ordering: 'none' });
    poller.on('error', () => {});
    poller.on('event', ({ eventType }) => {
      calls.push(eventType);
      return eventType === 'CREATED' ? new Promise(() => {}) : undefined;
    });
    await poller.start();
    await clock.advance('5m');
    expect(calls).toEqual(['CREATED', 'CONFIRMED']);
    const stopped = poller.stop({ timeoutMs: 0 });
    await clock.advance(1);
    await stopped;
    expect(clock.sleepers).toBe(0);
  });

  it('that never settles blocks only its own order', async () => {
    const { clock, mock, hub } = stage();
    const { orderId } = mock.createOrder();
    const poller = hub.poller({ listenerTimeoutMs: 10_000, concurrency: 1 });
    poller.on('error', () => {});
    poller.on('event', (event) => (event.orderId === orderId ? new Promise(() => {}) : undefined));
    await poller.start();
    for (let count = 0; count < 10; count += 1) {
      mock.createOrder();
      await clock.advance('31s');
    }
    expect(mock.pending().map((event) => event.orderId)).toEqual([orderId]);
    const stopped = poller.stop({ timeoutMs: 1000 });
    await clock.advance('1s');
    expect((await stopped).timedOut).toBe(true);
  });

  it('that resolves after stop gave up is confirmed late, not handled twice', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    let calls = 0;
    const poller = hub.poller();
    poller.on('CREATED', async () => {
      calls += 1;
      await held.promise;
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('1s');
    const stopped = poller.stop({ timeoutMs: 0 });
    await clock.advance(1);
    expect((await stopped).timedOut).toBe(true);
    held.open();
    await clock.advance('1s');
    const started = poller.start();
    await clock.advance('61s');
    await started;
    expect(calls).toBe(1);
    expect(mock.pending()).toEqual([]);
    await poller.stop();
  });
});

describe('dead letters', () => {
  it('go to their listeners after maxAttempts, who decide over them', async () => {
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

  it('without listeners stay at the hub, told once', async () => {
    const { clock, mock, hub } = stage();
    let calls = 0;
    const told: string[] = [];
    const poller = hub.poller({ maxAttempts: 2 });
    poller.on('error', (error) => told.push(error.message));
    poller.on('CREATED', () => {
      calls += 1;
      throw new Error('bad');
    });
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('10m');
    expect(calls).toBe(2);
    expect(told.filter((message) => message.includes('deadLetter'))).toHaveLength(1);
    expect((await poller.stop()).unacknowledged).toEqual([event.eventId]);
  });
});

describe('one poll after another', () => {
  it('waits until every event of the last poll is settled and its acknowledgments tried', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 200 });
    const polls = () => mock.requests.filter(({ endpoint }) => endpoint === 'polling').length;
    const poller = hub.poller({ listenerTimeoutMs: 300_000 });
    const held = gate();
    poller.on('CREATED', () => held.promise);
    mock.createOrder();
    const started = poller.start();
    await clock.advance('2m');
    await started;
    expect(polls()).toBe(1);
    mock.faults.next('acknowledgment', { type: 'latency', ms: 25_000 });
    held.open();
    await clock.advance('20s');
    expect(polls()).toBe(1);
    await clock.advance('10s');
    expect(polls()).toBe(2);
    await poller.stop();
  });

  it('reports what is invalid and goes on with the rest', async () => {
    const { clock, mock, hub } = stage();
    const { event } = mock.createOrder();
    const orderId = event.orderId;
    mock.faults.next('polling', {
      type: 'status',
      status: 200,
      body: [
        { eventId: 'x' },
        7,
        null,
        { id: event.eventId, code: 'CREATED', orderId, orderUrl: 'u' },
        'text',
      ],
    });
    const seen: string[] = [];
    const invalid: string[] = [];
    const poller = hub.poller();
    poller.on('CREATED', (each) => void seen.push(each.eventId));
    poller.on(
      'invalid',
      ({ issues }) =>
        void invalid.push(...issues.filter(({ code }) => code === 'left_out').map(({ path }) => path.join())),
    );
    await poller.start();
    await clock.advance('2s');
    expect(seen).toEqual([event.eventId]);
    expect(invalid).toEqual(['0', '1', '2', '4']);
    expect(mock.pending()).toEqual([]);
    expect(await settledNow(clock, poller.stop())).toMatchObject({ value: { unacknowledged: [] } });
  });
});
