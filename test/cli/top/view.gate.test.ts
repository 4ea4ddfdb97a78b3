import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { served } from '../../temporary.js';
import { interrupt, opendelivery } from '../support.js';

/** Of a core: with an interval of two seconds, this is 5 %. The application that publishes is counted too. */
const MAX_MS_PER_PAGE = 100;

it('shows ten thousand stores with at most 5 % of a core', async () => {
  const lastError = { name: 'ServerError', message: 'polling: the hub responded with 503', code: 'server' };
  const at = Date.UTC(2027, 0, 15);
  const storeOf = (index: number) => ({
    status: 'running',
    lastPolledAt: at + ((index * 7919) % 30_000),
    nextPollAt: at + 30_000 + ((index * 7919) % 30_000),
    consecutiveFailures: index % 100 === 0 ? 2 : 0,
    ...(index % 100 === 0 && { lastError }),
    handled: index,
  });
  const ids = Array.from({ length: 10_000 }, (_, index) => [`store-${index}`, storeOf(index)]);
  const text = JSON.stringify({ fleet: { stores: 10_000, polling: 9900 }, stores: Object.fromEntries(ids) });
  const url = await served((_request, response) => void response.end(text));
  const clock = new ManualClock(at + 30_000);
  const ran = opendelivery(`top --url ${url} --interval 2`, { clock, isTTY: true, rows: 50 });
  await clock.advance('1s');
  const times: number[] = [];
  for (let page = 0; page < 9; page += 1) {
    const before = process.cpuUsage();
    await clock.advance('2s');
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  interrupt();
  expect(await ran.code).toBe(0);
  expect(ran.out.match(/10000 stores/g)?.length).toBeGreaterThanOrEqual(10);
  // Whatever else runs on the machine only adds to it.
  const least = Math.min(...times);
  console.log(`opendelivery top, 10,000 stores: ${least.toFixed(1)} ms of CPU time per page`);
  expect(least).toBeLessThan(MAX_MS_PER_PAGE);
});
