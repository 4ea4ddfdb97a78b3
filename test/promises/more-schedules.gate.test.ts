import { expect, it } from 'vitest';
import { openState, temporaryDirectory } from '../state/file/support.js';
import { runSchedule } from './schedule.js';

it.each([3, 4])('seed %i of random faults breaks no promise in five virtual hours', async (seed) => {
  const { breaches, events } = await runSchedule(seed, 5);
  expect(breaches, `repeat it: runSchedule(${seed}, 5)`).toEqual([]);
  expect(events).toBeGreaterThan(50);
});

it.each([3])('seed %i of random faults breaks no promise of a fleet in five virtual hours', async (seed) => {
  const { breaches, events } = await runSchedule(seed, 5, 'fleet');
  expect(breaches, `repeat it: runSchedule(${seed}, 5, 'fleet')`).toEqual([]);
  expect(events).toBeGreaterThan(50);
});

it('random faults break no promise in five virtual hours with the state in a file', async () => {
  const { breaches, events } = await runSchedule(6, 5, 'poller', {}, openState(temporaryDirectory()));
  expect(breaches).toEqual([]);
  expect(events).toBeGreaterThan(50);
});

it('the same seed gives the same schedule', async () => {
  expect(await runSchedule(4, 2)).toEqual(await runSchedule(4, 2));
});
