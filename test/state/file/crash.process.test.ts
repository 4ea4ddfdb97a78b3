import { fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { some } from '../../runs.js';
import { recalled } from '../recalled.js';
import { child } from './processes.js';
import { temporaryDirectory } from './support.js';

/** The number of lines after which each run is killed. With two thousand ids of 200 bytes a run rewrites its journal. */
const KILLED_AFTER = [1, 7, 60, 150, 400];

describe('a process that is killed while it writes', () => {
  it('has stored everything that had resolved, and the limits hold across its runs', {
    timeout: 60_000,
  }, async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock('2026-01-05T12:00:00Z');
    const slots = new Set<string>();
    const ids = new Set<string>();
    for (const [seed, count] of some(KILLED_AFTER, 4).entries()) {
      const run = child('write', directory, seed);
      run.go();
      const said: string[] = [];
      while (said.length < count + 2) said.push((await run.next()) ?? 'ended');
      said.push(...(await run.kill()));
      expect(said.slice(0, 2)).toEqual(['ready', 'held']);

      const rounds = new Map<string, number>();
      for (const line of said) {
        const [word, first = '', second = ''] = line.split(' ');
        if (word === 'remembered') ids.add(first).add(second);
        if (word === 'reserved') slots.add(first);
        if (word === 'set') rounds.set(first, Number(second));
      }
      const state = fileState(directory);
      const known = await recalled(state, 'handled:s', [...ids], clock);
      expect(known).toEqual([...ids]);
      for (const [key, round] of rounds) {
        const value = JSON.parse((await state.get(`value:${key}`, clock)) ?? 'null');
        expect(value).toMatchObject({ seed: String(seed), padding: 'x'.repeat(200) });
        expect(value.round).toBeGreaterThanOrEqual(round);
      }
      await state.close();
    }
    expect(ids.size).toBeGreaterThan(500);
    expect(slots.size).toBeGreaterThan(4);
    expect(slots.size).toBeLessThanOrEqual(10);
    const state = fileState(directory);
    const request = { limit: 10, holdMs: 3_600_000 };
    expect(await state.reserve('quota:s:token', request, clock)).toMatchObject({ granted: false });
    await state.close();
  });
});
