import { memoryState, type OrderEvent } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { answered, polled } from '../answered.js';
import { afterAdvance, clientOf, stage } from '../support.js';

const event = (changes: Partial<OrderEvent> = {}) => ({
  eventId: 'one-id',
  orderId: 'order-1',
  eventType: 'CREATED',
  createdAt: '2026-11-01T12:00:00Z',
  orderURL: 'https://hub.example/orders/order-1',
  ...changes,
});

/** A client of a hub that sends these events at every poll until their ids are acknowledged. */
function hubWith(polls: () => readonly unknown[], { clock, mock } = stage(), state = memoryState()) {
  const acknowledged: { id: string; orderId: string; eventType: string }[] = [];
  const fetch: typeof mock.fetch = async (request, ...rest) => {
    const response = await mock.fetch(request, ...rest);
    const { pathname } = new URL(typeof request === 'string' ? request : (request as Request).url);
    if (pathname.endsWith(':polling') && response.status < 300) {
      const open = polls().filter(
        (each) => !acknowledged.some(({ id }) => id === (each as OrderEvent).eventId),
      );
      return Response.json(open);
    }
    if (pathname.endsWith('/acknowledgment')) {
      const body = (rest[0] as { body?: string } | undefined)?.body ?? '[]';
      acknowledged.push(...JSON.parse(body));
      return new Response(null, { status: 202 });
    }
    return response;
  };
  const { hub, log } = clientOf(mock, { clock, fetch: fetch as never, state });
  return { clock, hub, log, acknowledged, state, mock };
}

describe('two events with one id and different content', () => {
  it.each([
    ['another order', { orderId: 'order-2' }],
    ['another type', { eventType: 'CONFIRMED' }],
    ['another date', { createdAt: '2026-11-01T12:05:00Z' }],
    ['other metadata', { metadata: { reason: 'b' } }],
    ['another app', { sourceAppId: 'app' }],
    ['another brand', { virtualBrand: 'app' }],
  ])(
    'in one poll are both reported, both handled, and acknowledged after both: %s',
    async (_what, changes) => {
      const { clock, hub, acknowledged } = hubWith(() => [event(), event(changes)]);
      const handled: unknown[] = [];
      const invalid: unknown[] = [];
      let fails = true;
      const poller = hub.poller({ ordering: 'none' }).on('event', (each) => {
        if (fails && handled.length === 1) throw new Error('no paper');
        handled.push(each);
      });
      poller.on('error', () => {});
      poller.on('invalid', ({ issues }) => void invalid.push(...issues));
      const report = await afterAdvance(clock, '2s', poller.runOnce());
      expect(report.issues).toMatchObject([
        { code: 'duplicate_id', path: [0] },
        { code: 'duplicate_id', path: [1] },
      ]);
      expect(invalid).toHaveLength(2);
      // One has failed; if the other were acknowledged, the hub would forget both.
      expect(acknowledged).toEqual([]);
      fails = false;
      await clock.advance('30s');
      await afterAdvance(clock, '61s', poller.runOnce());
      expect(handled).toMatchObject([event(), event(changes)]);
      expect(new Set(acknowledged.map(({ id }) => id))).toEqual(new Set(['one-id']));
    },
  );

  it('in two polls are both handled, and the second is reported with its place', async () => {
    const twin = (orderId: string) => ({ eventId: 'same', orderId, eventType: 'CREATED' });
    const polls = [[twin('first')], [{ without: 'ids' }, twin('second')]];
    const { clock, mock, hub } = stage();
    for (const events of polls) mock.faults.next('polling', { status: 200, body: { events } });
    mock.faults.next('acknowledgment', { status: 202 }, 2);
    const seen: string[] = [];
    const issues: unknown[] = [];
    const poller = hub.poller().on('CREATED', ({ orderId }) => void seen.push(orderId));
    poller.on('invalid', (payload) => {
      for (const { code, path, against } of payload.issues)
        if (code === 'duplicate_id') issues.push(path, against);
    });
    await poller.start();
    await clock.advance('2s');
    await clock.advance('30s');
    expect(seen).toEqual(['first', 'second']);
    expect(issues).toEqual([['events', 1], 'sense']);
  });

  it('in two polls are also reported if the first one has failed, which stays open when the second one is confirmed', async () => {
    const { clock, mock, hub } = stage();
    for (const orderId of ['first', 'second'])
      mock.faults.next('polling', { status: 200, body: [event({ orderId })] });
    mock.faults.next('acknowledgment', { status: 202 });
    const poller = hub.poller().on('CREATED', ({ orderId }) => {
      if (orderId === 'first') throw new Error('no paper');
    });
    await poller.runOnce();
    await clock.advance('31s');
    expect(await poller.runOnce()).toMatchObject({
      acknowledged: 1,
      issues: [{ code: 'duplicate_id', path: [0] }],
    });
    expect(poller.health().unacknowledged).toBe(1);
  });

  it('in two polls are also reported if the response to the acknowledgment of the first one was lost', async () => {
    const { clock, mock, hub } = stage();
    const reported: string[] = [];
    const seen: string[] = [];
    const poller = hub.poller().on('event', ({ orderId }) => void seen.push(orderId));
    poller.on('error', () => {});
    poller.on('invalid', ({ issues }) => void reported.push(...issues.map(({ code }) => code)));
    mock.emit('CONFIRMED', { eventId: 'one', orderId: 'first' });
    mock.faults.next('acknowledgment', 'lost', 10);
    void poller.start();
    await clock.advance('3m');
    expect(mock.pending()).toEqual([]);
    mock.faults.clear();
    mock.emit('CONFIRMED', { eventId: 'one', orderId: 'second' });
    await clock.advance('31s');
    expect(seen).toEqual(['first', 'second']);
    expect(reported).toEqual(['duplicate_id']);
    await afterAdvance(clock, '1m', poller.stop());
  });

  it('are distinguished after a restart too', async () => {
    const state = memoryState();
    const shared = stage();
    const handled: string[] = [];
    for (const orderId of ['order-1', 'order-2', 'order-1']) {
      const { clock, hub } = hubWith(() => [event({ orderId })], shared, state);
      const poller = hub.poller().on('CREATED', ({ orderId: of }) => void handled.push(of));
      await afterAdvance(clock, '61s', poller.runOnce());
    }
    expect(handled).toEqual(['order-1', 'order-2']);
  });

  it('are one event if only the URL, an unknown field or the order of keys differs', async () => {
    const { clock, hub } = hubWith(() => [
      event({ metadata: { a: 1, b: { c: 2, d: 3 } } }),
      {
        ...event({ orderURL: 'https://other.example', metadata: { b: { d: 3, c: 2 }, a: 1 } }),
        deliveries: 2,
      },
    ]);
    let handled = 0;
    const poller = hub.poller().on('CREATED', () => void (handled += 1));
    const cycle = poller.runOnce();
    await clock.advance('2s');
    expect((await cycle).issues?.filter(({ code }) => code === 'duplicate_id')).toEqual([]);
    expect(handled).toBe(1);
  });

  it('are two events if one value is at another field', async () => {
    const { clock, hub } = hubWith(() => [event({ sourceAppId: 'x' }), event({ virtualBrand: 'x' })]);
    let handled = 0;
    const cycle = hub
      .poller()
      .on('CREATED', () => void (handled += 1))
      .runOnce();
    await clock.advance('2s');
    await cycle;
    expect(handled).toBe(2);
  });

  it('are handled although their metadata is nested deeper than the stack', async () => {
    const depth = 100_000;
    const text = `[${JSON.stringify(event()).slice(0, -1)},"metadata":${'{"a":'.repeat(depth)}1${'}'.repeat(depth + 1)}]`;
    const { events } = await polled(text);
    expect(events).toHaveLength(1);
    const seen: string[] = [];
    await answered(
      (hub) =>
        hub
          .poller()
          .on('CREATED', ({ eventId }) => void seen.push(eventId))
          .runOnce(),
      () => new Response(text),
    );
    expect(seen).toEqual(['one-id']);
  });

  it('are acknowledged with one item for each order and type', async () => {
    // The first, the third and the last are one item for the hub.
    const changes = [{}, { orderId: 'order-2' }, {}, { metadata: { a: 1 } }];
    const { clock, hub, acknowledged } = hubWith(() => changes.map(event));
    const cycle = hub
      .poller()
      .on('CREATED', () => {})
      .runOnce();
    await clock.advance('2s');
    expect(await cycle).toMatchObject({ received: 3, handled: 3, unacknowledged: [] });
    expect(acknowledged.map(({ orderId }) => orderId).sort()).toEqual(['order-1', 'order-2']);
  });
});

describe('an event', () => {
  it('is frozen at every level: a listener cannot change it', async () => {
    const sent = event({ metadata: { reason: 'x', deep: [{ a: 1 }] } as never });
    const { clock, hub, acknowledged } = hubWith(() => [sent]);
    let runs = 0;
    const poller = hub.poller().on('CREATED', (given) => {
      runs += 1;
      const open = given as unknown as { eventId: string; metadata: { deep: { a: number }[] } };
      expect(() => {
        open.eventId = 'other';
      }).toThrow(TypeError);
      expect(() => open.metadata.deep.push({ a: 2 })).toThrow(TypeError);
      expect(Object.isFrozen(open.metadata.deep[0])).toBe(true);
    });
    await poller.start();
    await clock.advance('10m');
    expect(runs).toBe(1);
    expect(acknowledged).toEqual([{ id: 'one-id', orderId: 'order-1', eventType: 'CREATED' }]);
  });

  it.each(['created', 'CREATED '])(
    'of the type %j is a CREATED, and acknowledged as it was received',
    async (eventType) => {
      const { clock, hub, acknowledged } = hubWith(() => [event({ eventType })]);
      const types: unknown[] = [];
      const poller = hub.poller();
      poller.on(
        'CREATED',
        ({ eventType, receivedEventType }) => void types.push(eventType, receivedEventType),
      );
      await afterAdvance(clock, '2s', poller.runOnce());
      expect(types).toEqual(['CREATED', eventType]);
      expect(acknowledged).toEqual([{ id: 'one-id', orderId: 'order-1', eventType }]);
    },
  );
});
