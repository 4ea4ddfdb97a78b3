/** @module-tag slow */
import type { JournalEntry } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { densest } from '../support.js';
import { caught, type FleetStage, fleetStage, stores } from './support.js';

/** Each takes seconds: in the gate, there are more of them. */
const STORES = runs(300, 6);
const INTERVAL_MS = 30_000;
const MEAN_PER_SECOND = (STORES * 1000) / INTERVAL_MS;

/** A store's phase moves with the lateness that the pace of the others causes. */
const MOVED_MS = 4000;

/** What goes wrong, until it resolves. */
type Disturbance = (stage: FleetStage) => Promise<void>;

/** When each store was last polled, as a part of the interval. */
const phasesOf = (polls: readonly JournalEntry[]) =>
  new Map(polls.map(({ clientId, monotonicAt }) => [clientId, monotonicAt % INTERVAL_MS]));

/** The polls of a fleet after a disturbance, and how far its stores are from their phases eight minutes later. */
async function pollsAfter(disturb: Disturbance) {
  const polls: JournalEntry[] = [];
  const onRequest = (entry: JournalEntry) => void (entry.endpoint === 'polling' && polls.push(entry));
  const stage = fleetStage(stores(STORES), {}, { onRequest });
  const { clock, mock, fleet } = stage;
  fleet.on('event', () => {}).on('error', () => {});
  void caught(fleet.start());
  await clock.advance('1m');
  const before = phasesOf(polls);
  await disturb(stage);
  const first = polls.length;
  await clock.advance('8m');
  const after = polls.slice(first);
  const strayedMs = [...phasesOf(after)].map(([clientId, phase]) => {
    const apartMs = Math.abs(phase - (before.get(clientId) as number));
    return Math.min(apartMs, INTERVAL_MS - apartMs);
  });
  expect(strayedMs).toHaveLength(STORES);
  expect(mock.violations()).toEqual([]);
  return { after, strayedMs };
}

const played = new Map<Disturbance, ReturnType<typeof pollsAfter>>();

/** The same for the two promises about it. */
function pollsOnceAfter(disturb: Disturbance): ReturnType<typeof pollsAfter> {
  const polls = played.get(disturb) ?? pollsAfter(disturb);
  played.set(disturb, polls);
  return polls;
}

const wasSlow: Disturbance = async ({ clock, mock }) => {
  mock.faults.next('polling', { type: 'latency', ms: 20_000 }, 64);
  await clock.advance('20s');
};

const wasDown: Disturbance = async ({ clock, mock }) => {
  mock.faults.random({ seed: 1, rate: 1, types: ['reset'], endpoints: ['polling'] });
  await clock.advance('10m');
  mock.faults.clear();
};

const sentOneInstant: Disturbance = async ({ clock, mock }) => {
  const until = new Date(clock.now() + 90_000).toUTCString();
  mock.faults.next('polling', { status: 429, headers: { 'retry-after': until } }, STORES);
  await clock.advance('80s');
};

describe('the polls of a fleet', () => {
  it.each([
    ['was slow for 20 s', wasSlow],
    ['answered 429 with one instant for all stores', sentOneInstant],
  ])(
    'are at most three times the mean in any second, after a hub that %s (point 15)',
    async (_what, disturb) => {
      const { after } = await pollsOnceAfter(disturb);
      expect(densest(after, 1000)).toBeLessThanOrEqual(3 * MEAN_PER_SECOND);
    },
  );

  it.each([
    ['was slow for 20 s', wasSlow],
    ['was down for ten minutes', wasDown],
    ['answered 429 with one instant for all stores', sentOneInstant],
  ])(
    'are in the phase of each store again eight minutes after a hub that %s (point 15)',
    async (_what, disturb) => {
      const { strayedMs } = await pollsOnceAfter(disturb);
      expect(Math.max(...strayedMs)).toBeLessThanOrEqual(MOVED_MS);
    },
  );
});
