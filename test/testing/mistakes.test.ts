import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { clientOf } from '../support.js';

/** A mock hub with orders, and a client's token for requests without the client. */
async function opened(orders: number) {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const { hub } = clientOf(mock, { clock });
  const { value } = await hub.auth.getToken();
  const events = Array.from({ length: orders }, () => mock.createOrder().event);
  const headers = { authorization: `Bearer ${value}`, 'content-type': 'application/json' };
  const call = (path: string, init: RequestInit = {}) =>
    mock.fetch(`${mock.baseUrl}/opendelivery/v1/events${path}`, { ...init, headers });
  return { clock, mock, events, call };
}

it.each([
  ['eventId in the place of id', { eventId: 'e', orderId: 'o', eventType: 'CREATED' }],
  ['a number as id', { id: 5, orderId: 'o', eventType: 'CREATED' }],
  ['an array', []],
])('an acknowledgment with %s is a violation', async (_what, item) => {
  const { mock, call } = await opened(1);
  const { status } = await call('/acknowledgment', { method: 'POST', body: JSON.stringify([item]) });
  expect([status, mock.violations().map(({ rule }) => rule)]).toEqual([400, ['acknowledgment-body']]);
});

it.each([2, 3, 5])('the fault reorder changes the order of %i events at every poll', async (count) => {
  const { clock, mock, events, call } = await opened(count);
  const sent = events.map(({ eventId }) => eventId);
  for (let polls = 0; polls < 20; polls += 1) {
    mock.faults.next('polling', 'reorder');
    const received = (await (await call(':polling')).json()) as Array<{ eventId: string }>;
    const ids = received.map(({ eventId }) => eventId);
    expect(ids).not.toEqual(sent);
    expect(ids.toSorted()).toEqual(sent.toSorted());
    await clock.advance('31s');
  }
});
