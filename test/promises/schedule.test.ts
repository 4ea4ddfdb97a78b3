import { describe, expect, it } from 'vitest';
import { runs, some } from '../runs.js';
import { runSchedule } from './schedule.js';

const HOURS = runs(5, 5);

describe('random schedules of faults', () => {
  it.each(some([1, 2], 2))('seed %i breaks no promise', async (seed) => {
    const { breaches, events } = await runSchedule(seed, HOURS);
    expect(breaches, `repeat it: runSchedule(${seed}, ${HOURS})`).toEqual([]);
    expect(events).toBeGreaterThan(10 * HOURS);
  });
});

describe('random schedules of faults, with a fleet in each process', () => {
  it.each(some([1, 2], 2))('seed %i breaks no promise', async (seed) => {
    const { breaches, events } = await runSchedule(seed, HOURS, 'fleet');
    expect(breaches, `repeat it: runSchedule(${seed}, ${HOURS}, 'fleet')`).toEqual([]);
    expect(events).toBeGreaterThan(10 * HOURS);
  });
});
