import { expect } from 'vitest';
import { runSchedule } from '../promises/schedule.js';
import { printFigures } from './figures.js';

/** Runs schedules of 24 virtual hours one after another and prints one line with their totals. */
export async function playMany(firstSeed: number, count: number, kind: 'poller' | 'fleet'): Promise<void> {
  const hours = 24;
  const startedAt = performance.now();
  const total = {
    events: 0,
    reused: 0,
    requests: 0,
    failures: 0,
    pushes: 0,
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
  printFigures(`random schedules of ${kind}s`, {
    schedules: count,
    virtualHours: count * hours,
    virtualHoursPerSecond: (count * hours) / seconds,
    ...total,
    breaches: 0,
  });
}
