import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { clientOf, requestsTo } from '../support.js';
import { memoryInbox } from './support.js';

const MINUTE_MS = 60_000;

async function confirming() {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, unansweredAfterMs: Number.POSITIVE_INFINITY });
  const { inbox } = await memoryInbox();
  const refused: string[] = [];
  const poller = clientOf(mock, { clock }).hub.poller({ inbox });
  poller.on('error', () => {}).on('commandRefused', ({ command }) => void refused.push(command));
  poller.on('CREATED', ({ orderId }, { commit }) =>
    commit((_tx, outbox) => {
      outbox.confirm(orderId);
      outbox.readyForPickup(orderId);
    }),
  );
  return { clock, mock, inbox, poller, refused };
}

describe('a hub that refuses the token for commands, and accepts it for polls', () => {
  it('has refused them after two minutes, and those behind them follow', async () => {
    const { clock, mock, poller, refused } = await confirming();
    mock.faults.next('orderStatus', { status: 401 }, 10_000);
    mock.createOrder();
    await poller.start();
    await clock.advance('1m');
    expect(refused).toEqual([]);
    await clock.advance('5m');
    expect(refused).toEqual(['confirm', 'readyForPickup']);
  });

  it('delays no poll, although the ten token requests of the hour are used up', {
    tags: 'slow',
  }, async () => {
    const { clock, mock, poller } = await confirming();
    mock.faults.next('orderStatus', { status: 401 }, 10_000);
    await poller.start();
    for (let minutes = 0; minutes < 180; minutes += 5) {
      mock.createOrder();
      await clock.advance('5m');
    }
    const polledAt = requestsTo(mock, 'polling').map(({ monotonicAt }) => monotonicAt);
    const gaps = polledAt.slice(1).map((at, index) => at - (polledAt[index] as number));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(MINUTE_MS);
    expect(requestsTo(mock, 'token').length).toBeGreaterThan(20);
    expect(mock.violations()).toEqual([]);
  });
});

it.each([
  ['403', { status: 403 }],
  ['405', { status: 405 }],
  ['a document that is none', 'malformed'],
] as const)(
  'a lost command is sent again, and those behind it follow, at a hub that shows no order: %s',
  async (_, fault) => {
    const { clock, mock, inbox, poller, refused } = await confirming();
    mock.faults.next('order', fault, 10_000);
    mock.faults.next('orderStatus', 'reset');
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('5m');
    const { commands } = await inbox.history({ orderId });
    expect([commands.map(({ status }) => status), refused]).toEqual([['sent', 'sent'], []]);
  },
);

it('events of an order run one after another in their sequence, also if what fails does not block them', async () => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const { inbox } = await memoryInbox();
  const ran: string[] = [];
  const poller = clientOf(mock, { clock }).hub.poller({ inbox, ordering: 'none', concurrency: 3 });
  poller
    .on('error', () => {})
    .on('event', async ({ eventType, orderId }) => {
      ran.push(`begin ${eventType} ${orderId}`);
      await clock.sleep(40_000);
      ran.push(`end ${eventType} ${orderId}`);
      if (eventType === 'CREATED') throw new Error('no paper');
    });
  mock.createOrder({ orderId: 'a' });
  await poller.start();
  mock.emit('CONFIRMED', { orderId: 'a' });
  await clock.advance('35s');
  mock.emit('DISPATCHED', { orderId: 'a' });
  await clock.advance('100s');
  expect(ran.slice(0, 4)).toEqual([
    'begin CREATED a',
    'end CREATED a',
    'begin CONFIRMED a',
    'end CONFIRMED a',
  ]);
  expect(ran).toContain('begin DISPATCHED a');
  const stopped = poller.stop({ timeoutMs: 0 });
  await clock.advance('1m');
  await stopped;
});
