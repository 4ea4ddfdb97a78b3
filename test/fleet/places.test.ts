import { describe, expect, it } from 'vitest';
import { phaseOf, shardOf, untilFirstPoll, untilPhase } from '../../src/fleet/places.js';

const ids = Array.from({ length: 20_000 }, (_, index) => `store-${index}`);

it('spreads phases and shards evenly, independently of each other', () => {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const cell = `${Math.floor(phaseOf(id) * 10)} ${shardOf(id, 10)}`;
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
  }
  expect(counts.size).toBe(100);
  expect(Math.min(...counts.values())).toBeGreaterThan(140);
  expect(Math.max(...counts.values())).toBeLessThan(260);
});

it('gives a store the same place in every process and release', () => {
  expect(
    [phaseOf('store-1'), phaseOf('loja-são-joão')].map((phase) => phase.toFixed(6)),
  ).toMatchInlineSnapshot(`
    [
      "0.545386",
      "0.347450",
    ]
  `);
  expect([shardOf('store-1', 256), shardOf('loja-são-joão', 256)]).toMatchInlineSnapshot(`
    [
      47,
      94,
    ]
  `);
});

it.each([
  [0.5, 30_000, 0, 15_000],
  [0.5, 30_000, 15_000, 0],
  [0.5, 30_000, 15_001, 29_999],
  [0, 30_000, 29_000, 1000],
  [0.25, 60_000, 1_700_000_010_000, 45_000],
])('waits for phase %d of %d ms at %d for %d ms', (phase, intervalMs, now, expected) => {
  expect(untilPhase(phase, intervalMs, now)).toBeCloseTo(expected, 6);
});

const INTERVAL_MS = 30_000;
/** The phase of this one is due 3 s after each whole interval. */
const PHASE = 0.1;
const NOW = 10 * INTERVAL_MS;

describe('the first poll of a store', () => {
  it.each([
    ['is in its phase', NOW, undefined, 3000],
    ['is in its phase, if it did not come while the shard was handed over', NOW, NOW - 2000, 3000],
    ['comes soon after its phase came while the shard was handed over', NOW + 4000, NOW + 1000, 500],
    ['is spread over a quarter of the time that the hand-over took', NOW + 20_000, NOW, 750],
    ['is in its phase, if the hand-over was too long ago', NOW + 4000, NOW - INTERVAL_MS, 29_000],
    ['is in its phase, if another machine has a clock that is ahead', NOW, NOW + 5000, 3000],
  ])('%s', (_, now, since, expected) => {
    expect(untilFirstPoll(PHASE, INTERVAL_MS, now, since)).toBeCloseTo(expected, 5);
  });
});
