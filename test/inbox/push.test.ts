import { memoryState } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { pushOf, statusOf } from '../events/push/support.js';
import { runOnceElsewhere } from '../events/support.js';
import { afterAdvance, gate, stage } from '../support.js';
import { memoryInbox } from './support.js';

/** A poller with an inbox that nobody starts; its listener waits for `work`, then commits and confirms. */
async function idle(work: () => unknown = () => {}, state = memoryState()) {
  const { database, inbox } = await memoryInbox();
  const all = stage({}, { state });
  const committed: string[] = [];
  const poller = all.hub.poller({ inbox }).on('CREATED', async ({ orderId }, { commit }) => {
    await work();
    await commit((_tx, outbox) => {
      committed.push(orderId);
      outbox.confirm(orderId);
    });
  });
  const push = (event: unknown) => statusOf(poller.receive(pushOf(event)));
  return { ...all, state, database, inbox, poller, committed, push };
}

it('a push without start is stored, committed and confirmed at the hub before its response', async () => {
  const { clock, mock, inbox, committed, push, state } = await idle();
  const { event, orderId } = mock.createOrder();
  expect(await push(event)).toBe(200);
  expect(committed).toEqual([orderId]);
  expect(mock.requests.filter(({ path }) => path.endsWith('/confirm'))).toHaveLength(1);
  expect(await inbox.stats()).toMatchObject({ waiting: 0, running: 0, failed: 0, dead: 0, commands: 0 });
  expect(await push(event)).toBe(200);
  expect(committed).toEqual([orderId]);
  expect(await runOnceElsewhere({ mock, clock, state })).not.toHaveProperty('skipped');
  expect(clock.sleepers).toBe(0);
});

it('a push without start whose listener fails gets 200 because it is stored, and the next push runs it again', async () => {
  let isAway = true;
  const { mock, inbox, poller, committed, push } = await idle(() => {
    if (isAway) throw new Error('the printer is away');
  });
  const errors: unknown[] = [];
  poller.on('error', (error) => void errors.push(error));
  const { event, orderId } = mock.createOrder();
  expect(await push(event)).toBe(200);
  expect(await inbox.stats()).toMatchObject({ failed: 1 });
  expect(errors).toMatchObject([{ message: 'the printer is away' }]);
  isAway = false;
  expect(await push(event)).toBe(200);
  expect(committed).toEqual([orderId]);
  expect(await inbox.stats()).toMatchObject({ failed: 0, waiting: 0 });
});

it('a push without start also sends the commands that an earlier one has left', async () => {
  const { clock, mock, inbox, push } = await idle();
  const { event, orderId } = mock.createOrder();
  mock.faults.next('orderStatus', 401);
  mock.faults.next('token', 500);
  expect(await afterAdvance(clock, '20m', push(event))).toBe(200);
  expect(await inbox.stats()).toMatchObject({ waiting: 0, commands: 1 });
  expect(await afterAdvance(clock, '20m', push(event))).toBe(200);
  expect(await inbox.stats()).toMatchObject({ commands: 0 });
  expect(mock.requests.at(-1)).toMatchObject({ path: expect.stringContaining(`${orderId}/confirm`) });
});

it('a push during runOnce is stored, and a failure of its listener is in the report', async () => {
  const first = gate();
  let calls = 0;
  const { clock, mock, poller, push } = await idle(async () => {
    calls += 1;
    if (calls === 1) await first.promise;
    else throw new Error('the printer is away');
  });
  poller.on('error', () => {});
  mock.createOrder();
  const cycle = poller.runOnce();
  await clock.advance('1s');
  const { event } = mock.createOrder();
  const status = push(event);
  await clock.advance('1s');
  first.open();
  expect(await status).toBe(200);
  expect(await cycle).toMatchObject({ failures: [{ eventId: event.eventId }] });
});

it('a push without start is not acknowledged with 200 if the inbox cannot be reached', async () => {
  const { mock, database, poller, committed, push } = await idle();
  const errors: unknown[] = [];
  poller.on('error', (error) => void errors.push(error));
  database.exec('alter table opendelivery_inbox rename to away');
  const { event, orderId } = mock.createOrder();
  expect(await push(event)).toBe(503);
  expect(errors).toMatchObject([{ code: 'state' }]);
  database.exec('alter table away rename to opendelivery_inbox');
  expect(await push(event)).toBe(200);
  expect(committed).toEqual([orderId]);
});
