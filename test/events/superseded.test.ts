import { expect, it } from 'vitest';
import { requestsTo, stage } from '../support.js';

it('an acknowledgment is not tried again if a poll has brought another event with its id meanwhile', async () => {
  const { clock, mock, hub } = stage();
  const poller = hub.poller({ listenerTimeoutMs: 10_000 }).on('error', () => {});
  const began: unknown[] = [];
  let isBroken = true;
  poller.on('CREATED', async ({ createdAt }) => {
    began.push(createdAt);
    // After its turn, and a moment before the next poll.
    if (began.length === 1) await clock.sleep(28_500);
    else if (isBroken) throw new Error('no paper');
  });
  const { orderId, event } = mock.createOrder();
  await poller.start();
  mock.faults.next('acknowledgment', { type: 'status', status: 429, headers: { 'retry-after': '7' } });
  await clock.advance('29s');
  // The hub uses the id again, for the same order and type.
  const createdAt = '2026-01-05T12:34:56Z';
  mock.emit('CREATED', { orderId, eventId: event.eventId, createdAt });
  await clock.advance('20s');
  expect(began).toEqual([event.createdAt, createdAt]);
  expect(requestsTo(mock, 'acknowledgment').map(({ status }) => status)).toEqual([429]);
  // What was not sent uses up no request.
  expect((await hub.rateLimits()).acknowledgment).toMatchObject({ remaining: 99 });
  expect(mock.pending()).toHaveLength(2);
  isBroken = false;
  await clock.advance('2m');
  expect(began).toEqual([event.createdAt, createdAt, createdAt]);
  expect(mock.pending()).toEqual([]);
  await hub.close();
});
