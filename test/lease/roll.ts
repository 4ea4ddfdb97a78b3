import { breachesOf, overlapBreaches, quantile, sizeOf } from './figures.js';
import type { SharedState } from './pack.js';
import { inPack, SIZE } from './phase.js';
import { backwardWrites } from './register.js';

/** Replaces all processes, each by one that is ready before the old one gets SIGTERM. */
export function roll(shared: SharedState, rounds: number) {
  return inPack(shared, { runMs: 8000, longShare: 0, concurrency: 8 }, async (pack) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const old of [...pack.members]) {
        await pack.add();
        await pack.retire(old);
      }
      if (round === rounds - 1) break;
      // The next round starts when polls are regular again.
      for (let polls = 0; polls < 3; polls += 1) await pack.nextPoll();
    }
    await pack.finish();
    const gaps = pack.polls.slice(1).map(({ at }, index) => at - (pack.polls[index]?.at ?? 0));
    return {
      breaches: [...breachesOf(pack), ...overlapBreaches(pack), ...backwardWrites(pack.register)],
      gapMs: { p50: quantile(gaps, 0.5), max: quantile(gaps, 1) },
      figures: {
        restarts: rounds * SIZE,
        startUpMs: { p50: quantile(pack.startUps, 0.5), max: quantile(pack.startUps, 1) },
        ...sizeOf(pack),
      },
    };
  });
}
