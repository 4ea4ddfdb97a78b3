import { type EventPoller, memoryState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { afterAdvance, clientOf, stage, watched } from '../support.js';
import { cuttable } from './support.js';

const started = (clock: ManualClock, poller: EventPoller) => afterAdvance(clock, '31s', poller.start());

const forever = () => new Promise<never>(() => {});

describe('a poller that is started again', () => {
  it('acknowledges what it handles, also while a listener that the stop has left behind hangs', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    const errors: unknown[] = [];
    poller.on('error', (error) => void errors.push(error));
    const hanging = mock.createOrder();
    poller.on('event', ({ orderId }) => (orderId === hanging.orderId ? forever() : undefined));
    await started(clock, poller);
    expect(await afterAdvance(clock, '2s', poller.stop({ timeoutMs: 1000 }))).toMatchObject({
      timedOut: true,
    });
    const { orderId } = mock.createOrder();
    await started(clock, poller);
    await clock.advance('2m');
    expect(mock.acknowledged().map((event) => event.orderId)).toEqual([orderId]);
    expect(errors).toEqual([]);
    await afterAdvance(clock, '1s', poller.stop({ timeoutMs: 0 }));
  });

  it('in a listener of stopped, is started after the first good poll, and ends with its signal', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    poller.on('error', () => {});
    const controller = new AbortController();
    let again = { done: false };
    poller.once('stopped', () => {
      mock.faults.next('polling', 500, 10);
      again = watched(poller.start({ signal: controller.signal }));
    });
    await started(clock, poller);
    await Promise.all([poller.stop(), clock.advance('1m')]);
    expect(again.done).toBe(false);
    mock.faults.clear();
    await clock.advance('30m');
    expect(again.done).toBe(true);
    controller.abort(new Error('the end of the night'));
    await clock.advance('1m');
    expect(poller.health().status).toBe('idle');
  });

  it('handles the order whose synchronous listener has stopped it', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller();
    const types: string[] = [];
    poller.on('event', ({ eventType }) => {
      types.push(eventType);
      if (types.length === 1) void poller.stop();
    });
    const { orderId } = mock.createOrder();
    await started(clock, poller);
    await clock.advance('1m');
    mock.emit('CANCELLED', { orderId });
    await started(clock, poller);
    await clock.advance('1m');
    expect(types).toEqual(['CREATED', 'CANCELLED']);
    expect(mock.pending()).toEqual([]);
  });
});

describe('a process that ends although a listener hangs', () => {
  it('blocks its store no longer than a lease, and as long as it lives up to ten minutes', async () => {
    for (const [ends, afterMs] of [
      [true, 60_000],
      [false, 600_000],
    ] as const) {
      const clock = new ManualClock();
      const shared = memoryState();
      const { state, link } = cuttable(shared);
      const { mock, hub } = stage({ clock }, { clock, state });
      mock.createOrder();
      const poller = hub.poller().on('event', forever);
      await started(clock, poller);
      await afterAdvance(clock, '2s', poller.stop({ timeoutMs: 1000 }));
      link.cut = ends;
      const polledAt: number[] = [];
      const other = clientOf(mock, { clock, state: shared })
        .hub.poller()
        .on('event', () => {})
        .on('polled', () => void polledAt.push(clock.monotonic()));
      const beganAt = clock.monotonic();
      void other.start();
      await clock.advance('15m');
      expect((polledAt[0] as number) - beganAt).toBeLessThanOrEqual(afterMs);
      if (!ends) expect((polledAt[0] as number) - beganAt).toBeGreaterThan(540_000);
    }
  });
});
