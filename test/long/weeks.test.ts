import type { JournalEntry } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { densest, stage } from '../support.js';
import { printFigures } from './figures.js';

it('thirty virtual days of one store cost five tokens and break no limit', async () => {
  // There are more requests than the mock's journal keeps.
  const requests: JournalEntry[] = [];
  const { clock, mock, hub } = stage({
    unansweredAfterMs: Number.POSITIVE_INFINITY,
    onRequest: (entry) => requests.push(entry),
  });
  const to = (name: JournalEntry['endpoint']) => requests.filter(({ endpoint }) => endpoint === name);
  const poller = hub.poller();
  let handled = 0;
  poller.on('event', () => void (handled += 1));
  await poller.start();
  const startedAt = performance.now();
  for (let day = 0; day < 30; day += 1) {
    for (let hour = 0; hour < 24; hour += 1) {
      mock.createOrder();
      await clock.advance('1h');
    }
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await poller.stop();
  expect(handled).toBe(720);
  expect(to('token')).toHaveLength(5);
  expect(densest(to('polling'), 60_000)).toBe(2);
  expect(mock.violations()).toEqual([]);
  printFigures('thirty virtual days of one store', {
    polls: to('polling').length,
    tokens: to('token').length,
    orders: handled,
    seconds,
  });
}, 600_000);
