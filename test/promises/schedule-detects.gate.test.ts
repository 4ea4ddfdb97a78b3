import { afterEach, describe, expect, it, vi } from 'vitest';
import { EventsClient } from '../../src/events/client.js';
import { EventMarks } from '../../src/events/event-marks.js';
import { Ledger } from '../../src/events/ledger.js';
import { Leases } from '../../src/state/leases.js';
import { runSchedule } from './schedule.js';

describe('a schedule detects a client that', () => {
  afterEach(() => vi.restoreAllMocks());

  it('acknowledges the events it polls before its listeners have run', async () => {
    const { pollLeased } = EventsClient.prototype;
    vi.spyOn(EventsClient.prototype, 'pollLeased').mockImplementation(async function (
      this: EventsClient,
      options,
    ) {
      const result = await pollLeased.call(this, options);
      if (result.events.length > 0) void this.acknowledge(result.events).catch(() => {});
      return result;
    });
    const { breaches } = await runSchedule(1, 2);
    expect(breaches.join('\n')).toContain('acknowledged before it was handled');
  });

  it('acknowledges one of two events with the same id before the other is handled', async () => {
    vi.spyOn(Ledger.prototype, 'mayAcknowledge').mockReturnValue(true);
    const { breaches } = await runSchedule(3, 2);
    expect(breaches.join('\n')).toContain('acknowledged before it was handled');
  });

  it('gives every process the lease of the store', async () => {
    vi.spyOn(Leases.prototype, 'acquire').mockReturnValue({ granted: true, fence: 1 });
    const { breaches } = await runSchedule(1, 1);
    expect(breaches.join('\n')).toContain('runs twice at once');
    expect(breaches.join('\n')).toContain('two events at once');
  });

  it('does not count attempts in the state', async () => {
    vi.spyOn(EventMarks.prototype, 'count').mockResolvedValue(undefined);
    const { read } = EventMarks.prototype;
    vi.spyOn(EventMarks.prototype, 'read').mockImplementation(function (this: EventMarks, keys) {
      return read.call(this, keys, []);
    });
    const breaches: string[] = [];
    const isDetected = () => breaches.some((each) => /attempt 1 after \d/.test(each));
    // Not every schedule restarts a process between two attempts of one event.
    for (const seed of [5, 1, 2, 3, 8, 9]) {
      if (!isDetected()) breaches.push(...(await runSchedule(seed, 2)).breaches);
    }
    expect(isDetected(), breaches.join('\n')).toBe(true);
  });

  it('does not report that the hub has used an id twice', async () => {
    const { pollLeased } = EventsClient.prototype;
    vi.spyOn(EventsClient.prototype, 'pollLeased').mockImplementation(async function (
      this: EventsClient,
      options,
    ) {
      return { ...(await pollLeased.call(this, options)), issues: [] };
    });
    const { breaches } = await runSchedule(3, 2);
    expect(breaches.join('\n')).toContain('is in one poll twice');
  });
});
