import { expect } from 'vitest';
import { runSchedule } from '../promises/schedule.js';

/** Runs schedules of 24 virtual hours one after another and prints their totals. */
export async function playMany(firstSeed: number, count: number, kind: 'poller' | 'fleet'): Promise<void> {
  const hours = 24;
  const startedAt = performance.now();
  const total = {
    events: 0,
    reused: 0,
    requests: 0,
    failures: 0,
    restarts: 0,
    kills: 0,
    suspensions: 0,
    overlaps: 0,
  };
  for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
    const { breaches, ...counts } = await runSchedule(seed, hours, kind);
    expect(breaches, `repeat it: runSchedule(${seed}, ${hours}, '${kind}')`).toEqual([]);
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += counts[key];
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const pace = ((count * hours) / seconds).toFixed(1);
  console.log(
    `${count} schedules with a ${kind} in each process, ${count * hours} virtual hours, ${pace} of them per second of real time: ${total.events} events, ` +
      `${total.reused} of them with a reused id, ${total.requests} requests, ${total.failures} failed listeners, ` +
      `${total.restarts} restarts, ${total.kills} kills, ${total.suspensions} suspensions, ` +
      `${total.overlaps} overlaps after long suspensions and stops that timed out, no breach`,
  );
}
