/** @module-tag slow */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** Real time is the fake time of vitest here, so that no test waits. The module shows one hint in its lifetime. */
beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const made: NodeJS.Timeout[] = [];

async function loaded() {
  made.length = 0;
  // Bound at import, so this is after the timers are faked.
  vi.doMock('node:timers', async (original) => ({
    ...(await original<typeof import('node:timers')>()),
    setTimeout: (work: () => void, ms: number) => {
      const timer = globalThis.setTimeout(work, ms);
      made.push(timer);
      return timer;
    },
  }));
  const { ManualClock } = await import('opendelivery-client/testing');
  vi.doUnmock('node:timers');
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  return {
    clock: new ManualClock(),
    ManualClock,
    warnings: () => warn.mock.calls.map(([message]) => String(message).split('. ')[0]),
  };
}

describe('a ManualClock that does not move', () => {
  it('warns after three real seconds that it must be advanced, and how', async () => {
    const { clock, warnings } = await loaded();
    void clock.sleep(30_000);
    vi.advanceTimersByTime(2999);
    expect(warnings()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(warnings()).toEqual([
      'nothing will happen until you advance the ManualClock; 1 sleeper due in 30 s',
    ]);
    expect(vi.mocked(process.emitWarning).mock.calls[0]?.[0]).toContain("await clock.advance('30s')");
  });

  it('counts from the last progress: a sleep that begins or ends, or an advance', async () => {
    const { clock, warnings } = await loaded();
    void clock.sleep(60_000);
    for (let round = 0; round < 5; round += 1) {
      vi.advanceTimersByTime(2900);
      await clock.advance(1);
    }
    expect(warnings()).toEqual([]);
    vi.advanceTimersByTime(6000);
    expect(warnings()).toHaveLength(1);
  });

  it('does not count a sleep without end, because no advance would end it', async () => {
    const { clock, warnings } = await loaded();
    void clock.sleep(Number.POSITIVE_INFINITY);
    vi.advanceTimersByTime(60_000);
    expect(warnings()).toEqual([]);
    void clock.sleep(30_000);
    vi.advanceTimersByTime(3000);
    expect(warnings()).toEqual([
      'nothing will happen until you advance the ManualClock; 1 sleeper due in 30 s',
    ]);
  });

  it('does not warn without sleepers, or while it advances', async () => {
    const { clock, warnings } = await loaded();
    const ended = new AbortController();
    clock.sleep(1000, ended.signal).catch(() => {});
    ended.abort();
    vi.advanceTimersByTime(60_000);
    const release = clock.hold();
    void clock.sleep(1000);
    const advanced = clock.advance('10s');
    vi.advanceTimersByTime(60_000);
    release();
    await advanced;
    vi.advanceTimersByTime(60_000);
    expect(warnings()).toEqual([]);
  });
});
