import { expect, it } from 'vitest';
import { runSchedule } from '../promises/schedule.js';

const SEEDS = 200;
const HOURS = 24;

it(`${SEEDS} seeded schedules of ${HOURS} virtual hours break no promise`, async () => {
  const startedAt = performance.now();
  const total = { events: 0, requests: 0, failures: 0, restarts: 0 };
  for (let seed = 1000; seed < 1000 + SEEDS; seed += 1) {
    const { breaches, ...counts } = await runSchedule(seed, HOURS);
    expect(breaches, `run it again: runSchedule(${seed}, ${HOURS})`).toEqual([]);
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += counts[key];
  }
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    `${SEEDS} schedules, ${SEEDS * HOURS} virtual hours, ${((SEEDS * HOURS) / seconds).toFixed(1)} an actual second: ` +
      `${total.events} events, ${total.requests} requests, ${total.failures} failed listeners, ${total.restarts} restarts, 0 breaches`,
  );
}, 3_600_000);
