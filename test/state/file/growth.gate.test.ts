import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { child } from './processes.js';
import { DAY_MS, forgetOpenStates, idsFrom, openState, temporaryDirectory } from './support.js';

const DAYS = 30;
const EVENTS_OF_A_DAY = 3000;
const BATCH = 100;

const lifetimes = { handledMs: DAY_MS, attemptedMs: 7 * DAY_MS };

it('thirty days of three thousand events, through restarts and kills, leave a file of less than 2 MB, in which marks are found at once', async () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'state.db');
  const clock = new ManualClock('2026-01-05T12:00:00Z');
  const sizes: number[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    if (day % 10 === 5) {
      const writer = child(directory);
      await writer.tell('open');
      writer.begin('write', day);
      await writer.next();
      await writer.kill();
    }
    forgetOpenStates();
    const state = openState(directory);
    for (let start = 0; start < EVENTS_OF_A_DAY; start += BATCH) {
      const ids = idsFrom(day * EVENTS_OF_A_DAY + start, BATCH).map((id) => `8c4bc23a-0000-4000-8000-${id}`);
      const slot = await state.reserve('q', { limit: 2, holdMs: 95_000 }, clock);
      await state.recall('events:s', ids, { ...lifetimes, count: { ids, below: 1 } }, clock);
      await state.mark('events:s', ids, { handled: true, forMs: DAY_MS }, clock);
      await state.set(`merchant:${day}`, 'x'.repeat(50_000), { forMs: DAY_MS }, clock);
      if (slot.granted) await state.settle('q', { id: slot.id, freeInMs: 60_000 }, clock);
      await clock.advance((DAY_MS * BATCH) / EVENTS_OF_A_DAY);
    }
    if (day % 2 === 0) await state.close();
    sizes.push(statSync(file).size / 1e6);
  }
  const known = idsFrom((DAYS - 1) * EVENTS_OF_A_DAY, EVENTS_OF_A_DAY).map(
    (id) => `8c4bc23a-0000-4000-8000-${id}`,
  );
  const state = openState(directory);
  const cpu = process.cpuUsage();
  const marks = await state.recall('events:s', known, lifetimes, clock);
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    'growth:',
    JSON.stringify({ sizes: sizes.map((size) => size.toFixed(2)), recallMs: (user + system) / 1000 }),
  );
  expect(marks.filter(({ handled }) => handled).length).toBeGreaterThan(EVENTS_OF_A_DAY - 2 * BATCH);
  expect(Math.max(...sizes)).toBeLessThan(2);
  expect(statSync(`${file}-wal`).size).toBeLessThan(10e6);
});
