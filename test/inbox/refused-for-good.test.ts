import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { afterAdvance, clientOf, requestsTo } from '../support.js';
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

type Confirming = Awaited<ReturnType<typeof confirming>>;

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
  await afterAdvance(clock, '1m', poller.stop({ timeoutMs: 0 }));
});

describe('a token that is refused for a command', () => {
  it.each([
    [
      'after other failures',
      async ({ mock }: Confirming) => {
        mock.faults.next('orderStatus', { status: 503 }, 7);
        mock.faults.next('orderStatus', { status: 401 }, 3);
      },
    ],
    [
      'while nothing is polled',
      async ({ mock, poller }: Confirming) => {
        mock.faults.next('orderStatus', { status: 401 }, 24);
        poller.pause();
      },
    ],
  ])('%s is no refusal of the command', { tags: 'slow' }, async (_, disturb) => {
    const stage = await confirming();
    const { clock, mock, inbox, poller, refused } = stage;
    const { orderId } = mock.createOrder();
    mock.faults.next('orderStatus', 'reset');
    await poller.start();
    await disturb(stage);
    await clock.advance('30m');
    poller.resume();
    await clock.advance('10m');
    const { commands } = await inbox.history({ orderId });
    expect([commands[0]?.status, refused]).toEqual(['sent', []]);
  });

  it('is one also if each look is a runOnce', async () => {
    const { clock, mock, poller, refused } = await confirming();
    mock.faults.next('orderStatus', { status: 401 }, 1000);
    mock.createOrder();
    for (let run = 0; run < 30; run += 1) {
      await afterAdvance(clock, '90s', poller.runOnce());
    }
    expect(refused).toEqual(['confirm', 'readyForPickup']);
  });
});

it.each([
  ['a document that is none', 'malformed'],
  ['408', { status: 408 }],
] as const)(
  'a lost cancellation request is proved when the hub shows its order again: %s',
  async (_, fault) => {
    const { clock, mock, inbox, refused } = await confirming();
    const poller = clientOf(mock, { clock })
      .hub.poller({ inbox })
      .on('error', () => {});
    poller.on('commandRefused', ({ command }) => void refused.push(command));
    poller.on('CREATED', ({ orderId }, { commit }) =>
      commit((_tx, outbox) =>
        outbox.requestCancellation(orderId, { reason: 'no rice', code: 'SYSTEMIC_ISSUES', mode: 'AUTO' }),
      ),
    );
    mock.faults.next('order', fault, 3);
    mock.faults.next('orderStatus', 'reset');
    const { orderId } = mock.createOrder();
    await poller.start();
    await clock.advance('10m');
    const { commands } = await inbox.history({ orderId });
    expect([commands.map(({ status }) => status), refused]).toEqual([['sent'], []]);
  },
);

it('a slow order takes one place, however many of its events come, also with ordering: none', async () => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const { inbox } = await memoryInbox();
  const began: string[] = [];
  const poller = clientOf(mock, { clock }).hub.poller({
    inbox,
    ordering: 'none',
    concurrency: 2,
    listenerTimeoutMs: 600_000,
  });
  poller.on('event', async ({ orderId, eventType }) => {
    began.push(`${orderId} ${eventType}`);
    if (orderId === 'a' && eventType === 'CREATED') await clock.sleep(200_000);
  });
  mock.createOrder({ orderId: 'a' });
  await poller.start();
  for (const type of ['CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP']) {
    mock.emit(type, { orderId: 'a' });
    await clock.advance('30s');
  }
  mock.createOrder({ orderId: 'b' });
  await clock.advance('35s');
  expect(began).toEqual(['a CREATED', 'b CREATED']);
  await clock.advance('2m');
  expect(began.slice(2)).toEqual(['a CONFIRMED', 'a PREPARING', 'a READY_FOR_PICKUP']);
});
