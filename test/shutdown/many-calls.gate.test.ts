import { memoryState, RateLimitError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { Governor } from '../../src/http/governor.js';
import { runs } from '../runs.js';
import { stage } from '../support.js';

const CALLS = runs(10_000);
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
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

describe('the governor', () => {
  it('needs time in proportion to the number of waiters', async () => {
    const { clock } = stage();
    const patience = { quotaMs: Number.POSITIVE_INFINITY, shutMs: Number.POSITIVE_INFINITY };
    const costOf = async (count: number) => {
      const governor = new Governor({ clock, state: memoryState(), timeoutMs: 30_000 });
      const controllers = Array.from({ length: count }, () => new AbortController());
      // Each creates its AbortSignal, which is not what is measured.
      for (const { signal } of controllers) expect(signal.aborted).toBe(false);
      const before = process.cpuUsage();
      const waiting = controllers.map(({ signal }) =>
        Promise.resolve(governor.reserve('order', 'store', patience, signal)).catch(() => {}),
      );
      await turns(3);
      for (const controller of controllers) controller.abort('enough');
      await Promise.all(waiting);
      return cpuMs(before);
    };
    await costOf(runs(20_000));
    const size = runs(4000);
    const few = Math.max(5, Math.min(await costOf(size), await costOf(size), await costOf(size)));
    // Ten times as many: quadratic time would be a hundred times as long. A busy machine only adds to it.
    let many = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 8 && many >= few * 40; tries += 1)
      many = Math.min(many, await costOf(10 * size));
    expect(many).toBeLessThan(few * 40);
  });
});
