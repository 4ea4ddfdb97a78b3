import { getEventListeners } from 'node:events';
import { createMockHub, ManualClock, type MockHubOptions } from 'opendelivery-client/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runs } from '../runs.js';
import { clientOf, watched } from '../support.js';
import { TRANSPORTS } from './transports.js';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function connected([, open]: (typeof TRANSPORTS)[number], options: MockHubOptions = {}) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, ...options });
  return { clock, mock, ...clientOf(mock, { ...(await open(mock)), clock }) };
}

describe('ManualClock', () => {
  it('wakes sleepers in the order in which they are due, and lets each continue before the next', async () => {
    const clock = new ManualClock();
    const log: string[] = [];
    const sleeper = async (name: string, ms: number) => {
      await clock.sleep(ms);
      log.push(`${name} wakes at ${clock.monotonic()}`);
      for (let step = 0; step < 50; step += 1) await undefined;
      log.push(`${name} is done at ${clock.monotonic()}`);
    };
    void sleeper('c', 30);
    void sleeper('a', 10);
    void sleeper('b', 10);
    await clock.advance(100);
    expect(log).toEqual([
      'a wakes at 10',
      'a is done at 10',
      'b wakes at 10',
      'b is done at 10',
      'c wakes at 30',
      'c is done at 30',
    ]);
    expect(clock.monotonic()).toBe(100);
  });

  it('wakes sleepers that were added during the advance, and none that are due later', async () => {
    const clock = new ManualClock();
    const log: number[] = [];
    const wake = (ms: number) => clock.sleep(ms).then(() => log.push(clock.monotonic()));
    void wake(10).then(() => Promise.all([wake(5), wake(0), wake(-7)]));
    void wake(12);
    void wake(101);
    await clock.advance(100);
    expect(log).toEqual([10, 10, 10, 12, 15]);
    expect(clock.sleepers).toBe(1);
  });

  it('moves both clocks, and runs overlapping calls one after the other', async () => {
    const clock = new ManualClock('2026-03-01T00:00:00Z');
    await Promise.all([clock.advance('10s'), clock.advance('5s')]);
    expect(clock.monotonic()).toBe(15_000);
    expect(clock.now()).toBe(Date.parse('2026-03-01T00:00:15Z'));
  });

  it.each<[string | number, number]>([
    ['30s', 30_000],
    ['7d', 604_800_000],
    ['1h30m', 5_400_000],
    ['1h 30m', 5_400_000],
    ['1.5s', 1500],
    ['250ms', 250],
    [250, 250],
    [0, 0],
    [0.1 + 0.2 - 0.3, 0.1 + 0.2 - 0.3],
    [1e21, 1e21],
  ])('advances by the duration %s, which is %d ms', async (duration, ms) => {
    const clock = new ManualClock();
    await clock.advance(duration as '1s');
    expect(clock.monotonic()).toBe(ms);
  });

  it.each(['', '30', 's', '30 seconds', '-5s', '1h30', '5x', -5, Number.NaN, Number.POSITIVE_INFINITY, null])(
    'refuses the duration %s, gives examples, and does not move',
    (duration) => {
      const clock = new ManualClock();
      for (const move of [clock.advance, clock.suspend]) {
        const call = () => move.call(clock, duration as '1s');
        expect(call).toThrow(TypeError);
        expect(call).toThrow(/is not a duration; write .*'30s'/);
      }
      expect(clock.monotonic()).toBe(0);
    },
  );

  it('refuses a startAt that is not a date', () => {
    expect(() => new ManualClock('yesterday')).toThrow(/startAt is not a date/);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '5s', undefined])(
    'step refuses %s, and does not move',
    (ms) => {
      const clock = new ManualClock();
      const before = clock.now();
      expect(() => clock.step(ms as never)).toThrow(
        new TypeError('ms must be a number of milliseconds, such as -60_000'),
      );
      expect(clock.now()).toBe(before);
    },
  );

  it.each([86_400_000, -86_400_000])('step moves only the wall clock: %d', async (ms) => {
    const clock = new ManualClock(1_000_000_000_000);
    const sleep = watched(clock.sleep(1000));
    clock.step(ms);
    expect([clock.now(), clock.monotonic()]).toEqual([1_000_000_000_000 + ms, 0]);
    await clock.advance(999);
    expect(sleep.done).toBe(false);
    await clock.advance(1);
    expect(sleep.done).toBe(true);
  });

  it('suspend: both clocks jump, and the sleepers that became due wake late, in order', async () => {
    const clock = new ManualClock();
    const startedAt = clock.now();
    const fired: [string, number][] = [];
    for (const [name, ms] of [
      ['second', 2000],
      ['first', 1000],
      ['later', 7_200_000],
    ] as const) {
      void clock.sleep(ms).then(() => fired.push([name, clock.monotonic()]));
    }
    await clock.suspend('1h');
    expect([clock.now() - startedAt, clock.monotonic()]).toEqual([3_600_000, 3_600_000]);
    expect(fired).toEqual([
      ['first', 3_600_000],
      ['second', 3_600_000],
    ]);
    await clock.advance('1h');
    expect(fired.at(-1)).toEqual(['later', 7_200_000]);
  });

  it('calls timers back between sleepers, each when it is due, unless it was cancelled', async () => {
    const clock = new ManualClock();
    const log: string[] = [];
    const note = (name: string) => () => void log.push(`${name} at ${clock.monotonic()}`);
    clock.timer(30, note('last'));
    void clock.sleep(20).then(note('sleeper'));
    clock.timer(10, note('first'));
    const cancel = clock.timer(15, note('cancelled'));
    expect(clock.sleepers).toBe(4);
    cancel();
    await clock.advance(29);
    expect(log).toEqual(['first at 10', 'sleeper at 20']);
    await clock.advance(1);
    expect(log).toEqual(['first at 10', 'sleeper at 20', 'last at 30']);
    expect(clock.sleepers).toBe(0);
  });

  it('an aborted sleep rejects with the reason and leaves neither sleeper nor listener', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const reason = new Error('enough');
    const sleep = clock.sleep(1000, controller.signal);
    expect(clock.sleepers).toBe(1);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    await expect(clock.sleep(1000, controller.signal)).rejects.toBe(reason);
    expect(clock.sleepers).toBe(0);
    const { signal } = new AbortController();
    const slept = clock.sleep(10, signal);
    await clock.advance(10);
    await slept;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it.each(TRANSPORTS)(
    'lets a request in flight settle before it wakes the next sleeper: %s',
    async (...transport) => {
      const { clock, mock, hub } = await connected(transport);
      const { orderId } = mock.createOrder();
      const log: string[] = [];
      const note = (what: string) => log.push(`${what} at ${clock.monotonic()}`);
      void clock.sleep(1000).then(() => hub.orders.get(orderId).then(() => note('order')));
      void clock.sleep(1001).then(() => note('next'));
      await clock.advance('2s');
      expect(log).toEqual(['order at 1000', 'next at 1001']);
    },
  );

  it.each(TRANSPORTS)('wakes sleepers while the hub delays a response: %s', async (...transport) => {
    const { clock, mock, hub } = await connected(transport, { latencyMs: 200 });
    const { orderId } = mock.createOrder();
    const log: string[] = [];
    const note = (what: string) => log.push(`${what} at ${clock.monotonic()}`);
    void hub.orders.get(orderId).then(() => note('token and order'));
    void clock.sleep(150).then(() => note('another'));
    await clock.advance('1s');
    expect(log).toEqual(['another at 150', 'token and order at 400']);
  });

  it.each(TRANSPORTS)('does not hang on the fault hang: %s', async (...transport) => {
    const { clock, mock, hub } = await connected(transport);
    const { orderId } = mock.createOrder();
    await hub.auth.getToken();
    mock.faults.next('order', 'hang');
    const order = hub.orders.get(orderId);
    const seen = watched(order);
    await clock.advance('29s');
    expect(seen.done).toBe(false);
    await clock.advance('1m');
    expect(seen.done).toBe(true);
    expect((await order).order.id).toBe(orderId);
    expect(clock.sleepers).toBe(0);
  });

  it('waits for a fetch that never settles once, however many sleepers wake meanwhile', {
    tags: 'slow',
  }, async () => {
    const clock = new ManualClock();
    const { hub } = clientOf(createMockHub({ clock }), { clock, fetch: () => new Promise(() => {}) });
    const got = hub.merchant.get({ retry: { attempts: 1 } }).catch((error: Error) => error.name);
    for (let seconds = 1; seconds <= 20; seconds += 1) void clock.sleep(seconds * 1000);
    const startedAt = performance.now();
    await clock.advance('31s');
    expect(await got).toBe('TimeoutError');
    expect(performance.now() - startedAt).toBeLessThan(4900);
  });

  it.each(['ends', 'sleeps on the clock'])(
    'waits for other work after what hung %s',
    { tags: 'slow' },
    async (what) => {
      const clock = new ManualClock();
      const release = clock.hold();
      await clock.advance('1s'); // gives it up
      const seen = watched(
        (async () => {
          const done = clock.hold();
          if (what === 'ends') release();
          else clock.park();
          for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
          await clock.sleep(1000).finally(done);
        })(),
      );
      await clock.advance('500ms');
      await clock.advance('1s');
      expect([seen.done, clock.sleepers]).toEqual([true, 0]);
    },
  );

  it('works while a test runner has faked the timers', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    const clock = new ManualClock();
    const sleep = watched(clock.sleep(1000));
    await clock.advance('1s');
    expect(sleep.done).toBe(true);
  });

  it('works if the timers were faked or removed before it was loaded', async () => {
    vi.resetModules();
    vi.stubGlobal('setImmediate', undefined);
    vi.stubGlobal('performance', { now: () => 0 });
    const loaded = await import('opendelivery-client/testing');
    const clock = new loaded.ManualClock();
    const sleep = watched(clock.sleep(1000));
    await clock.advance('1s');
    expect(sleep.done).toBe(true);
  });

  it('runs whole hours of one store, at two polls per minute', async () => {
    const { clock, mock, hub } = await connected(TRANSPORTS[0] as (typeof TRANSPORTS)[number], {
      unansweredAfterMs: Number.POSITIVE_INFINITY,
    });
    const hours = runs(24);
    const handled: string[] = [];
    const poller = hub.poller().on('event', ({ eventId }) => void handled.push(eventId));
    await poller.start();
    for (let hour = 0; hour < hours; hour += 1) {
      mock.createOrder();
      await clock.advance('1h');
    }
    await poller.stop();
    const polls = mock.requests.filter(({ endpoint }) => endpoint === 'polling').length;
    expect(polls).toBeGreaterThanOrEqual(hours * 120 - 2);
    expect(polls).toBeLessThanOrEqual(hours * 120 + 1);
    expect(handled).toEqual(mock.emitted().map(({ eventId }) => eventId));
    expect(mock.pending()).toEqual([]);
    expect(mock.violations()).toEqual([]);
    expect(clock.sleepers).toBe(0);
  });
});
