import { ClosedError, ConfigurationError, RateLimitError } from 'opendelivery-client';
import { describe, expect, it, vi } from 'vitest';
import { runs } from '../runs.js';
import { densest, requestsTo, type Stage, settledNow, stage } from '../support.js';

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

  it('has at most four requests in flight', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 1000 });
    const acknowledged = hub.events.acknowledge(emitMany(mock, 1000));
    await clock.advance('1m');
    await acknowledged;
    const requests = requestsTo(mock, 'acknowledgment');
    expect(requests).toHaveLength(10);
    expect(densest(requests, 1000)).toBe(4);
  });

  it('has at most four requests in flight, those of several calls counted together', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 1000 });
    const token = hub.auth.getToken();
    await clock.advance('2s');
    await token;
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
    const done = hub.events.acknowledge(events);
    await clock.advance('10s');
    expect((await done).acknowledged).toHaveLength(5);
  });

  it('of which only the response was lost is complete once a poll no longer returns the events', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    const handled = vi.fn();
    poller.on('CREATED', handled);
    poller.on('error', () => {});
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
    const stopped = poller.stop();
    await clock.advance('1s');
    expect((await stopped).unacknowledged).toEqual([]);
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
    const partly = hub.events.acknowledge(events);
    await clock.advance('5m');
    const { acknowledged, rejected } = await partly;
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

  it('rejects with the reason of its signal', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 5000 });
    const controller = new AbortController();
    const token = hub.auth.getToken();
    await clock.advance('6s');
    await token;
    const done = hub.events.acknowledge(emitMany(mock, 5), { signal: controller.signal });
    const failed = expect(done).rejects.toThrow('enough');
    await clock.advance('1s');
    controller.abort(new Error('enough'));
    await failed;
    expect(await settledNow(clock, Promise.resolve(1))).toEqual({ value: 1 });
    expect(clock.sleepers).toBe(0);
  });
});

describe('a batch that the hub refuses', () => {
  it('is halved until the bad item is found; the other 99 are confirmed', async () => {
    const { mock, hub } = stage();
    const events = emitMany(mock, 100);
    mock.refuseAcknowledgment(events[63]?.eventId as string);
    const { acknowledged, rejected } = await hub.events.acknowledge(events);
    expect(acknowledged).toHaveLength(99);
    expect(rejected).toMatchObject([{ eventId: events[63]?.eventId, error: { code: 'bad_request' } }]);
    expect(requestsTo(mock, 'acknowledgment').length).toBeLessThanOrEqual(15);
  });

  it.each([
    [[0, 1, 2], 100],
    [[0, 1, 2, 3, 4, 5], 100],
    [[0, 1, 2, 3], 10],
  ])('confirms the others when %j of %i are bad', async (bad, count) => {
    const { mock, hub } = stage();
    const events = emitMany(mock, count);
    for (const index of bad) mock.refuseAcknowledgment(events[index]?.eventId as string);
    const { acknowledged, rejected } = await hub.events.acknowledge(events);
    expect(acknowledged).toHaveLength(count - bad.length);
    expect(rejected.map(({ eventId }) => eventId).sort()).toEqual(
      bad.map((index) => events[index]?.eventId).sort(),
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
  it('is sent alone from then on, and rarely', async () => {
    const { clock, mock, hub } = stage();
    const events = emitMany(mock, 100);
    const bad = events[0]?.eventId as string;
    mock.refuseAcknowledgment(bad);
    await hub.events.acknowledge(events);
    const before = requestsTo(mock, 'acknowledgment').length;
    for (let minute = 0; minute < runs(24) * 60; minute += 1) {
      await hub.events.acknowledge([...emitMany(mock, 1), ...events.slice(0, 1)]);
      await clock.advance('1m');
    }
    const after = requestsTo(mock, 'acknowledgment').slice(before);
    const withBad = after.filter(({ body }) => body.includes(bad));
    expect(withBad.every(({ body }) => (JSON.parse(body) as unknown[]).length === 1)).toBe(true);
    expect(withBad.length).toBeGreaterThan(1);
    expect(withBad.length).toBeLessThan(12);
    expect(mock.pending().map(({ eventId }) => eventId)).toEqual([bad]);
  });

  it('is sent again within half an hour, and acknowledged if the hub accepts it then', async () => {
    const { clock, mock, hub } = stage();
    const event = mock.emit('CREATED');
    mock.faults.next('acknowledgment', 400);
    const first = await hub.events.acknowledge([event]);
    expect(first.rejected).toMatchObject([{ eventId: event.eventId }]);
    const soon = await hub.events.acknowledge([event]);
    expect(soon.rejected).toMatchObject([{ eventId: event.eventId }]);
    await clock.advance('30m');
    expect((await hub.events.acknowledge([event])).acknowledged).toEqual([event.eventId]);
  });
});

describe('a hub that refuses everything', () => {
  it('does not get hundreds of requests', async () => {
    const { clock, mock, hub } = stage();
    const events = emitMany(mock, 1000);
    mock.faults.next('acknowledgment', 400, 10_000);
    const first = hub.events.acknowledge(events);
    await clock.advance('5m');
    expect((await first).rejected).toHaveLength(1000);
    expect(requestsTo(mock, 'acknowledgment').length).toBeLessThan(30);
    const before = requestsTo(mock, 'acknowledgment').length;
    const second = hub.events.acknowledge(events);
    await clock.advance('1m');
    await second;
    expect(requestsTo(mock, 'acknowledgment').length - before).toBeLessThanOrEqual(30);
    mock.faults.clear();
    await clock.advance('6h');
    const third = hub.events.acknowledge(events);
    await clock.advance('1m');
    expect((await third).acknowledged).toHaveLength(1000);
  });

  it('gets one more request for all batches of the call that are left', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 1000 });
    const events = Array.from({ length: 1000 }, () => mock.emit('CREATED'));
    mock.faults.next('acknowledgment', 400, 10_000);
    const call = hub.events.acknowledge(events);
    await clock.advance('5m');
    expect((await call).rejected).toHaveLength(1000);
    const sizes = requestsTo(mock, 'acknowledgment').map(
      ({ body }) => (JSON.parse(body) as unknown[]).length,
    );
    // Four batches were in flight before every part of the first one was refused.
    expect(sizes.filter((size) => size === 100)).toHaveLength(4);
  });

  it('gets one request per call for a while, and is tried again later', async () => {
    const { clock, mock, hub } = stage();
    const events = Array.from({ length: 100 }, () => mock.emit('CREATED'));
    mock.faults.next('acknowledgment', 400, 10_000);
    const requestsOfCall = async () => {
      const before = requestsTo(mock, 'acknowledgment').length;
      const call = hub.events.acknowledge(events);
      await clock.advance('10s');
      expect((await call).rejected).toHaveLength(100);
      return requestsTo(mock, 'acknowledgment').length - before;
    };
    expect(await requestsOfCall()).toBeGreaterThan(5);
    expect(await requestsOfCall()).toBe(1);
    await clock.advance('30s');
    expect(await requestsOfCall()).toBe(1);
    mock.faults.clear();
    expect((await hub.events.acknowledge(events)).acknowledged).toHaveLength(100);
  });
});
