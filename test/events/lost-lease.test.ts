import { isHubError, LeaseLostError, memoryState, type State } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { afterAdvance, clientOf, gate, requestsTo } from '../support.js';
import { cuttable, forgetful, pendingListener, processes, stageWithState } from './support.js';

/** A poller with two new orders, whose listener for the first one waits. */
async function pollerWithTwoOrders(state: State) {
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
  return { clock, mock, poller, signals, fences, seen, errors, held, first, standby };
}

describe('a poller that loses its lease', () => {
  it('because the state is unreachable aborts its listeners and dispatches nothing more', async () => {
    const shared = memoryState();
    const { link, state } = cuttable(shared);
    const { clock, mock, poller, signals, seen, errors, held } = await pollerWithTwoOrders(state);
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
    const { state, forget } = forgetful();
    const { clock, mock, poller, signals, fences, held, errors, standby, first } =
      await pollerWithTwoOrders(state);
    await clock.advance('1s');
    forget();
    const between: number[] = [];
    const other = clientOf(mock, { clock, state }).hub.poller({ unhandled: 'leave' });
    other.on('DISPATCHED', (_event, { fence }) => void between.push(fence));
    mock.emit('DISPATCHED');
    await afterAdvance(clock, '1s', other.start());
    await clock.advance('16s');
    expect(isHubError(signals[0]?.reason) && signals[0].reason.code).toBe('lease_lost');
    held.open();
    await clock.advance('2s');
    expect(mock.acknowledged().map(({ orderId }) => orderId)).toContain(first.orderId);
    expect(mock.pending()).toHaveLength(1);
    expect(poller.health()).toMatchObject({ status: 'standby', unacknowledged: 0, oldestOpenMs: 0 });
    expect([standby.length, errors.length]).toEqual([1, 1]);
    await other.stop();
    await clock.advance('2m');
    expect(poller.health().status).toBe('running');
    expect(mock.pending()).toEqual([]);
    const [before = 0, after = 0] = [fences[0], fences.at(-1)];
    expect(between).toHaveLength(1);
    expect(between[0]).toBeGreaterThan(before);
    expect(after).toBeGreaterThan(between[0] as number);
    await poller.stop();
    expect(clock.sleepers).toBe(0);
  });

  it('because its machine slept past it dispatches nothing more before it has acquired the lease again', async () => {
    const { clock, mock, hubs } = processes(1);
    const poller = hubs[0].poller({ concurrency: 1 }).on('error', () => {});
    const { listener, orders, open } = pendingListener();
    poller.on('CREATED', listener);
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
  });

  it('and is granted a new one while a poll waits for its slot dispatches the events of that poll', async () => {
    const { state, forget } = forgetful();
    const { clock, mock, hubs } = processes(1, state);
    const poller = hubs[0].poller().on('error', () => {});
    const handledAt: number[] = [];
    poller.on('CREATED', () => void handledAt.push(clock.monotonic()));
    await poller.start();
    // The application takes the slot of the next poll.
    await hubs[0].events.poll();
    mock.createOrder();
    await clock.advance('35s');
    forget();
    await clock.advance('30s');
    const sentAt = requestsTo(mock, 'polling').at(-1)?.monotonicAt;
    expect(handledAt).toEqual([sentAt]);
  });

  it('while its monotonic clock stood still notices that at the next renewal', async () => {
    const theirClock = new ManualClock();
    const { clock, mock, hub, state } = stageWithState();
    const reasons: unknown[] = [];
    const errors: string[] = [];
    const poller = hub.poller().on('CREATED', (_event, { signal }) => {
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
    const theirs = other.poller().on('CREATED', () => new Promise(() => {}));
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
});
