import { randomUUID } from 'node:crypto';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';

import { DAY_MS, openState, temporaryDirectory } from './support.js';

const ROUNDS = 50;
const KEY = 'events:0123456789abcdef0123456789abcdef';
const KEPT = { handled: true, forMs: DAY_MS } as const;

const newIds = () => Array.from({ length: 1000 }, () => randomUUID());

/** How long a call blocks: ms of the machine, which other programs make longer, and of the processor, which they do not. */
class Durations {
  readonly #wallMs: number[] = [];
  readonly #cpuMs: number[] = [];

  measure(call: () => unknown): void {
    const cpu = process.cpuUsage();
    const startedAt = performance.now();
    call();
    this.#wallMs.push(performance.now() - startedAt);
    const { user, system } = process.cpuUsage(cpu);
    this.#cpuMs.push((user + system) / 1000);
  }

  get figures() {
    const [wall, cpu] = [this.#wallMs, this.#cpuMs].map((all) => all.toSorted((a, b) => a - b));
    const rounded = (all: readonly number[] | undefined, at: number) => Number(all?.at(at)?.toFixed(1));
    return {
      wallMs: { min: rounded(wall, 0), median: rounded(wall, ROUNDS / 2), max: rounded(wall, -1) },
      cpuMs: { min: rounded(cpu, 0), median: rounded(cpu, ROUNDS / 2), max: rounded(cpu, -1) },
    };
  }
}

it('a recall that counts a thousand events, and their marks, block the event loop for less than 20 ms', async () => {
  const clock = new ManualClock('2026-01-05T12:00:00Z');
  const state = openState(temporaryDirectory());
  for (let count = 0; count < 10; count += 1) await state.mark(KEY, newIds(), KEPT, clock);
  const recalls = new Durations();
  const marks = new Durations();
  for (let round = 0; round < ROUNDS; round += 1) {
    const ids = newIds();
    const count = { ids, below: 1 };
    recalls.measure(() =>
      state.recall(KEY, ids, { handledMs: DAY_MS, attemptedMs: 7 * DAY_MS, count }, clock),
    );
    marks.measure(() => state.mark(KEY, ids, KEPT, clock));
    await clock.advance('2h');
  }
  console.log(
    `${state.driver}, 1,000 events: recall ${JSON.stringify(recalls.figures)}, mark ${JSON.stringify(marks.figures)}`,
  );
  // The quickest round: a busy machine makes every other one longer.
  expect(recalls.figures.cpuMs.min).toBeLessThan(20);
  expect(marks.figures.cpuMs.min).toBeLessThan(20);
});
