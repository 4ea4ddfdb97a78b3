import { RateLimitError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { stage } from '../support.js';

const CALLS = runs(10_000);
const cpuMs = (since: NodeJS.CpuUsage) => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

describe('thousands of calls that exceed the quota', () => {
  it.each([true, false])('reject at once when they are aborted (one shared signal: %s)', async (isShared) => {
    const { hub, mock, clock } = stage({}, { rateLimit: { maxWaitMs: 1e12 } });
    await hub.auth.getToken();
    const controllers = Array.from({ length: isShared ? 1 : CALLS }, () => new AbortController());
    const heap = process.memoryUsage().heapUsed;
    const calls = Array.from({ length: CALLS }, (_, index) =>
      hub.orders
        .get(`o${index}`, { signal: (controllers[index] ?? controllers[0])?.signal })
        .catch((error: unknown) => error),
    );
    await clock.advance(0);
    const sent = mock.requests.length;
    expect(sent).toBe(101);
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(256 * 1024 * 1024);
    const reason = new Error('enough');
    const before = process.cpuUsage();
    for (const controller of controllers) controller.abort(reason);
    const outcomes = await Promise.all(calls);
    expect(cpuMs(before)).toBeLessThan(1000);
    expect(outcomes.filter((outcome) => outcome === reason).length).toBe(CALLS - 100);
    await clock.advance('1h');
    expect(mock.requests).toHaveLength(sent);
    expect(clock.sleepers).toBe(0);
  });

  it('reject at once if they would wait longer than maxWaitMs', async () => {
    const { hub, clock } = stage();
    await hub.auth.getToken();
    const calls = Array.from({ length: CALLS }, (_, index) =>
      hub.orders.get(`o${index}`).catch((error: unknown) => error),
    );
    let refused = 0;
    for (const call of calls)
      void call.then((error) => void (error instanceof RateLimitError && (refused += 1)));
    await clock.advance(0);
    // The calls of fifteen minutes, a hundred each, may wait; all others are rejected at once.
    expect(refused).toBeGreaterThan(CALLS - 1800);
    await hub.close();
    await Promise.all(calls);
  });
});
