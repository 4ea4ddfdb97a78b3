import { tracingChannel } from 'node:diagnostics_channel';
import { on } from 'node:events';
import {
  AuthenticationError,
  type EventPoller,
  type HubClient,
  memoryState,
  type PolledEvent,
} from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryInbox } from '../inbox/support.js';
import { afterAdvance, clientOf, gate, requestsTo, settledNow, stage, watched } from '../support.js';
import { pushOf } from './push/support.js';
import { withCalls } from './support.js';

type Body = (polled: PolledEvent) => unknown;

/** The loop of an application. `undefined` leaves it in its usual way, `'break'` by `break`. */
async function loop(poller: EventPoller, body: Body, signal?: AbortSignal): Promise<void> {
  for await (const polled of poller.events({ signal })) {
    if ((await body(polled)) === 'break') break;
  }
}

describe('for await over poller.events()', () => {
  it('starts the poller, and acknowledges an event after its body, not before', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    const body = gate();
    const seen: unknown[] = [];
    const { event } = mock.createOrder();
    void loop(poller, ({ event: { eventId }, context }) => {
      seen.push([eventId, context.attempt, context.redelivered, context.hub === hub]);
      return body.promise;
    });
    await clock.advance('20s');
    expect(poller.health()).toMatchObject({ status: 'running', running: 1 });
    expect(seen).toEqual([[event.eventId, 1, false, true]]);
    expect(mock.acknowledged()).toEqual([]);
    body.open();
    await clock.advance('2s');
    expect(mock.acknowledged()).toHaveLength(1);
  });

  it.each(['break', 'throw'] as const)(
    'leaves the event at the hub after a %s, stops the poller, and leaves no listener and no timer',
    async (how) => {
      const { clock, mock, hub } = stage();
      const poller = hub.poller().on('error', () => {});
      const { event } = mock.createOrder();
      mock.createOrder();
      const left = loop(poller, () => {
        if (how === 'throw') throw new Error('out of the loop');
        return how;
      });
      const outcome = await settledNow(clock, left);
      expect(outcome).toEqual(
        how === 'throw' ? { error: new Error('out of the loop') } : { value: undefined },
      );
      expect(mock.acknowledged()).toEqual([]);
      expect(mock.pending()[0]?.eventId).toBe(event.eventId);
      expect(poller.health().status).toBe('idle');
      expect(clock.sleepers).toBe(0);
      await expect(poller.start()).rejects.toMatchObject({ option: 'listeners' });
    },
  );

  it('gives an event that was left at the hub to the next loop', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('error', () => {});
    mock.createOrder();
    await settledNow(
      clock,
      loop(poller, () => 'break'),
    );
    const attempts: number[] = [];
    void loop(poller, ({ context }) => void attempts.push(context.attempt));
    await clock.advance('35s');
    expect(attempts).toEqual([2]);
    expect(mock.pending()).toEqual([]);
  });

  it('counts no attempt of an event that waited when the loop was left', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller({ maxAttempts: 2 }).on('error', () => {});
    for (let count = 0; count < 6; count += 1) mock.createOrder();
    const yields = new Map<string, number>();
    for (let count = 0; count < 4; count += 1) {
      // It handles one event, and leaves the loop at the next.
      let handled = 0;
      const left = loop(poller, ({ event: { orderId }, context: { attempt } }) => {
        yields.set(orderId, (yields.get(orderId) ?? 0) + 1);
        expect(attempt).toBe(yields.get(orderId));
        handled += 1;
        return handled === 2 ? 'break' : undefined;
      });
      await clock.advance('31s');
      expect(await settledNow(clock, left)).toEqual({ value: undefined });
    }
    // What nobody has tried twice can still be handled.
    poller.on('event', () => {});
    await afterAdvance(clock, '2m', poller.start());
    for (const { orderId } of mock.pending()) expect(yields.get(orderId)).toBe(2);
    expect(mock.acknowledged().length).toBeGreaterThan(3);
  });

  it('ends the span of an event that waited when the loop was left', async () => {
    const open = new Set<object>();
    const channel = tracingChannel('opendelivery:listener');
    const subscribers = {
      start: (context: object) => void open.add(context),
      end: () => {},
      asyncStart: () => {},
      asyncEnd: (context: object) => void open.delete(context),
      error: () => {},
    };
    channel.subscribe(subscribers);
    onTestFinished(() => void channel.unsubscribe(subscribers));
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('error', () => {});
    for (let count = 0; count < 3; count += 1) mock.createOrder();
    const left = loop(poller, () => {
      expect(open.size).toBe(3);
      return 'break';
    });
    await settledNow(clock, left);
    expect([...open]).toEqual([]);
  });

  it('leaves a poller that was running running, also if that was started after events() was called', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CONFIRMED', () => {});
    const events = poller.events();
    await poller.start();
    mock.createOrder();
    const next = events.next();
    await clock.advance('31s');
    expect(await settledNow(clock, next)).toMatchObject({ value: { done: false } });
    await events.return();
    await clock.advance('1m');
    expect(poller.health().status).toBe('running');
    expect(requestsTo(mock, 'polling').length).toBeGreaterThan(2);
  });

  it.each([true, false])(
    'ends when its signal aborts, and finishes the body; running before: %s',
    async (was) => {
      const { clock, mock, hub } = stage();
      const poller = hub.poller().on('CONFIRMED', () => {});
      if (was) await poller.start();
      const body = gate();
      const controller = new AbortController();
      mock.createOrder();
      const over = watched(loop(poller, () => body.promise, controller.signal));
      await clock.advance('31s');
      controller.abort(new Error('enough'));
      await clock.advance('1s');
      expect([over.done, mock.acknowledged()]).toEqual([false, []]);
      body.open();
      await clock.advance('2s');
      expect(over.done).toBe(true);
      expect(mock.acknowledged()).toHaveLength(1);
      expect(poller.health().status).toBe(was ? 'running' : 'idle');
    },
  );

  it.each([true, false])('ends at once with a signal that has aborted before; running: %s', async (was) => {
    const { clock, hub } = stage();
    const poller = hub.poller().on('CONFIRMED', () => {});
    if (was) await poller.start();
    const outcome = await settledNow(
      clock,
      loop(poller, () => {}, AbortSignal.abort(new Error('before'))),
    );
    expect(outcome).toEqual({ value: undefined });
    expect(poller.health().status).toBe(was ? 'running' : 'idle');
  });

  it('does not stop a poller that was stopped and started again while its body ran', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('error', () => {});
    const body = gate();
    mock.createOrder();
    void loop(poller, () => body.promise);
    await clock.advance('1s');
    await Promise.all([poller.stop({ timeoutMs: 0 }), clock.advance('1s')]);
    await Promise.all([poller.on('CREATED', () => {}).start(), clock.advance('1m')]);
    body.open();
    await clock.advance('1m');
    expect(poller.health().status).toBe('running');
  });

  it('counts no attempt of an event whose time was over before the body had it', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller({ maxAttempts: 2, listenerTimeoutMs: 60_000 }).on('error', () => {});
    const had = new Set<string>();
    const dead: string[] = [];
    poller.on('deadLetter', ({ event }) => void dead.push(event.eventId));
    const orders = Array.from({ length: 12 }, () => mock.createOrder());
    void loop(poller, async ({ event }) => {
      had.add(event.eventId);
      await clock.sleep(30_000);
    });
    await clock.advance('30m');
    expect(dead).toEqual([]);
    expect(had).toEqual(new Set(orders.map(({ event }) => event.eventId)));
    expect(mock.pending()).toEqual([]);
  });

  it.each(['this client', 'another client'])(
    'counts no attempt of an event that waited for the body when a stop was over; it is started by %s',
    async (by) => {
      const state = memoryState();
      const { clock, mock, hub } = stage({}, { state });
      const had: string[] = [];
      const dead: string[] = [];
      const pollerOf = (client: HubClient) =>
        client
          .poller({ maxAttempts: 1 })
          .on('error', () => {})
          .on('deadLetter', ({ event }) => void dead.push(event.eventId));
      const poller = pollerOf(hub);
      const ids = Array.from({ length: 3 }, () => mock.createOrder().event.eventId);
      const body = gate();
      void loop(poller, ({ event }) => {
        had.push(event.eventId);
        return body.promise;
      });
      await clock.advance('1s');
      await Promise.all([poller.stop({ timeoutMs: 1000 }), clock.advance('2s')]);
      body.open();
      await clock.advance('1s');
      const again = by === 'this client' ? poller : pollerOf(clientOf(mock, { clock, state }).hub);
      void loop(again, ({ event }) => void had.push(event.eventId));
      await clock.advance('5m');
      expect(dead).toEqual([]);
      expect(had).toEqual(ids);
      expect(mock.pending()).toEqual([]);
    },
  );

  it.each([false, true])(
    'keeps what a poll brings that was under way when the loop was left; with an inbox: %s',
    async (hasInbox) => {
      const { inbox } = await memoryInbox();
      const { clock, mock, hub } = stage({ latencyMs: 1000 });
      const poller = hub.poller(hasInbox ? { inbox } : {}).on('error', () => {});
      const controller = new AbortController();
      const over = watched(loop(poller, () => {}, controller.signal));
      await clock.advance('20s');
      const { orderId } = mock.createOrder();
      const { eventId } = mock.emit('CANCELLED', { orderId });
      await clock.advance('11500ms');
      controller.abort(new Error('enough'));
      await clock.advance('10s');
      expect(over.done).toBe(true);
      expect(requestsTo(mock, 'polling')).toHaveLength(2);
      const had: string[] = [];
      void loop(poller, ({ event }) => void had.push(event.eventId));
      await clock.advance('2m');
      expect(had).toContain(eventId);
    },
  );

  it('ends when the poller is stopped before it begins, because a push still has the store', async () => {
    const clock = new ManualClock();
    const state = withCalls(memoryState(), { release: (next) => clock.sleep(5000).then(next) });
    const { mock, hub } = stage({ clock }, { clock, state });
    const poller = hub.poller().on('CREATED', () => {});
    const pushed = poller.receive(pushOf(mock.createOrder().event));
    await clock.advance('1s');
    const over = watched(loop(poller, () => {}));
    await clock.advance('1s');
    await Promise.all([pushed, poller.stop(), clock.advance('1m')]);
    expect(over.done).toBe(true);
  });

  it('ends when the poller is stopped', async () => {
    const { clock, hub } = stage();
    const poller = hub.poller();
    const over = watched(loop(poller, () => {}));
    await clock.advance('1s');
    expect(over.done).toBe(false);
    await poller.stop();
    await clock.advance(0);
    expect(over.done).toBe(true);
  });

  it('throws what start rejects with', async () => {
    const { clock, hub } = stage({}, { clientSecret: 'wrong' });
    const outcome = await settledNow(
      clock,
      loop(hub.poller(), () => {}),
    );
    expect(outcome).toMatchObject({ error: expect.any(AuthenticationError) });
  });

  it('does not stop a runOnce of the same poller, which keeps it from starting', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 3000 });
    const poller = hub.poller().on('CREATED', () => {});
    mock.createOrder();
    const once = poller.runOnce();
    await clock.advance('1s');
    const outcome = await settledNow(
      clock,
      loop(poller, () => {}),
    );
    expect(outcome).toMatchObject({ error: { code: 'configuration' } });
    await clock.advance('20s');
    expect(await once).toMatchObject({ handled: 1, acknowledged: 1 });
  });
});

it('a loop that was stopped and does not go on fails no event of others', async () => {
  const { clock, mock, hub } = stage();
  const poller = hub.poller().on('error', () => {});
  const events = poller.events();
  const first = events.next();
  await clock.advance('1s');
  mock.createOrder();
  await clock.advance('31s');
  await first;
  await afterAdvance(clock, '1s', poller.stop({ timeoutMs: 0 }));
  const runs: string[] = [];
  poller.on('CREATED', ({ eventId }) => void runs.push(eventId));
  const { event } = mock.createOrder();
  void poller.start();
  await clock.advance('10m');
  expect(runs).toEqual([event.eventId]);
  expect(mock.acknowledged()).toMatchObject([{ eventId: event.eventId }]);
  await events.return();
});

it('what comes between an abort and the end of the body waits, and is not acknowledged unhandled', async () => {
  const { clock, mock, hub } = stage();
  const poller = hub.poller({ listenerTimeoutMs: 60_000 }).on('error', () => {});
  let runs = 0;
  poller.on('CREATED', () => {
    runs += 1;
  });
  await poller.start();
  const controller = new AbortController();
  const events = poller.events({ signal: controller.signal });
  const first = events.next();
  await clock.advance('1s');
  mock.emit('CONFIRMED');
  await clock.advance('31s');
  await first;
  controller.abort();
  mock.emit('CANCELLED');
  const { event } = mock.createOrder();
  // The body takes longer than a listener may: polling goes on without it.
  await clock.advance('3m');
  expect(mock.acknowledged()).toEqual([]);
  expect(runs).toBeLessThan(4);
  await events.next();
  await clock.advance('5m');
  expect(mock.acknowledged().map(({ eventId }) => eventId)).toContain(event.eventId);
});

it('a listener that throws what cannot be read fails like others', async () => {
  const { clock, mock, hub } = stage();
  const errors: unknown[] = [];
  const poller = hub.poller().on('error', (error) => void errors.push(error));
  poller.on('CREATED', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    throw proxy;
  });
  await poller.start();
  mock.createOrder();
  await clock.advance('31s');
  expect(errors).toMatchObject([{ message: 'a listener threw a value that cannot be read' }]);
  expect(poller.health()).toMatchObject({ running: 0, unacknowledged: 1 });
});

describe('events.on of Node.js', () => {
  it('iterates over the polls of a poller, and leaves no listener when it is left', async () => {
    const { clock, hub } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    const removed: string[] = [];
    const { removeListener } = poller;
    poller.removeListener = (name: string, listener: never) => {
      removed.push(name);
      return removeListener.call(poller, name, listener);
    };
    const polls = on(poller as unknown as NodeJS.EventEmitter, 'polled');
    await poller.start();
    expect((await polls.next()).value).toMatchObject([{ received: 0 }]);
    const next = polls.next();
    await clock.advance('31s');
    expect((await next).value).toMatchObject([{ received: 0 }]);
    await polls.return?.();
    expect(removed.sort()).toEqual(['error', 'polled']);
    await clock.advance('31s');
    expect(await polls.next()).toEqual({ done: true, value: undefined });
  });

  it('throws the error of the poller', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    mock.faults.next('polling', 503);
    const polls = on(poller as unknown as NodeJS.EventEmitter, 'polled');
    void poller.start();
    const next = polls.next();
    expect(await settledNow(clock, next)).toMatchObject({ error: { status: 503 } });
  });
});
