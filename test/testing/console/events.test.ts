import { expect, it } from 'vitest';
import { type EventRow, opened, servedConsole, storesOf } from './support.js';

/** The events that a page shows, from top to bottom. */
async function shown(url: string, query = '') {
  const { about, rows } = await opened<EventRow>(url, `events${query}`);
  rows.sort((one, other) => other.rank - one.rank);
  return { eventIds: rows.map(({ eventId }) => eventId), about };
}

it.each([1, 2, 5])('shows each of %d events, the first one too, the latest at the top', async (count) => {
  const { url, mock } = await servedConsole();
  const emitted = Array.from({ length: count }, () => mock.createOrder().event.eventId);
  const { eventIds, about } = await shown(url);
  expect(eventIds).toEqual(emitted.reverse());
  expect(about).toMatchObject({ total: count, pending: count });
});

it('shows the events of several stores in the order in which they came, also those of one millisecond', async () => {
  const { url, mock, clock } = await servedConsole({ stores: storesOf('one', 'two') });
  const emitted: string[] = [];
  for (const clientId of ['one', 'one', 'two', 'one', 'two', 'two']) {
    emitted.push(mock.createOrder({ clientId }).event.eventId);
    if (emitted.length > 1) await clock.advance(10);
  }
  expect((await shown(url)).eventIds).toEqual([...emitted].reverse());
  expect((await shown(url, '&clientId=two')).eventIds).toEqual(
    [2, 4, 5].map((index) => emitted[index]).reverse(),
  );
});
