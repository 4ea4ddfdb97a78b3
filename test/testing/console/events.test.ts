import { expect, it } from 'vitest';
import { StreamReader, servedConsole } from './support.js';

/** The events that a page shows, from top to bottom. */
async function shown(url: string, query = '') {
  const reader = new StreamReader(url, `section=events${query}`);
  const { about } = await reader.next();
  const rows = [...reader.rows.values()].sort((one, other) => other.rank - one.rank);
  return { eventIds: rows.map((row) => Reflect.get(row, 'eventId')), about };
}

it.each([1, 2, 5])('shows each of %d events, the first one too, the latest at the top', async (count) => {
  const { url, mock } = await servedConsole();
  const emitted = Array.from({ length: count }, () => mock.createOrder().event.eventId);
  const { eventIds, about } = await shown(url);
  expect(eventIds).toEqual(emitted.reverse());
  expect(about).toMatchObject({ total: count, pending: count });
});

it('shows the events of several stores in the order in which they came, also those of one millisecond', async () => {
  const stores = ['one', 'two'].map((clientId) => ({
    clientId,
    clientSecret: `secret-of-${clientId}`,
    apiKey: `key-of-${clientId}`,
  }));
  const { url, mock, clock } = await servedConsole({ stores });
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
