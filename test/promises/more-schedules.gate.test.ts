import { expect, it } from 'vitest';
import { openState, temporaryDirectory } from '../state/file/support.js';
import { runSchedule } from './schedule.js';

it.each([
  [3, 'poller', 'in memory'],
  [3, 'fleet', 'in memory'],
  [6, 'poller', 'in a file'],
] as const)(
  'seed %i of random faults breaks no promise of a %s in five virtual hours with the state %s',
  async (seed, kind, place) => {
    const state = place === 'in a file' ? openState(temporaryDirectory()) : undefined;
    const { breaches, events } = await runSchedule(seed, 5, kind, {}, state);
    expect(breaches, `repeat it: runSchedule(${seed}, 5, '${kind}'), state ${place}`).toEqual([]);
    expect(events).toBeGreaterThan(50);
  },
);

it('the same seed gives the same schedule', async () => {
  expect(await runSchedule(4, 2)).toEqual(await runSchedule(4, 2));
});
