import { memoryState } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { afterAdvance, clientOf, gate, requestsTo, stage } from '../support.js';
import { withCalls } from './support.js';

describe('a listener that runs longer than listenerTimeoutMs', () => {
  it('times out and is not called again; its event is handled if it resolves later', async () => {
    const { clock, mock, hub } = stage();
    const pending = gate();
    let calls = 0;
    let aborted = false;
    const poller = hub.poller({ listenerTimeoutMs: 10_000 });
    const errors: Error[] = [];
    poller.on('error', (error) => errors.push(error));
    poller.on('CREATED', async (_event, { signal }) => {
      calls += 1;
      signal.addEventListener('abort', () => void (aborted = true));
      await pending.promise;
    });
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    const other = mock.createOrder();
    await poller.start();
    await clock.advance('5m');
    // Two orders, one run each; polling goes on and the later event of the order waits.
    expect(calls).toBe(2);
    expect(aborted).toBe(true);
    expect(errors.map(({ name }) => name)).toEqual(['TimeoutError', 'TimeoutError']);
    expect(requestsTo(mock, 'polling').length).toBeGreaterThan(8);
    expect(mock.acknowledged()).toEqual([]);
    pending.open();
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
  });

  it('is called again if it rejects later', async () => {
    const { clock, mock, hub } = stage();
    const pending = gate();
    let calls = 0;
    const emitted: string[] = [];
    const poller = hub.poller({ listenerTimeoutMs: 10_000 });
    poller.on('error', (error) => void emitted.push(error.name));
    poller.on('CREATED', async () => {
      calls += 1;
      if (calls === 1) await pending.promise;
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('2m');
    expect(calls).toBe(1);
    expect(emitted).toEqual(['TimeoutError']);
    pending.fail(new Error('too late'));
    await clock.advance('31s');
    expect(calls).toBe(2);
    // An error other than the time-out is emitted too.
    expect(emitted).toEqual(['TimeoutError', 'Error']);
    expect(mock.pending()).toEqual([]);
  });

  it('is not called twice with ordering none either', async () => {
    const { clock, mock, hub } = stage();
    const calls: string[] = [];
    const { orderId } = mock.createOrder();
    mock.emit('CONFIRMED', { orderId });
    const poller = hub.poller({ listenerTimeoutMs: 10_000, ordering: 'none' }).on('error', () => {});
    poller.on('event', ({ eventType }) => {
      calls.push(eventType);
      return eventType === 'CREATED' ? new Promise(() => {}) : undefined;
    });
    await poller.start();
    await clock.advance('5m');
    expect(calls).toEqual(['CREATED', 'CONFIRMED']);
    await afterAdvance(clock, 1, poller.stop({ timeoutMs: 0 }));
    await hub.close({ timeoutMs: 0 });
    expect(clock.sleepers).toBe(0);
  });

  it('blocks only its own order if it never settles', async () => {
    const { clock, mock, hub } = stage();
    const { orderId } = mock.createOrder();
    const poller = hub.poller({ listenerTimeoutMs: 10_000, concurrency: 1 }).on('error', () => {});
    poller.on('event', (event) => (event.orderId === orderId ? new Promise(() => {}) : undefined));
    await poller.start();
    for (let count = 0; count < 10; count += 1) {
      mock.createOrder();
      await clock.advance('31s');
    }
    expect(mock.pending().map((event) => event.orderId)).toEqual([orderId]);
    expect((await afterAdvance(clock, '1s', poller.stop({ timeoutMs: 1000 }))).timedOut).toBe(true);
  });

  it('is reported once, also if all its listeners reject later because their signal was aborted', async () => {
    const { clock, mock, hub } = stage();
    const pending = gate();
    const errors: string[] = [];
    const failed: number[] = [];
    const poller = hub.poller({ listenerTimeoutMs: 10_000 });
    for (let count = 0; count < 2; count += 1) {
      poller.on('CREATED', async (_event, context) => {
        const { signal } = context;
        await pending.promise;
        throw signal.reason;
      });
    }
    poller.on('error', ({ name }) => errors.push(name));
    poller.on('listenerFailed', ({ attempt }) => failed.push(attempt));
    mock.createOrder();
    await poller.start();
    await clock.advance('15s');
    expect([errors, failed]).toEqual([['TimeoutError'], [1]]);
    pending.open();
    await clock.advance('1s');
    expect([errors, failed]).toEqual([['TimeoutError'], [1]]);
    await poller.stop({ timeoutMs: 0 });
  });

  it.each([
    [{}, '1m'],
    [{ listenerTimeoutMs: 10_000 }, '10s'],
  ] as const)(
    'gets an aborted signal, also if it reads the signal only afterwards: with %j after %s',
    async (options, time) => {
      const { clock, mock, hub } = stage();
      const pending = gate();
      const seen: unknown[] = [];
      const errors: string[] = [];
      const poller = hub.poller(options).on('CREATED', async (_event, context) => {
        await pending.promise;
        seen.push([context.signal.aborted, (context.signal.reason as Error).name]);
      });
      poller.on('error', ({ name }) => errors.push(name));
      mock.createOrder();
      await poller.start();
      await clock.advance(time);
      expect(errors).toEqual(['TimeoutError']);
      pending.open();
      await clock.advance('1s');
      expect(seen).toEqual([[true, 'TimeoutError']]);
    },
  );

  it('has not timed out if it resolved in time and only the state is slow', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock });
    const state = withCalls(memoryState(), { handled: (next) => clock.sleep(3000).then(next) });
    const { hub } = clientOf(mock, { clock, state });
    const emitted: string[] = [];
    const poller = hub.poller({ listenerTimeoutMs: 1000 });
    poller.on('error', (error) => void emitted.push(error.name));
    poller.on('CREATED', async () => {
      await clock.sleep(10);
    });
    mock.createOrder();
    await afterAdvance(clock, '3m', poller.start());
    expect(emitted).toEqual([]);
    expect(mock.pending()).toEqual([]);
  });
});

describe('a run that timed out', () => {
  it('belongs to the client: no later poller runs the event before it has settled', async () => {
    const { clock, mock, hub } = stage();
    const pending = gate();
    let running = 0;
    let most = 0;
    let runs = 0;
    const listener = async () => {
      runs += 1;
      running += 1;
      most = Math.max(most, running);
      await pending.promise;
      running -= 1;
    };
    mock.createOrder();
    for (let cycle = 0; cycle < 4; cycle += 1) {
      const poller = hub.poller({ listenerTimeoutMs: 1000 });
      poller.on('CREATED', listener).on('error', () => {});
      expect(await afterAdvance(clock, '31s', poller.runOnce())).toMatchObject({ received: 1, handled: 0 });
    }
    const stopped = hub.poller({ listenerTimeoutMs: 1000 });
    stopped.on('CREATED', listener).on('error', () => {});
    const started = stopped.start();
    await clock.advance('31s');
    await started;
    await stopped.stop({ timeoutMs: 0 });
    expect([runs, most]).toEqual([1, 1]);
    pending.open();
    await clock.advance('2s');
    // Resolved means handled, whichever poller started it.
    const last = hub.poller().on('CREATED', listener);
    await afterAdvance(clock, '61s', last.runOnce());
    expect(runs).toBe(1);
    expect(mock.pending()).toEqual([]);
    expect(clock.sleepers).toBe(0);
  });

  it('and then stops its poller is acknowledged at once when it resolves: no turn is left that flushes', async () => {
    const { clock, mock, hub } = stage();
    const pending = gate();
    const poller = hub.poller({ listenerTimeoutMs: 5000 }).on('error', () => {});
    poller.on('CREATED', async () => {
      await pending.promise;
      await poller.stop();
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('10s');
    pending.open();
    await clock.advance('900ms');
    expect(mock.acknowledged()).toHaveLength(1);
    expect(clock.sleepers).toBe(0);
  });
});

describe('a run that stop has given up', () => {
  it('is acknowledged late if it resolves, and not repeated', async () => {
    const { clock, mock, hub } = stage();
    const pending = gate();
    let calls = 0;
    const poller = hub.poller().on('CREATED', async () => {
      calls += 1;
      await pending.promise;
    });
    mock.createOrder();
    await poller.start();
    await clock.advance('1s');
    expect((await afterAdvance(clock, 1, poller.stop({ timeoutMs: 0 }))).timedOut).toBe(true);
    pending.open();
    await clock.advance('1s');
    await afterAdvance(clock, '61s', poller.start());
    expect(calls).toBe(1);
    expect(mock.pending()).toEqual([]);
  });
});
