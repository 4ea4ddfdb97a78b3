import { expect, it } from 'vitest';
import { requestsTo } from '../support.js';
import { busyStore } from './busy.js';

it('reads new orders first, and acknowledges the other events without waiting for that', async () => {
  const { polled, readAfterMs, confirmedAfterMs, errors, mock } = await busyStore(4, 25);
  expect(new Set(polled)).toEqual(new Set([1000]));
  expect(readAfterMs.length).toBeGreaterThan(200);
  // Forty of a thousand events: within the quota of a minute, so no read has to wait for a slot.
  expect(Math.max(...readAfterMs)).toBeLessThan(2000);
  expect(confirmedAfterMs).toHaveLength(960);
  expect(Math.max(...confirmedAfterMs)).toBeLessThan(5000);
  expect(errors).toEqual([]);
  expect(mock.violations()).toEqual([]);
});

it('reads a thousand new orders at the rate that the hub allows, and loses none', async () => {
  const { polled, readAfterMs, errors, mock } = await busyStore(12, 1, {
    // A listener may wait a minute for its slot, and then for the response.
    listenerTimeoutMs: 90_000,
  });
  expect(new Set(polled)).toEqual(new Set([1000]));
  // A hundred a minute (Spec §8).
  expect(readAfterMs.length).toBeGreaterThanOrEqual(1000);
  expect(Math.max(...readAfterMs)).toBeLessThan(16 * 60_000);
  // Meanwhile newer events wait at the hub, which is reported.
  expect(new Set(errors)).toEqual(new Set([expect.stringContaining('the poll that was due was not sent')]));
  expect(mock.violations()).toEqual([]);
});

it('loses no order if listeners time out while they wait for a slot', async () => {
  const { readAfterMs, errors, mock } = await busyStore(12, 1);
  expect(errors.length).toBeGreaterThan(0);
  expect(readAfterMs.length).toBeGreaterThanOrEqual(1000);
  const read = new Set(requestsTo(mock, 'order').map(({ path }) => path.split('/').at(-1)));
  for (const { orderId } of mock.acknowledged()) expect(read.has(orderId)).toBe(true);
  expect(mock.violations()).toEqual([]);
});
