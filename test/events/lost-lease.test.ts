import { isHubError, LeaseLostError, memoryState, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { clientOf, gate, requestsTo, stage } from '../support.js';
import { afterAdvance, cuttable, pendingListener, processes, stageWithState, withCalls } from './support.js';

/** A poller with two new orders, whose listener for the first one waits. */
async function pollerWithTwoOrders() {
  const shared = memoryState();
  const { link, state } = cuttable(shared);
  const { clock, mock, hubs } = processes(1, state);
  const signals: AbortSignal[] = [];
  const fences: number[] = [];
  const seen: string[] = [];
  const errors: unknown[] = [];
  const held = gate();
  const poller = hubs[0].poller({ listenerTimeoutMs: 600_000, concurrency: 1 });
  poller.on('CREATED', async ({ eventId }, { signal, fence }) => {
    seen.push(eventId);
    signals.push(signal);
    fences.push(fence);
    await held.promise;
  });
  poller.on('error', (error) => void errors.push(error));
  const standby: number[] = [];
  poller.on('standby', ({ retryAfterMs }) => void standby.push(retryAfterMs));
  const first = mock.createOrder();
  mock.createOrder();
  await poller.start();
  return { shared, link, clock, mock, poller, signals, fences, seen, errors, held, first, standby };
}

describe('a poller that loses its lease', () => {
  it('because the state is unreachable aborts its listeners and dispatches nothing more', async () => {
    const { link, clock, mock, poller, signals, seen, errors, held, shared } = await pollerWithTwoOrders();
    link.cut = true;
    await clock.advance('44s');
    expect(signals[0]?.aborted).toBe(false);
    await clock.advance('1s');
    expect(signals[0]?.reason).toBeInstanceOf(LeaseLostError);
    expect(errors.filter((error) => error instanceof LeaseLostError)).toHaveLength(1);
    const next = clientOf(mock, { clock, state: shared }).hub.poller();
    const handled: string[] = [];
    next.on('CREATED', ({ eventId }) => void handled.push(eventId));
    await next.start();
    await clock.advance('1m');
    expect(handled).toHaveLength(2);
    held.open();
    await clock.advance('5m');
    expect(seen).toHaveLength(1);
    link.cut = false;
    await next.stop();
    await poller.stop();
    // A call of the state may have begun before the state was back; it ends at its time limit.
    await clock.advance('5s');
    expect(clock.sleepers).toBe(0);
  });

  it('to another one goes to standby, acknowledges handled events, and takes over again', async () => {
    const { shared, link, clock, mock, poller, signals, fences, held, errors, standby } =
      await pollerWithTwoOrders();
    const other = { holder: 'another', leaseMs: 60_000 };
    // As if the state had lost its last writes.
    await shared.release(link.key, link.holder, clock);
    const stolen = await shared.lease(link.key, other, clock);
    expect(stolen.granted).toBe(true);
    await clock.advance('16s');
    expect(isHubError(signals[0]?.reason) && signals[0].reason.code).toBe('lease_lost');
    held.open();
    await clock.advance('2s');
    expect(mock.acknowledged()).toHaveLength(1);
    expect(poller.health().status).toBe('standby');
    expect(standby).toHaveLength(1);
    expect(errors).toHaveLength(1);
    await clock.advance('2m');
    expect(poller.health().status).toBe('running');
    expect(mock.pending()).toEqual([]);
    const [before = 0, after = 0] = [fences[0], fences.at(-1)];
    const between = stolen.granted ? stolen.fence : 0;
    expect([between > before, after > between]).toEqual([true, true]);
    await poller.stop();
    expect(clock.sleepers).toBe(0);
  });

  it('because its machine slept past it dispatches nothing more before it has acquired the lease again', async () => {
    const { clock, mock, hubs } = processes(1);
    const poller = hubs[0].poller({ concurrency: 1 });
    const { listener, orders, open } = pendingListener();
    poller.on('CREATED', listener);
    poller.on('error', () => {});
    mock.createOrder();
    mock.createOrder();
    await poller.start();
    expect(orders).toHaveLength(1);
    // Wall time passes, monotonic time does not.
    clock.step(50_000);
    open();
    await clock.advance(0);
    expect(orders).toHaveLength(1);
    await clock.advance('2m');
    expect(orders).toHaveLength(2);
    expect(new Set(orders).size).toBe(2);
    expect(mock.pending()).toEqual([]);
    await poller.stop();
  });

  it('and is granted a new one while a poll waits for its slot dispatches the events of that poll', async () => {
    const shared = memoryState();
    const { link, state } = cuttable(shared);
    const { clock, mock, hubs } = processes(1, state);
    const poller = hubs[0].poller();
    const handledAt: number[] = [];
    poller.on('CREATED', () => void handledAt.push(clock.monotonic()));
    poller.on('error', () => {});
    await poller.start();
    // The application takes the slot of the next poll.
    await hubs[0].events.poll();
    mock.createOrder();
    await clock.advance('35s');
    await shared.release(link.key, link.holder, clock);
    await clock.advance('30s');
    const sentAt = requestsTo(mock, 'polling').at(-1)?.monotonicAt;
    expect(handledAt).toEqual([sentAt]);
    await poller.stop();
  });

  it('while its monotonic clock stood still notices that at the next renewal', async () => {
    const theirClock = new ManualClock();
    const { clock, mock, hub, state } = stageWithState();
    const reasons: unknown[] = [];
    const errors: string[] = [];
    const poller = hub.poller();
    poller.on('CREATED', (_event, { signal }) => {
      signal.addEventListener('abort', () => reasons.push((signal.reason as Error).name));
      return new Promise(() => {});
    });
    poller.on('error', ({ name }) => errors.push(name));
    mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    clock.step(120_000);
    await theirClock.advance('125s');
    const { hub: other } = clientOf(mock, { clock: theirClock, state });
    const theirs = other.poller();
    theirs.on('CREATED', () => new Promise(() => {}));
    void theirs.start();
    await theirClock.advance('1s');
    // Its timers continue where they stopped.
    await clock.advance('60s');
    expect(reasons).toEqual(['LeaseLostError']);
    expect(errors).toContain('LeaseLostError');
    expect(poller.health().status).toBe('standby');
    await Promise.all([
      afterAdvance(clock, 1, poller.stop({ timeoutMs: 0 })),
      afterAdvance(theirClock, 1, theirs.stop({ timeoutMs: 0 })),
    ]);
    expect(clock.sleepers).toBe(0);
  });

  it('because the state hangs aborts the listeners before another process can start', async () => {
    const memory = memoryState();
    let hangs = false;
    const hanging = new Proxy(memory, {
      get: (target, name: keyof State) => {
        const call = target[name] as (...given: unknown[]) => unknown;
        return (...given: unknown[]) => (hangs ? new Promise(() => {}) : call.apply(target, given));
      },
    });
    const { clock, mock, hub } = stage({}, { state: hanging });
    let abortedAt = 0;
    const poller = hub.poller({ listenerTimeoutMs: 600_000 });
    poller.on('CREATED', (_event, { signal }) => {
      signal.addEventListener('abort', () => {
        abortedAt = clock.monotonic();
      });
      return new Promise(() => {});
    });
    const errors: unknown[] = [];
    poller.on('error', (error) => errors.push(error));
    mock.createOrder();
    await poller.start();
    hangs = true;
    await clock.advance('2m');
    expect(abortedAt).toBe(45_000);
    expect((errors[0] as LeaseLostError).code).toBe('lease_lost');
    hangs = false;
    await afterAdvance(clock, '10s', poller.stop({ timeoutMs: 0 }));
    expect(clock.sleepers).toBe(0);
  });

  it('still acknowledges the events it has handled', async () => {
    const memory = memoryState();
    let isTaken = false;
    const state = withCalls(memory, {
      lease: (key, request, given) =>
        isTaken ? { granted: false, waitMs: 10_000 } : memory.lease(key, request, given),
    });
    const { clock, mock, hub } = stage({}, { state });
    const held = gate();
    const poller = hub.poller({ listenerTimeoutMs: 600_000, concurrency: 1 });
    const seen: string[] = [];
    poller.on('CREATED', async ({ eventId }) => {
      seen.push(eventId);
      await held.promise;
    });
    poller.on('error', () => {});
    mock.createOrder();
    mock.createOrder();
    await poller.start();
    await clock.advance('1s');
    isTaken = true;
    await clock.advance('30s');
    expect(seen).toHaveLength(1);
    held.open();
    await clock.advance('2s');
    expect(mock.acknowledged().map(({ eventId }) => eventId)).toEqual(seen);
    expect(mock.pending()).toHaveLength(1);
    await clock.advance('1m');
    expect(poller.health().status).toBe('standby');
    await poller.stop();
    expect(clock.sleepers).toBe(0);
  });
});
