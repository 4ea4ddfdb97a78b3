import { type Clock, TimeoutError } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { afterAdvance, clientOf, stage } from './support.js';

describe('a client over a clock without timers', () => {
  const over = (time: ManualClock) => {
    const clock: Clock = {
      now: () => time.now(),
      monotonic: () => time.monotonic(),
      sleep: (ms, signal) => time.sleep(ms, signal),
      hold: () => time.hold(),
    };
    const mock = createMockHub({ clock: time });
    return { mock, ...clientOf(mock, { fetch: mock.fetch, clock }) };
  };

  it('polls at its interval, and leaves no sleeper after `stop`', async () => {
    const time = new ManualClock();
    const { mock, hub } = over(time);
    const handled: string[] = [];
    const polledAt: number[] = [];
    const poller = hub
      .poller()
      .on('event', ({ eventId }) => void handled.push(eventId))
      .on('polled', () => void polledAt.push(time.monotonic()));
    await afterAdvance(time, '30s', poller.start());
    const { eventId } = mock.emit('CREATED');
    await time.advance('1m');
    expect(polledAt).toEqual([0, 30_000, 60_000, 90_000]);
    expect(handled).toEqual([eventId]);
    expect(await afterAdvance(time, 0, poller.stop())).toMatchObject({ timedOut: false, unacknowledged: [] });
    expect(time.sleepers).toBe(0);
  });

  it('waits no longer than `listenerTimeoutMs` for a listener', async () => {
    const time = new ManualClock();
    const { mock, hub } = over(time);
    const errors: unknown[] = [];
    const poller = hub
      .poller({ listenerTimeoutMs: 5000 })
      .on('event', () => new Promise(() => {}))
      .on('error', (error) => void errors.push(error));
    mock.emit('CREATED');
    const ran = poller.runOnce();
    await time.advance(4999);
    expect(errors).toEqual([]);
    await time.advance(1);
    expect((await ran).skipped).toBeUndefined();
    expect(errors).toEqual([expect.any(TimeoutError)]);
  });
});

describe("a client under a test runner's fake timers", () => {
  const onFakeTimers = () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const mock = createMockHub();
    const { hub } = clientOf(mock, { fetch: mock.fetch });
    let polls = 0;
    const poller = hub
      .poller()
      .on('event', () => {})
      .on('polled', () => void (polls += 1));
    return { hub, poller, polls: () => polls };
  };

  /** Lets what needs no time go on, then the time pass. */
  const advance = async (ms: number) => {
    for (let step = 0; step < 10; step += 1) {
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      await vi.advanceTimersByTimeAsync(ms / 10);
    }
  };

  it('polls when they advance, and leaves none of them after `close`', async () => {
    const { hub, poller, polls } = onFakeTimers();
    const started = poller.start();
    await advance(1000);
    await started;
    expect(polls()).toBe(1);
    await advance(60_000);
    expect(polls()).toBe(3);
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    await hub.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not wait for timers of an earlier test, which were removed before they were due', async () => {
    const earlier = onFakeTimers();
    void earlier.poller.start();
    await advance(1000);
    vi.useRealTimers();
    const { hub, poller, polls } = onFakeTimers();
    void poller.start();
    await advance(61_000);
    expect(polls()).toBe(3);
    await hub.close();
    await earlier.hub.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('leaves no timer after `stop`, whatever a poller was waiting for', async () => {
  const { clock, hub, mock } = stage();
  const poller = hub.poller({ listenerTimeoutMs: 3_600_000 }).on('event', () => new Promise(() => {}));
  await afterAdvance(clock, '1s', poller.start());
  mock.emit('CREATED');
  await clock.advance('30s');
  expect(clock.sleepers).toBeGreaterThan(1);
  expect((await afterAdvance(clock, '1s', poller.stop({ timeoutMs: 1000 }))).timedOut).toBe(true);
  expect(clock.sleepers).toBe(0);
});
