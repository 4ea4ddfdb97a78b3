import fc from 'fast-check';
import { ClosedError, ConfigurationError, RateLimitError } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, vi } from 'vitest';
import { runs } from '../runs.js';
import { afterAdvance, clientOf, densest, gate, requestsTo, type Stage, stage } from '../support.js';

const MINUTE_MS = 60_000;

const emitMany = (mock: Stage['mock'], count: number, type = 'CREATED') =>
  Array.from({ length: count }, () => mock.emit(type));

describe('acknowledge', () => {
  it('sends any number of events, 100 per request, without duplicates, with eventId as id', async () => {
    const { mock, hub } = stage();
    const events = emitMany(mock, 250);
    const result = await hub.events.acknowledge([...events, ...events]);
    expect(result.rejected).toEqual([]);
    expect(new Set(result.acknowledged)).toEqual(new Set(events.map(({ eventId }) => eventId)));
    const bodies = requestsTo(mock, 'acknowledgment').map(({ body }) => JSON.parse(body) as unknown[]);
    expect(bodies.map(({ length }) => length).sort((a, b) => a - b)).toEqual([50, 100, 100]);
    expect(bodies[0]?.[0]).toEqual({
      id: events[0]?.eventId,
      orderId: events[0]?.orderId,
      eventType: 'CREATED',
    });
    expect(mock.violations()).toEqual([]);
  });

  it('has at most four requests in flight, those of several calls counted together', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 1000 });
    await afterAdvance(clock, '2s', hub.auth.getToken());
    const calls = Array.from({ length: 6 }, () => hub.events.acknowledge(emitMany(mock, 150)));
    await clock.advance('1m');
    await Promise.all(calls);
    const requests = requestsTo(mock, 'acknowledgment');
    expect(requests).toHaveLength(12);
    expect(densest(requests, 1000)).toBe(4);
  });

  it('lets a call that waits for its turn leave at once when its signal aborts', async () => {
    const { clock, mock, hub } = stage();
    mock.faults.next('acknowledgment', 'hang', 4);
    const controller = new AbortController();
    const hanging = hub.events.acknowledge(emitMany(mock, 400), { signal: controller.signal });
    hanging.catch(() => {});
    const waits = new AbortController();
    const waiting = hub.events.acknowledge(emitMany(mock, 1), { signal: waits.signal });
    const failed = expect(waiting).rejects.toThrow('enough');
    await clock.advance('1s');
    expect(requestsTo(mock, 'acknowledgment')).toHaveLength(4);
    waits.abort(new Error('enough'));
    await failed;
    const next = hub.events.acknowledge(emitMany(mock, 1));
    controller.abort(new Error('over'));
    await expect(hanging).rejects.toThrow('over');
    await clock.advance('1s');
    expect((await next).acknowledged).toHaveLength(1);
  });

  it('retries when the response was lost', async () => {
    const { clock, mock, hub } = stage();
    const events = emitMany(mock, 5);
    mock.faults.next('acknowledgment', 'lost');
    expect((await afterAdvance(clock, '10s', hub.events.acknowledge(events))).acknowledged).toHaveLength(5);
  });

  it('of which only the response was lost is complete once a poll no longer returns the events', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('error', () => {});
    const handled = vi.fn();
    poller.on('CREATED', handled);
    // Nobody listens for one of the events: it is acknowledged without a listener.
    emitMany(mock, 1);
    emitMany(mock, 1, 'CONFIRMED');
    mock.faults.next('acknowledgment', 'lost', 4);
    void poller.start();
    await clock.advance('15s');
    expect([mock.pending(), handled.mock.calls.length]).toEqual([[], 1]);
    expect(poller.health().unacknowledged).toBe(2);
    await clock.advance('30s');
    expect(poller.health().unacknowledged).toBe(0);
    expect((await afterAdvance(clock, '1s', poller.stop())).unacknowledged).toEqual([]);
  });

  it('sends unknown event types in separate batches', async () => {
    const { mock, hub } = stage();
    const events = [
      ...emitMany(mock, 3),
      ...emitMany(mock, 2, 'SOMETHING_NEW'),
      ...emitMany(mock, 1, 'CANCELLATION_DENIED'),
    ];
    await hub.events.acknowledge(events);
    const types = requestsTo(mock, 'acknowledgment').map(({ body }) =>
      (JSON.parse(body) as { eventType: string }[]).map(({ eventType }) => eventType).join(),
    );
    expect(types.sort()).toEqual([
      'CREATED,CREATED,CREATED,CANCELLATION_DENIED',
      'SOMETHING_NEW,SOMETHING_NEW',
    ]);
  });

  it('rejects what is not an event without a request, and confirms the rest', async () => {
    const { mock, hub } = stage();
    const [event] = emitMany(mock, 1);
    const bad = [{ eventId: 'x' }, null, 'text', { eventId: '', orderId: 'o', eventType: 't' }] as never[];
    const { acknowledged, rejected } = await hub.events.acknowledge([...bad, event as never]);
    expect(acknowledged).toEqual([event?.eventId]);
    expect(rejected.map(({ error }) => error.message.slice(0, 10))).toEqual([
      'events[0]:',
      'events[1]:',
      'events[2]:',
      'events[3]:',
    ]);
    expect(await hub.events.acknowledge([])).toEqual({ acknowledged: [], rejected: [] });
    await expect(hub.events.acknowledge('x' as never)).rejects.toBeInstanceOf(ConfigurationError);
  });

  it('throws if nothing could be confirmed, and otherwise reports what was', async () => {
    const { clock, mock, hub } = stage();
    const events = emitMany(mock, 150);
    mock.faults.next('acknowledgment', { type: 'status', status: 429, headers: { 'retry-after': '3600' } });
    await expect(hub.events.acknowledge(events.slice(0, 10))).rejects.toBeInstanceOf(RateLimitError);
    await clock.advance('61m');
    mock.faults.next('acknowledgment', { type: 'latency', ms: 1 });
    mock.faults.next('acknowledgment', 'reset', 4);
    const { acknowledged, rejected } = await afterAdvance(clock, '5m', hub.events.acknowledge(events));
    expect(acknowledged.length + rejected.length).toBe(150);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(rejected.every(({ error }) => error.retryable)).toBe(true);
  });

  it('returns what was acknowledged if a stop ends the batches that still wait for their turn', async () => {
    const { clock, mock, hub } = stage();
    const events = emitMany(mock, 1000);
    mock.faults.next('acknowledgment', { type: 'status', status: 202 }, 2);
    mock.faults.next('acknowledgment', 'hang', 4);
    const controller = new AbortController();
    const partly = hub.events.acknowledge(events, { signal: controller.signal });
    await clock.advance('1s');
    expect(requestsTo(mock, 'acknowledgment')).toHaveLength(6);
    controller.abort(new ClosedError('the poller is stopped'));
    const { acknowledged, rejected } = await partly;
    expect(acknowledged).toHaveLength(200);
    expect(rejected).toHaveLength(800);
    expect(rejected.every(({ error }) => error.code === 'closed')).toBe(true);
  });
});

describe('a batch that the hub refuses', () => {
  it('has its other items confirmed, wherever the bad ones are, with a bounded number of requests', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 100 }),
        fc.uniqueArray(fc.nat(99), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (count, places, atTheFront) => {
          const bad = atTheFront ? places.map((_, index) => index) : places.filter((place) => place < count);
          fc.pre(bad.length > 0 && bad.length < count);
          const { hub } = clientOf(mock, { clock, fetch: mock.fetch });
          const events = emitMany(mock, count);
          const refused = bad.map((index) => events[index]?.eventId as string);
          for (const eventId of refused) mock.refuseAcknowledgment(eventId);
          const before = requestsTo(mock, 'acknowledgment').length;
          const { acknowledged, rejected } = await afterAdvance(clock, '10m', hub.events.acknowledge(events));
          const sent = requestsTo(mock, 'acknowledgment').length - before;
          expect(acknowledged).toHaveLength(count - bad.length);
          expect(rejected.map(({ eventId }) => eventId).sort()).toEqual(refused.sort());
          expect(sent).toBeLessThanOrEqual(1 + 2 * bad.length * Math.ceil(Math.log2(count)));
        },
      ),
      { numRuns: runs(200, 16) },
    );
  });

  it('does not keep the next one from being bisected', async () => {
    const { mock, hub } = stage();
    const emit = (count: number) => Array.from({ length: count }, () => mock.emit('CREATED'));
    const first = emit(20);
    for (const { eventId } of first.slice(0, 5)) mock.refuseAcknowledgment(eventId);
    expect((await hub.events.acknowledge(first)).acknowledged).toHaveLength(15);
    const second = emit(20);
    mock.refuseAcknowledgment(second[7]?.eventId as string);
    expect((await hub.events.acknowledge(second)).acknowledged).toHaveLength(19);
  });
});

describe('an id that the hub refused', () => {
  it('is sent again after ten minutes, after twice as long each time, up to six hours, until it is accepted', async () => {
    const { clock, mock, hub } = stage();
    const event = mock.emit('CREATED');
    mock.refuseAcknowledgment(event.eventId);
    const sentWith = async () => {
      const before = requestsTo(mock, 'acknowledgment').length;
      // Another id is accepted: the hub does not refuse everything.
      const { rejected } = await hub.events.acknowledge([...emitMany(mock, 1), event]);
      expect(rejected).toMatchObject([{ eventId: event.eventId, error: { code: 'bad_request' } }]);
      return requestsTo(mock, 'acknowledgment').length - before;
    };
    // The two together, then each alone.
    expect(await sentWith()).toBe(3);
    for (const minutes of [10, 20, 40, 80, 160, 320, 360, 360]) {
      await clock.advance(minutes * MINUTE_MS - 1);
      expect(await sentWith()).toBe(1);
      await clock.advance(1);
      expect(await sentWith()).toBe(2);
    }
  });

  it('and is accepted later starts again with ten minutes', async () => {
    const { clock, mock, hub } = stage();
    const event = mock.emit('CREATED');
    for (let round = 0; round < 2; round += 1) {
      mock.faults.next('acknowledgment', 400);
      expect((await hub.events.acknowledge([event])).rejected).toHaveLength(1);
      await clock.advance('10m');
      expect((await hub.events.acknowledge([event])).acknowledged).toEqual([event.eventId]);
    }
  });
});

it.each([400, 404, 409, 413, 422])(
  'an event that the hub refuses with %s keeps back no other, and is found by halves',
  async (status) => {
    const mock = createMockHub();
    const events = emitMany(mock, 100);
    const bad = events[42]?.eventId as string;
    let sent = 0;
    const fetch = async (...given: Parameters<typeof globalThis.fetch>) => {
      const request = new Request(...given);
      if (request.url.endsWith('/acknowledgment')) sent += 1;
      const isRefused = request.method === 'POST' && (await request.clone().text()).includes(bad);
      return isRefused ? new Response('{}', { status }) : mock.fetch(request);
    };
    const { hub } = clientOf(mock, { fetch });
    const { acknowledged, rejected } = await hub.events.acknowledge(events);
    expect([acknowledged.length, rejected.map(({ eventId }) => eventId)]).toEqual([99, [bad]]);
    expect(sent).toBeLessThanOrEqual(15);
  },
);

describe('a hub that refuses everything', () => {
  it('gets one more request for all batches of the call that are left', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 1000 });
    mock.faults.next('acknowledgment', 400, 10_000);
    const call = hub.events.acknowledge(emitMany(mock, 1000));
    await clock.advance('5m');
    expect((await call).rejected).toHaveLength(1000);
    const sizes = requestsTo(mock, 'acknowledgment').map(
      ({ body }) => (JSON.parse(body) as unknown[]).length,
    );
    // Four batches were in flight before every part of the first one was refused.
    expect(sizes.filter((size) => size === 100)).toHaveLength(4);
    expect(sizes.length).toBeLessThan(30);
  });

  it('gets no request for the same events for two minutes, then for four, then for eight', async () => {
    const { clock, mock, hub } = stage();
    const events = emitMany(mock, 100);
    mock.faults.next('acknowledgment', 400, 10_000);
    const requestsOfCall = async () => {
      const before = requestsTo(mock, 'acknowledgment').length;
      const { rejected } = await hub.events.acknowledge(events);
      expect(rejected).toHaveLength(100);
      return requestsTo(mock, 'acknowledgment').length - before;
    };
    for (const minutes of [2, 4, 8]) {
      expect(await requestsOfCall()).toBeGreaterThan(5);
      await clock.advance(minutes * MINUTE_MS - 1);
      expect(await requestsOfCall()).toBe(0);
      await clock.advance(1);
    }
    mock.faults.clear();
    for (let calls = 0; calls < 10; calls += 1)
      await afterAdvance(clock, '1m', hub.events.acknowledge(events));
    expect(mock.pending()).toEqual([]);
  });

  it('is recognized by five ids that it refuses one after the other', async () => {
    const { mock, hub } = stage();
    const events = emitMany(mock, 20);
    mock.faults.next('acknowledgment', 400, 10_000);
    for (const event of events.slice(0, 5)) await hub.events.acknowledge([event]);
    expect(requestsTo(mock, 'acknowledgment')).toHaveLength(5);
    // Now a batch is not bisected any more.
    await hub.events.acknowledge(events.slice(5));
    expect(requestsTo(mock, 'acknowledgment')).toHaveLength(6);
  });
});

describe('a poller acknowledges', () => {
  it('a hundred events as soon as they are handled, and fewer after a second, although others still run', async () => {
    const { clock, mock, hub } = stage();
    const held = gate();
    const poller = hub.poller({ concurrency: 300 });
    poller.on('CREATED', ({ orderId }) => (orderId === 'slow' ? held.promise : undefined));
    mock.createOrder({ orderId: 'slow' });
    for (let count = 0; count < 250; count += 1) mock.createOrder();
    await poller.start();
    await clock.advance(0);
    expect(mock.acknowledged()).toHaveLength(200);
    await clock.advance(999);
    expect(mock.acknowledged()).toHaveLength(200);
    await clock.advance(1);
    expect(mock.acknowledged()).toHaveLength(250);
    expect(requestsTo(mock, 'acknowledgment')).toHaveLength(3);
    held.open();
    await clock.advance('1s');
    expect(mock.pending()).toEqual([]);
    expect((await poller.stop()).acknowledged).toBe(251);
    expect(clock.sleepers).toBe(0);
  });
});
