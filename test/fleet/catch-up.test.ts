import { describe, expect, it } from 'vitest';
import { fleetStage, stores } from './support.js';

const STORES = 600;
const INTERVAL_MS = 30_000;
const MEAN = (STORES / INTERVAL_MS) * 1000;

/** A running fleet, and its polls as they are sent; `answer` may stand between them and the hub. */
async function polling() {
  const all = stores(STORES);
  const sentAt: number[] = [];
  let answer = async (): Promise<Response | undefined> => undefined;
  const { clock, mock, fleet, pollsOf } = fleetStage(all, {
    fetch: async (url, init) => {
      const isPoll = String(url).endsWith('/events:polling');
      if (isPoll) sentAt.push(clock.monotonic());
      return (isPoll && (await answer())) || mock.fetch(new Request(url, init as RequestInit));
    },
  });
  fleet.on('event', () => {});
  fleet.on('error', () => {});
  const started = fleet.start();
  await clock.advance('2m');
  await started;
  return {
    clock,
    fleet,
    answerWith: (next: typeof answer) => {
      answer = next;
    },
    /** The most polls that were sent in any second from `from` on. */
    densestSecond: (from: number) => {
      const times = sentAt.filter((at) => at >= from);
      return Math.max(...times.map((at) => times.filter((other) => other >= at && other < at + 1000).length));
    },
    /** Where in the interval the last poll of each store was. */
    phases: () => all.map((store) => (pollsOf(store).at(-1) ?? Number.NaN) % INTERVAL_MS),
  };
}

describe('stores that became late together', () => {
  it.fails('are polled at three times the mean rate at most after a hub that was slow for 20 s (point 15)', async () => {
    const { clock, fleet, densestSecond, answerWith } = await polling();
    const from = clock.monotonic();
    answerWith(async () => {
      const leftMs = from + 20_000 - clock.monotonic();
      if (leftMs > 0) await clock.sleep(leftMs).finally(clock.park());
      return undefined;
    });
    await clock.advance('2m');
    expect(densestSecond(from)).toBeLessThanOrEqual(3 * MEAN);
    await fleet.stop();
  });

  it.fails('are polled at that rate after a common Retry-After, and return to their phases (point 15)', async () => {
    const { clock, fleet, densestSecond, phases, answerWith } = await polling();
    const before = phases();
    const headers = { 'retry-after': new Date(clock.now() + 60_000).toUTCString() };
    answerWith(async () => new Response(null, { status: 429, headers }));
    await clock.advance('60s');
    answerWith(async () => undefined);
    const from = clock.monotonic();
    await clock.advance('4m');
    expect(densestSecond(from)).toBeLessThanOrEqual(3 * MEAN);
    const after = phases();
    expect(before.filter((phase, index) => !(Math.abs(phase - (after[index] as number)) < 1000))).toEqual([]);
    await fleet.stop();
  });
});
