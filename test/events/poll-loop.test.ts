import { memoryState } from 'opendelivery-client';
import { createMockHub, type FaultLike, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { fixRandom, gaps } from '../http/support.js';
import { afterAdvance, clientOf, gate, requestsTo, stage } from '../support.js';
import { withCalls } from './support.js';

it('a poller that is started again while its last cycle still waits for the state polls as usual', async () => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const state = withCalls(memoryState(), {
    attempts: async (next) => {
      await clock.sleep(3000).finally(clock.park());
      return next();
    },
  });
  const { hub } = clientOf(mock, { clock, state, fetch: mock.fetch });
  const poller = hub.poller().on('error', () => {});
  // The next poll is due when it ends.
  poller.on('CREATED', () => clock.sleep(40_000));
  poller.on('CONFIRMED', () => {
    throw new Error('away');
  });
  poller.on('DISPATCHED', () => {});
  mock.createOrder();
  // The attempt of DISPATCHED is counted and not made, because CONFIRMED fails: it is taken back at the end.
  mock.emit('CONFIRMED', { orderId: 'other' });
  mock.emit('DISPATCHED', { orderId: 'other' });
  mock.faults.next('acknowledgment', { type: 'latency', ms: 10_000 });
  await poller.start();
  await clock.advance('41s');
  const done = poller.stop().then(() => poller.start());
  await clock.advance('31s');
  await done;
  expect(requestsTo(mock, 'polling')).toHaveLength(2);
  await afterAdvance(clock, '10s', poller.stop());
});

describe('the next poll', () => {
  it('waits until every event of the last poll has settled or timed out and its acknowledgment was tried', async () => {
    const { clock, mock, hub } = stage({ latencyMs: 200 });
    const polls = () => mock.requests.filter(({ endpoint }) => endpoint === 'polling').length;
    const poller = hub.poller({ listenerTimeoutMs: 300_000 });
    const pending = gate();
    poller.on('CREATED', () => pending.promise);
    mock.createOrder();
    await afterAdvance(clock, '2m', poller.start());
    expect(polls()).toBe(1);
    mock.faults.next('acknowledgment', { type: 'latency', ms: 25_000 });
    pending.open();
    await clock.advance('20s');
    expect(polls()).toBe(1);
    await clock.advance('10s');
    expect(polls()).toBe(2);
  });

  it('comes one interval after the last one, also if that one waited for its slot', async () => {
    const { clock, mock, hub } = stage();
    await hub.events.poll();
    await clock.advance('10s');
    await hub.events.poll();
    const poller = hub.poller().on('CREATED', () => {});
    await afterAdvance(clock, '10m', poller.start());
    await poller.stop();
    const times = requestsTo(mock, 'polling').map(({ monotonicAt }) => monotonicAt);
    const gaps = times.slice(3).map((time, index) => time - (times[index + 2] as number));
    expect(Math.min(...gaps)).toBe(30_000);
  });

  it.each<[what: string, fault: FaultLike, waitsS: readonly number[]]>([
    ['a failed request: up to five minutes', 503, [30, 60, 120, 240, 300, 300]],
    ['refused credentials: up to half an hour', 403, [300, 600, 1200, 1800, 1800]],
    ['a 429: as long as the hub asks', { status: 429, headers: { 'retry-after': '3600' } }, [3600.25]],
    [
      'a 429 with less than the interval: the interval',
      { status: 429, headers: { 'retry-after': '10' } },
      [30],
    ],
  ])('comes later after %s', async (_what, fault, waitsS) => {
    fixRandom(0.999_999);
    const { clock, mock, hub } = stage({}, { retry: { attempts: 1 } });
    const poller = hub.poller().on('CREATED', () => {});
    poller.on('error', () => {});
    await poller.start();
    mock.faults.next('polling', fault, waitsS.length);
    await clock.advance(waitsS.reduce((sum, seconds) => sum + seconds, 31) * 1000);
    const times = requestsTo(mock, 'polling').map(({ monotonicAt }) => monotonicAt);
    // After the first one, which was good.
    expect(gaps(times.slice(1, waitsS.length + 2))).toEqual(waitsS.map((seconds) => seconds * 1000));
  });
});

describe('health', () => {
  it('has the instant of the next poll only if one is due', async () => {
    const state = memoryState();
    const { clock, mock, hub } = stage({}, { state });
    const poller = hub.poller();
    await poller.on('CREATED', () => {}).start();
    const theirs = clientOf(mock, { clock, state }).hub.poller();
    theirs
      .on('CREATED', () => {})
      .start()
      .catch(() => {});
    await clock.advance('7s');
    expect(poller.health().nextPollAt).toBe(clock.now() + 23_000);
    expect(theirs.health()).toMatchObject({ status: 'standby', nextPollAt: undefined });
    poller.pause();
    expect(poller.health()).toMatchObject({ status: 'paused', nextPollAt: undefined });
    await theirs.stop();
  });

  it('has instants in whole milliseconds', async () => {
    const { clock, hub } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    await poller.start();
    await clock.advance(0.25);
    const { lastPolledAt = 0.5, nextPollAt = 0.5 } = poller.health();
    expect([Number.isInteger(lastPolledAt), Number.isInteger(nextPollAt)]).toEqual([true, true]);
  });
});
