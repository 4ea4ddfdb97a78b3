import { describe, expect, it } from 'vitest';
import { afterAdvance, gate, requestsTo, stage, watched } from '../support.js';

describe('two pollers of one client', () => {
  it('do not pause, resume or describe each other', async () => {
    const { clock, mock, hub } = stage();
    const running = hub.poller().on('CREATED', () => {});
    const other = hub.poller().on('CREATED', () => {});
    await running.start();
    other.pause();
    await clock.advance('35s');
    expect(requestsTo(mock, 'polling')).toHaveLength(2);
    expect(other.health()).toMatchObject({ status: 'idle', nextPollAt: undefined });
    running.pause();
    other.resume();
    await clock.advance('2m');
    expect(requestsTo(mock, 'polling')).toHaveLength(2);
    expect([running.health().status, other.health().status]).toEqual(['paused', 'idle']);
  });
});

describe('a listener that stops its poller and starts it again', () => {
  it('and goes on meanwhile does not bring a second poll beside the first one', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 5000 }, { timeoutMs: 200_000 });
    const pending = gate();
    const poller = hub.poller({ listenerTimeoutMs: 600_000 });
    const seen: string[] = [];
    poller.on('CREATED', async ({ orderId }) => {
      seen.push(orderId);
      if (seen.length > 1) return;
      await poller.stop();
      void poller.start();
      await pending.promise;
    });
    const first = mock.createOrder();
    void poller.start();
    await clock.advance('11s');
    const second = mock.createOrder();
    // The second poll is sent at 35 s and answered at 95 s; another one would be allowed from 70 s on.
    mock.faults.next('polling', { type: 'latency', ms: 55_000 });
    await clock.advance('26s');
    pending.open();
    await clock.advance('50s');
    expect(requestsTo(mock, 'polling')).toHaveLength(2);
    const stopped = watched(poller.stop({ timeoutMs: 100_000 }));
    await clock.advance('1s');
    expect(stopped.done).toBe(false);
    await clock.advance('30s');
    expect(stopped.done).toBe(true);
    expect(seen).toEqual([first.orderId, second.orderId]);
    expect(mock.pending()).toEqual([]);
  });
});

describe('a second stop, which waits for a run that the first one has left behind,', () => {
  /** The poller, and its second stop. */
  async function stoppedTwice() {
    const all = stage();
    const { clock, mock, hub } = all;
    const pending = gate();
    const poller = hub.poller().on('CREATED', () => pending.promise);
    const event = mock.createOrder();
    await poller.start();
    await clock.advance('1s');
    expect((await afterAdvance(clock, 0, poller.stop({ timeoutMs: 0 }))).timedOut).toBe(true);
    const again = watched(poller.stop({ timeoutMs: 90_000 }));
    return { ...all, poller, pending, again, event };
  }

  it('resolves when that ends, and at the same time as the stop of a poller that was started meanwhile', async () => {
    const { clock, hub, poller, pending, again } = await stoppedTwice();
    void poller.start();
    await clock.advance('35s');
    const stopped = watched(poller.stop());
    await clock.advance('1s');
    expect([again.done, stopped.done]).toEqual([false, false]);
    pending.open();
    await clock.advance('1s');
    expect([again.done, stopped.done]).toEqual([true, true]);
    expect(poller.health().status).toBe('idle');
    expect(await hub.close()).toEqual([]);
  });

  it.each(['the same', 'another'])(
    'neither holds up nor stops %s poller that is started meanwhile',
    async (which) => {
      const { clock, mock, hub, poller, again } = await stoppedTwice();
      const seen: string[] = [];
      const next = which === 'the same' ? poller : hub.poller().on('error', () => {});
      next.on('CONFIRMED', ({ orderId }) => void seen.push(orderId));
      void next.start();
      await clock.advance('2m');
      expect(again.done).toBe(true);
      mock.emit('CONFIRMED', { orderId: 'later' });
      await clock.advance('31s');
      expect(seen).toEqual(['later']);
      expect(next.health().status).toBe('running');
      const stopped = watched(next.stop({ timeoutMs: 1000 }));
      await clock.advance('2s');
      expect([stopped.done, next.health().status]).toEqual([true, 'idle']);
    },
  );
});
