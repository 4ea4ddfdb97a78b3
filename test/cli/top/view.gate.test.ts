import { expect, it } from 'vitest';
import { Terminal } from '../../../src/cli/terminal.js';
import { readSnapshot } from '../../../src/cli/top/snapshot.js';
import { viewOf } from '../../../src/cli/top/view.js';
import { systemClock } from '../../../src/clock.js';

/** Of a core: with an interval of two seconds, this is 5 %. */
const MAX_MS_PER_PAGE = 100;

it('shows ten thousand stores with at most 5 % of a core', () => {
  const terminal = new Terminal({ out: process.stdout, err: process.stderr, env: {}, clock: systemClock });
  const error = { name: 'ServerError', message: 'polling: the hub responded with 503', code: 'server' };
  const store = (index: number) => ({
    status: 'running',
    lastPolledAt: 1_800_000_000_000 + ((index * 7919) % 30_000),
    nextPollAt: 1_800_000_030_000 + ((index * 7919) % 30_000),
    consecutiveFailures: index % 100 === 0 ? 2 : 0,
    ...(index % 100 === 0 && { lastError: error }),
    running: 0,
    unacknowledged: 0,
    handled: index,
    acknowledged: index,
  });
  const stores = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`store-${index}`, store(index)]),
  );
  const text = JSON.stringify({ fleet: { stores: 10_000, polling: 9900, backingOff: 100 }, stores });
  const now = 1_800_000_030_000;
  const frame = {
    terminal,
    url: 'http://127.0.0.1/',
    at: now,
    now,
    columns: 200,
    rows: 50,
    failure: undefined,
  };
  const times = Array.from({ length: 15 }, () => {
    const before = process.cpuUsage();
    expect(viewOf(readSnapshot(text), frame)).toHaveLength(50);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  const median = times.sort((a, b) => a - b)[7] as number;
  console.log(`opendelivery top, 10,000 stores: ${median.toFixed(1)} ms of CPU time per page`);
  expect(median).toBeLessThan(MAX_MS_PER_PAGE);
});
