import { ConfigurationError, type PollerOptions } from 'opendelivery-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { afterAdvance, clientOf, requestsTo, stage } from '../support.js';
import { pushOf, seeded } from './push/support.js';
import { stageWithState } from './support.js';

/** A poller whose listener of CREATED fails, and when it was called for each order. */
function failing(options: PollerOptions, all = stage()) {
  const { clock, hub } = all;
  const calls = new Map<string, number[]>();
  const poller = hub.poller(options).on('error', () => {});
  poller.on('CREATED', ({ orderId }) => {
    calls.set(orderId, [...(calls.get(orderId) ?? []), clock.monotonic()]);
    throw new Error('no paper');
  });
  return { ...all, poller, calls };
}

/** How long after one call the next one came. */
const waits = (times: readonly number[] = []) =>
  times.slice(1).map((time, index) => time - (times[index] as number));

describe('retryDelayMs', () => {
  it.each([
    ['its default, an interval of 30 s', {}, 30_000],
    ['its default, an interval of 45 s', { intervalMs: 45_000 }, 45_000],
    ['min 0', { retryDelayMs: { min: 0 } }, 30_000],
    ['min 60 s', { retryDelayMs: { min: 60_000 } }, 60_000],
    ['min 61 s', { retryDelayMs: { min: 61_000 } }, 90_000],
    ['min 200 s, above the default of max', { retryDelayMs: { min: 200_000 } }, 210_000],
    ['max 10 s, below the default of min', { retryDelayMs: { max: 10_000 } }, 30_000],
  ] as const)(
    'of %s: a failed event runs again at the first poll after it',
    async (_what, options, expected) => {
      const { clock, mock, poller, calls } = failing(options);
      const { orderId } = mock.createOrder();
      await poller.start();
      await clock.advance(expected - 1000);
      expect(calls.get(orderId)).toHaveLength(1);
      await clock.advance('2s');
      expect(waits(calls.get(orderId))).toEqual([expected]);
    },
  );

  it('doubles from min to max, with jitter below each bound', { tags: 'slow' }, async () => {
    const random = vi.spyOn(Math, 'random').mockImplementation(seeded(7));
    onTestFinished(() => random.mockRestore());
    const { clock, mock, poller, calls } = failing({ retryDelayMs: { min: 60_000, max: 480_000 } });
    for (let index = 0; index < 100; index += 1) mock.createOrder();
    await poller.start();
    await clock.advance('40m');
    const all = [...calls.values()].map(waits);
    expect(all).toHaveLength(100);
    const bounds = [60_000, 120_000, 240_000, 480_000, 480_000];
    for (const [index, bound] of bounds.entries()) {
      const nth = all.map((each) => each[index] as number);
      // The first poll after it: up to an interval later.
      expect(Math.min(...nth)).toBeGreaterThanOrEqual(Math.max(60_000, bound / 2));
      expect(Math.max(...nth)).toBeLessThan(bound + 30_000);
      if (index > 0) expect(new Set(nth).size).toBeGreaterThan(1);
      // The upper half of the span is used too.
      if (index > 0) expect(Math.max(...nth)).toBeGreaterThan(bound * 0.9);
    }
  });

  it('stays at min if max is the same', async () => {
    const { clock, mock, poller, calls } = failing({ retryDelayMs: { min: 90_000, max: 90_000 } });
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('7m');
    expect(waits(calls.get(orderId))).toEqual([90_000, 90_000, 90_000, 90_000]);
  });

  it.each([
    ['from the poll, if the run was shorter than an interval', 29_999, 60_000],
    ['from the end of the run, if that was longer', 30_000, 90_000],
  ])('counts %s', async (_from, runMs, expected) => {
    const { clock, mock, hub } = stage();
    const calls: number[] = [];
    const poller = hub.poller({ retryDelayMs: { min: 60_000 } }).on('error', () => {});
    poller.on('CREATED', async () => {
      calls.push(clock.monotonic());
      if (calls.length === 1) await clock.sleep(runMs);
      throw new Error('no paper');
    });
    void poller.start();
    await clock.advance('5s');
    mock.createOrder();
    await clock.advance('2m');
    expect(waits(calls)).toEqual([expected]);
  });

  it('does not count the polls that it waits for as attempts, here and in the state', async () => {
    const all = stageWithState();
    const { clock, mock, state } = all;
    const dead: number[] = [];
    const { poller, calls } = failing({ retryDelayMs: { min: 120_000 }, maxAttempts: 2 }, all);
    poller.on('deadLetter', ({ attempts }) => void dead.push(attempts));
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('100s');
    expect([calls.get(orderId)?.length, dead]).toEqual([1, []]);
    await poller.stop();
    const attempts: number[] = [];
    const other = clientOf(mock, { clock, state }).hub.poller();
    other.on('CREATED', (_event, { attempt }) => void attempts.push(attempt));
    await afterAdvance(clock, '61s', other.start());
    expect(attempts).toEqual([2]);
  });

  it('blocks later events of the order while it waits, and other orders not', async () => {
    const { clock, mock, poller, calls } = failing({ retryDelayMs: { min: 120_000 } });
    const seen: string[] = [];
    poller.on('CONFIRMED', ({ orderId }) => void seen.push(orderId));
    const { orderId } = mock.createOrder();
    await poller.start();
    mock.emit('CONFIRMED', { orderId });
    mock.emit('CONFIRMED', { orderId: 'another' });
    await clock.advance('100s');
    expect([calls.get(orderId)?.length, seen]).toEqual([1, ['another']]);
  });

  it('counts for runOnce, too', async () => {
    const { clock, mock, poller, calls } = failing({ retryDelayMs: { min: 60_000 } });
    const { orderId, event } = mock.createOrder();
    expect(await poller.runOnce()).toMatchObject({ unacknowledged: [event.eventId] });
    await clock.advance('31s');
    const waiting = { received: 1, unacknowledged: [event.eventId], failures: [] };
    expect(await poller.runOnce()).toMatchObject(waiting);
    expect(calls.get(orderId)).toHaveLength(1);
    await clock.advance('30s');
    expect(await poller.runOnce()).toMatchObject({ received: 1, unacknowledged: [event.eventId] });
    expect(waits(calls.get(orderId))).toEqual([61_000]);
  });

  it('is over when the poller is started again', async () => {
    const { clock, mock, poller, calls } = failing({ retryDelayMs: { min: 600_000 } });
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('1s');
    await poller.stop();
    await afterAdvance(clock, '30s', poller.start());
    expect(waits(calls.get(orderId))).toEqual([30_000]);
  });

  it('is over when the hub pushes an event of the same order', async () => {
    const { clock, mock, poller, calls } = failing({ retryDelayMs: { min: 600_000 } });
    poller.on('CONFIRMED', () => {});
    const { orderId } = mock.createOrder();
    const other = mock.createOrder();
    await poller.start();
    await clock.advance('10s');
    const { status } = await poller.receive(pushOf(mock.emit('CONFIRMED', { orderId })));
    // The failed event is the earlier one of the order, and fails again.
    expect(status).toBe(503);
    expect(waits(calls.get(orderId))).toEqual([10_000]);
    await clock.advance('1m');
    expect(waits(calls.get(orderId))).toEqual([10_000]);
    expect(calls.get(other.orderId)).toHaveLength(1);
    expect(requestsTo(mock, 'acknowledgment')).toEqual([]);
  });

  it.each([
    ['max is below min', { min: 60_000, max: 59_999 }],
    ['min is negative', { min: -1 }],
    ['max is not a number', { max: '1m' as unknown as number }],
    ['it has an unknown field', { base: 1 } as object],
    ['it is a number', 60_000 as unknown as object],
  ])('is a ConfigurationError if %s', (_what, retryDelayMs) => {
    const { hub } = stage();
    expect(() => hub.poller({ retryDelayMs })).toThrow(ConfigurationError);
    expect(() => hub.poller({ retryDelayMs })).toThrow(/retryDelayMs/);
  });
});
