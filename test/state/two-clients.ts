import type { State } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { expect } from 'vitest';
import { clientOf, requestsTo } from '../support.js';

/** Half an hour of two clients of one store, as in two processes: they share the quota, and handle each event once. */
export async function expectSharedStore(stateAt: (clock: ManualClock) => State): Promise<void> {
  const clock = new ManualClock();
  const mock = createMockHub({ clock, unansweredAfterMs: Number.POSITIVE_INFINITY });
  const handled: string[] = [];
  const pollers = [1, 2].map(() => clientOf(mock, { clock, state: stateAt(clock) }).hub.poller());
  for (const poller of pollers) poller.on('CREATED', ({ eventId }) => void handled.push(eventId));
  const started = Promise.allSettled(pollers.map((poller) => poller.start()));
  for (let minute = 0; minute < 30; minute += 1) {
    mock.createOrder();
    await clock.advance('1m');
  }
  for (const poller of pollers) await poller.stop();
  await started;
  expect(new Set(handled).size).toBe(30);
  expect(handled).toHaveLength(30);
  expect(mock.pending()).toEqual([]);
  expect(mock.violations()).toEqual([]);
  expect(requestsTo(mock, 'token').length).toBeLessThanOrEqual(2);
}
