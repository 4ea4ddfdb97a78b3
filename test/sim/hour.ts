import { expect } from 'vitest';
import { EVENTS_PER_ORDER } from './order-volume.js';
import type { Result, Scenario } from './scenarios.js';

const MINUTE_MS = 60_000;
const REQUESTS_IN_FLIGHT = 8;

/**
 * An hour of lunch of four processes: a rolling deploy, a kill, a hub that is
 * down for five minutes, a Redis that is away for one.
 */
export const hourOf = (stores: number): Scenario => ({
  title: 'An hour with every disturbance',
  options: { stores, processes: 4, hour: 12, requestsInFlight: REQUESTS_IN_FLIGHT },
  standsFor: 1,
  async play(cluster) {
    cluster.beginPart('start');
    cluster.startAll();
    await cluster.run(2 * MINUTE_MS);
    cluster.beginPart('quiet');
    await cluster.run(5 * MINUTE_MS);
    cluster.beginPart('deploy');
    for (const index of cluster.running.keys()) {
      void cluster.stop(index);
      await cluster.run(20_000);
      cluster.start(index);
      await cluster.run(MINUTE_MS);
    }
    cluster.beginPart('kill');
    cluster.kill(0);
    await cluster.run(5000);
    cluster.start(0);
    await cluster.run(3 * MINUTE_MS);
    cluster.beginPart('hub down');
    cluster.hub.outage = 'refuses';
    await cluster.run(5 * MINUTE_MS);
    cluster.hub.outage = undefined;
    cluster.beginPart('hub back');
    // The longest backoff, and three polls until each store is back in its phase.
    await cluster.run(8 * MINUTE_MS);
    cluster.beginPart('quiet again');
    await cluster.run(5 * MINUTE_MS);
    cluster.beginPart('Redis away');
    cluster.redis.goAway();
    await cluster.run(MINUTE_MS);
    cluster.redis.comeBack();
    await cluster.run(5 * MINUTE_MS);
    cluster.beginPart('the rest');
    await cluster.run(60 * MINUTE_MS - (cluster.agenda.now - 12 * 60 * MINUTE_MS));
  },
});

/** What must be true of that hour, however many stores there are. */
export function expectGoodHour(result: Result): void {
  const { cluster } = result;
  const { stores } = cluster.options;
  expect(cluster.agenda.now).toBe(13 * 60 * MINUTE_MS);
  expect(cluster.violations).toEqual([]);
  expect(cluster.overdueEvents(2 * MINUTE_MS)).toBe(0);
  const handled = result.parts.reduce((sum, part) => sum + part.handled, 0);
  expect(handled).toBeGreaterThan(stores * EVENTS_PER_ORDER * 4);
  for (const name of ['quiet', 'quiet again', 'the rest']) {
    const { late, gaps } = partOf(result, name);
    expect(late.count, name).toBeGreaterThan(stores * 4);
    expect(late.max, name).toBeLessThan(1000);
    // An interval, the lateness, and the slowest of a hundred thousand responses.
    expect(gaps.max, name).toBeLessThan(33_000);
  }
  // Drained, 20 s away, and its place in the interval.
  expect(partOf(result, 'deploy').gaps.max).toBeLessThan(82_000);
  // The lease of the killed process ends after 45 s, and is then asked for each 10 s.
  expect(partOf(result, 'kill').gaps.max).toBeLessThan(87_000);
  // The longest backoff is five minutes.
  expect(partOf(result, 'hub back').gaps.max).toBeLessThan(5 * MINUTE_MS + 5 * MINUTE_MS + 31_000);
  expect(partOf(result, 'Redis away').gaps.max).toBeLessThan(MINUTE_MS + 2 * MINUTE_MS);
  // A token each, whatever was restarted.
  expect(result.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(stores);
  // Spread over the interval, a thirtieth of them polls in each second, also after a start and after an outage.
  for (const { name, mostPollsPerSecond } of result.parts) {
    expect(mostPollsPerSecond, name).toBeLessThan(stores / 3);
  }
  expect(Math.max(...result.parts.map((part) => part.mostInFlightOfOne))).toBeLessThanOrEqual(
    REQUESTS_IN_FLIGHT,
  );
}

const partOf = ({ parts }: Result, name: string) =>
  parts.find((part) => part.name === name) as Result['parts'][number];
