import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { recalled } from '../recalled.js';
import { DAY_MS, openState, stateError, stateWarnings, temporaryDirectory } from './support.js';

describe('a journal of any size', () => {
  it('stores more ids at once than fit into a line, and refuses one that does not fit', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const state = openState(directory);
    const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(7_000_000));
    await state.remember('s', ids, DAY_MS, clock);
    await expect(state.remember('s', ['d'.repeat(17_000_000)], DAY_MS, clock)).rejects.toEqual(
      stateError(/an entry of more than 16777216 bytes cannot be stored/),
    );
    await state.close();
    const messages = stateWarnings();
    for (let count = 0; count < 2; count += 1) {
      const again = fileState(directory);
      expect((await recalled(again, 's', ids, clock)).length).toBe(3);
      await again.close();
    }
    expect(messages).toEqual([]);
  });

  it('stays small, because a compaction leaves out expired records', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const state = openState(directory);
    const journal = join(directory, 'journal');
    let largest = 0;
    for (let hour = 0; hour < 24 * 40; hour += 6) {
      const ids = Array.from({ length: 120 }, (_, index) => `event-${hour}-${index}-${'x'.repeat(60)}`);
      await state.remember('handled:store', ids, DAY_MS, clock);
      const slot = await state.reserve('q', { limit: 2, holdMs: 60_000 }, clock);
      if (slot.granted) await state.settle('q', slot.id, 30_000, clock);
      await clock.advance('6h');
      largest = Math.max(largest, statSync(journal).size);
    }
    // Forty days make two megabytes; a day of them fifty kilobytes.
    expect(largest).toBeGreaterThan(1_000_000);
    expect(largest).toBeLessThan(1_048_576 + 12_000);
    await state.close();
    const again = openState(directory);
    await recalled(again, 'handled:store', [], clock);
    expect(statSync(journal).size).toBeLessThan(60_000);
  });
});
