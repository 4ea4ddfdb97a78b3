import fc from 'fast-check';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { TICK_MS, Wheel } from '../../src/fleet/wheel.js';
import { runs } from '../runs.js';

it('calls back for each item when it is due, at most a tick later, and never for a removed one', async () => {
  const waits = fc.array(fc.record({ inMs: fc.nat(5000), isRemoved: fc.boolean() }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(waits, async (items) => {
      const clock = new ManualClock();
      const from = clock.monotonic();
      const fired: { readonly index: number; readonly afterMs: number }[] = [];
      const wheel = new Wheel<number>(clock, (index) =>
        fired.push({ index, afterMs: clock.monotonic() - from }),
      );
      const ticks = items.map(({ inMs }, index) => wheel.add(index, inMs));
      items.forEach(({ isRemoved }, index) => {
        if (isRemoved) wheel.remove(index, ticks[index] as number);
      });
      await clock.advance('6s');
      expect(fired.map(({ index }) => index).sort()).toEqual(
        items.flatMap(({ isRemoved }, index) => (isRemoved ? [] : [index])).sort(),
      );
      for (const { index, afterMs } of fired) {
        const { inMs } = items[index] as (typeof items)[number];
        expect(afterMs).toBeGreaterThanOrEqual(inMs);
        expect(afterMs).toBeLessThanOrEqual(inMs + TICK_MS);
      }
      expect(clock.sleepers).toBe(0);
    }),
    { numRuns: runs(100) },
  );
});

it('has one timer for each tick, however many items are due', async () => {
  const clock = new ManualClock();
  let fired = 0;
  const wheel = new Wheel<number>(clock, () => (fired += 1));
  for (let index = 0; index < 10_000; index += 1) wheel.add(index, 20_000 - (index % 1000));
  expect(clock.sleepers).toBe(1000 / TICK_MS);
  await clock.advance('20s');
  expect(fired).toBe(10_000);
});
