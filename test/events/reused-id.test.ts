import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { clientOf } from '../support.js';

it('an event with the id of an earlier one is reported where it was in the answer', async () => {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const event = (orderId: string) => ({ eventId: 'same', orderId, eventType: 'CREATED' });
  let answer: unknown = { events: [event('first')] };
  const { hub } = clientOf(mock, {
    clock,
    fetch: async (...given) => {
      const url = String(given[0]);
      if (url.includes('events:polling')) return new Response(JSON.stringify(answer));
      if (url.includes('acknowledgment')) return new Response('', { status: 202 });
      return mock.fetch(...(given as Parameters<typeof mock.fetch>));
    },
  });
  const seen: string[] = [];
  const issues: unknown[] = [];
  const poller = hub.poller();
  poller.on('CREATED', ({ orderId }) => void seen.push(orderId));
  poller.on('invalid', (payload) => {
    for (const { code, path } of payload.issues) if (code === 'duplicate_id') issues.push(path);
  });
  await poller.start();
  await clock.advance('2s');
  answer = { events: [{ without: 'ids' }, event('second')] };
  await clock.advance('30s');
  expect(seen).toEqual(['first', 'second']);
  expect(issues).toEqual([['events', 1]]);
  await poller.stop();
});
