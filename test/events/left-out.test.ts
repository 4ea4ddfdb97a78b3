import { describe, expect, it } from 'vitest';
import { gate, requestsTo, stage } from '../support.js';

const DAY_MS = 86_400_000;

/** A response to a poll that leaves out what the hub has. */
const NONE = { status: 200, body: [] };

describe('a failed event that a poll has left out', () => {
  it.each([
    ['is remembered for a day', DAY_MS, 1000, 1],
    ['is forgotten after a day', DAY_MS + 1, 1000, 0],
    ['is remembered for rememberMs, if that is longer', 2 * DAY_MS, 2 * DAY_MS, 1],
    ['is forgotten after that', 2 * DAY_MS + 1, 2 * DAY_MS, 0],
  ])('%s', async (_what, laterMs, rememberMs, expected) => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller({ rememberMs }).on('CREATED', () => {
      throw new Error('no paper');
    });
    mock.createOrder();
    await poller.runOnce();
    await clock.advance(laterMs);
    mock.faults.next('polling', NONE);
    await poller.runOnce();
    expect(poller.health().unacknowledged).toBe(expected);
  });
});

it('an event that a poll has left out runs once, also if its listener takes more than a day', async () => {
  const { clock, mock, hub } = stage({ unansweredAfterMs: Number.POSITIVE_INFINITY });
  const pending = gate();
  let calls = 0;
  const poller = hub.poller({ intervalMs: 600_000, ordering: 'none' }).on('error', () => {});
  poller.on('CREATED', () => {
    calls += 1;
    return pending.promise;
  });
  mock.createOrder();
  void poller.start();
  await clock.advance('1m');
  mock.faults.next('polling', NONE, 1000);
  await clock.advance('25h');
  mock.faults.clear();
  await clock.advance('1h');
  expect([calls, poller.health().unacknowledged]).toEqual([1, 1]);
  pending.open();
});

describe('an event that is handled and not acknowledged', () => {
  it('is remembered while the hub sends it', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller().on('CREATED', () => {});
    const { event } = mock.createOrder();
    mock.refuseAcknowledgment(event.eventId);
    await poller.runOnce();
    await clock.advance('31s');
    await poller.runOnce();
    expect(poller.health().unacknowledged).toBe(1);
  });

  it('is remembered if a full poll has left it out', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller({ unhandled: 'leave' }).on('CREATED', () => {});
    const { event } = mock.createOrder();
    mock.refuseAcknowledgment(event.eventId);
    await poller.runOnce();
    mock.faults.next('polling', { status: 200, body: others(event, 1000) });
    await clock.advance('31s');
    await poller.runOnce();
    expect(poller.health().unacknowledged).toBe(1001);
  });

  it('is not acknowledged while another one with its id has failed, which a full poll has left out', async () => {
    const { clock, mock, hub } = stage();
    const poller = hub.poller({ unhandled: 'leave' }).on('CREATED', ({ orderId }) => {
      if (orderId !== 'second') throw new Error('no paper');
    });
    const { event } = mock.createOrder();
    await poller.runOnce();
    const second = { ...event, orderId: 'second' };
    mock.faults.next('polling', { status: 200, body: [second, ...others(event, 999)] });
    await clock.advance('31s');
    expect(await poller.runOnce()).toMatchObject({ handled: 1 });
    expect(requestsTo(mock, 'acknowledgment')).toEqual([]);
  });
});

/** Events that no listener is for. */
const others = (event: object, count: number) =>
  Array.from({ length: count }, (_, at) => ({ ...event, eventId: `other ${at}`, eventType: 'CONFIRMED' }));
