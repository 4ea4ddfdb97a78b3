import { ClosedError, memoryState } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { mortalClient } from '../state/methods.js';
import { clientOf, densest, requestsTo, stage } from '../support.js';

describe('what a second look found', () => {
  it('an event that timed out before a restart is not unhandled after it', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const first = clientOf(mock, { clock, state }).hub;
    const before = first.poller({ listenerTimeoutMs: 5000 });
    before.on('error', () => {});
    before.on('CREATED', () => new Promise(() => {}));
    mock.createOrder();
    await before.start();
    await clock.advance('10s');
    const stopped = before.stop({ timeoutMs: 0 });
    await clock.advance(1);
    await stopped;
    await first.close();

    const second = clientOf(mock, { clock, state }).hub;
    const after = second.poller();
    after.on('CONFIRMED', () => {});
    after.on('error', () => {});
    const started = after.start();
    await clock.advance('5m');
    await started;
    expect(mock.pending()).toHaveLength(1);
    const attempts: boolean[] = [];
    after.on('CREATED', (_event, { redelivered }) => void attempts.push(redelivered));
    await clock.advance('31s');
    expect(attempts).toEqual([true]);
    expect(mock.pending()).toEqual([]);
    await after.stop();
  });

  it('an event whose process was killed while its listener ran is not unhandled for the next one', async () => {
    const { clock, mock } = stage();
    const state = memoryState();
    const { hub: killed, kill } = mortalClient(mock, state, { clock });
    mock.createOrder();
    mock.emit('CONFIRMED');
    const dying = killed.poller({ listenerTimeoutMs: 86_400_000 });
    await dying.on('CREATED', () => new Promise(() => {})).start();
    dying.pause();
    kill();
    expect(mock.acknowledged()).toEqual([]);

    const { hub } = clientOf(mock, { clock, state });
    const next = hub.poller();
    const errors: string[] = [];
    next.on('DISPATCHED', () => {}).on('error', ({ message }) => void errors.push(message));
    const begun = next.start();
    await clock.advance('2m');
    await begun;
    expect(new Set(mock.acknowledged().map(({ eventType }) => eventType))).toEqual(new Set(['CONFIRMED']));
    expect(errors).toContain('no listener is left for CREATED; the event stays at the hub');
    next.on('CREATED', () => {});
    await clock.advance('31s');
    expect(mock.pending()).toEqual([]);
    await next.stop();
  });

  it('an event that only waited for a once listener is unhandled when that one is gone', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    const handled: string[] = [];
    poller.once('CREATED', async ({ orderId }) => {
      await clock.sleep(1000);
      handled.push(orderId);
    });
    poller.on('CONFIRMED', () => {});
    mock.createOrder();
    mock.createOrder();
    await poller.start();
    await clock.advance('31s');
    expect(handled).toHaveLength(1);
    expect(mock.pending()).toEqual([]);
    await poller.stop();
  });

  it('an event is handed out although that could not be noted, and it is noted when it fails', async () => {
    const state = memoryState();
    const remember = state.remember.bind(state);
    let isFull = true;
    state.remember = (key, ...rest) => {
      if (isFull && key.endsWith(':attempted')) throw new Error('the disk is full');
      return remember(key, ...rest);
    };
    const { clock, mock, hub } = stage({}, { state });
    const poller = hub.poller();
    poller.on('error', () => {});
    poller.on('CREATED', () => {
      isFull = false;
      throw new Error('out of paper');
    });
    mock.createOrder();
    await poller.start();
    await poller.stop();
    await hub.close();
    const next = clientOf(mock, { clock, state }).hub.poller();
    next.on('CONFIRMED', () => {}).on('error', () => {});
    const started = next.start();
    await clock.advance('2m');
    await started;
    expect(mock.pending()).toHaveLength(1);
    await next.stop();
  });

  it('a slot is not held, and used twice, while a token is long in coming', async () => {
    const { clock, mock, hub } = stage({ tokenLifetimeMs: 90_000 });
    await Promise.all([hub.events.poll(), hub.events.poll()]);
    const waiting = [hub.events.poll(), hub.events.poll()];
    mock.faults.next('token', { status: 429, headers: { 'retry-after': '120' } });
    await clock.advance('59s');
    const others = [hub.events.poll(), hub.events.poll()];
    await clock.advance('15m');
    await Promise.all([...waiting, ...others]);
    expect(densest(requestsTo(mock, 'polling'), 60_000)).toBe(2);
    expect(mock.violations()).toEqual([]);
  });

  it('a state that fails neither doubles a quota nor forgets a 429', async () => {
    const state = memoryState();
    const honest = { reserve: state.reserve.bind(state), shut: state.shut.bind(state) };
    let down = false;
    state.reserve = (...parameters) => {
      if (down) throw new Error('away');
      return honest.reserve(...parameters);
    };
    state.shut = () => {
      throw new Error('away');
    };
    const { clock, mock, hub } = stage({}, { state });
    const ask = () => void hub.orders.get('x').catch(() => {});
    for (let count = 0; count < 60; count += 1) ask();
    await clock.advance('1s');
    down = true;
    for (let count = 0; count < 60; count += 1) ask();
    await clock.advance('3m');
    expect(densest(requestsTo(mock, 'order'), 60_000)).toBeLessThanOrEqual(100);
    mock.faults.next('order', { status: 429, headers: { 'retry-after': '60' } });
    ask();
    await clock.advance('5s');
    ask();
    await clock.advance('5m');
    expect(mock.violations()).toEqual([]);
  });

  it('one bad batch does not keep the next from being taken apart', async () => {
    const { mock, hub } = stage();
    const emit = (count: number) => Array.from({ length: count }, () => mock.emit('CREATED'));
    const first = emit(20);
    for (const { eventId } of first.slice(0, 5)) mock.refuseAcknowledgment(eventId);
    expect((await hub.events.acknowledge(first)).acknowledged).toHaveLength(15);
    const second = emit(20);
    mock.refuseAcknowledgment(second[7]?.eventId as string);
    expect((await hub.events.acknowledge(second)).acknowledged).toHaveLength(19);
  });

  it('a command that close cut off may have been carried out, and says so', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 1000 });
    const { orderId } = mock.createOrder();
    const token = hub.auth.getToken();
    await clock.advance('2s');
    await token;
    const sent = hub.orders.confirm(orderId).catch((error: unknown) => error);
    await clock.advance(100);
    await hub.close();
    const failure = await sent;
    expect(failure).toBeInstanceOf(ClosedError);
    expect(failure).toMatchObject({ outcome: 'unknown' });
    expect(mock.emitted().map(({ eventType }) => eventType)).toContain('CONFIRMED');
  });

  it('stop does not wait for acknowledgments of the application', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    await poller.start();
    mock.faults.next('acknowledgment', 'hang', 8);
    const own = Array.from({ length: 4 }, () =>
      hub.events.acknowledge([mock.emit('DISPATCHED')]).catch(() => {}),
    );
    mock.createOrder();
    await clock.advance('30s');
    const stopped = poller.stop({ timeoutMs: 5000 });
    await clock.advance('6s');
    expect((await stopped).timedOut).toBe(true);
    await clock.advance('10m');
    await Promise.all(own);
  });

  it('a poll that waited for its slot is not followed by another before the interval is over', async () => {
    const { clock, mock, hub } = stage();
    await hub.events.poll();
    await clock.advance('10s');
    await hub.events.poll();
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    const started = poller.start();
    await clock.advance('10m');
    await started;
    await poller.stop();
    const times = requestsTo(mock, 'polling').map(({ monotonicAt }) => monotonicAt);
    const gaps = times.slice(3).map((time, index) => time - (times[index + 2] as number));
    expect(Math.min(...gaps)).toBe(30_000);
  });

  it('a paused poller that was stopped starts again', async () => {
    const { clock, hub } = stage();
    const poller = hub.poller();
    poller.on('CREATED', () => {});
    await poller.start();
    poller.pause();
    await poller.stop();
    const started = poller.start();
    await clock.advance('1m');
    await started;
    expect(poller.health().status).toBe('running');
    await poller.stop();
  });

  it('a listener that resolved in time is not timed out by a slow state', async () => {
    const state = memoryState();
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const remember = state.remember.bind(state);
    state.remember = async (...parameters) => {
      await clock.sleep(3000);
      return remember(...parameters);
    };
    const { hub } = clientOf(mock, { clock, state });
    const told: string[] = [];
    const poller = hub.poller({ listenerTimeoutMs: 1000 });
    poller.on('error', (error) => void told.push(error.name));
    poller.on('CREATED', async () => {
      await clock.sleep(10);
    });
    mock.createOrder();
    const started = poller.start();
    await clock.advance('3m');
    await started;
    expect(told).toEqual([]);
    expect(mock.pending()).toEqual([]);
    await poller.stop();
  });
});
