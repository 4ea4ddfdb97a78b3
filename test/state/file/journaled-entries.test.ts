import { ManualClock } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { JournaledEntries, marksRecords } from '../../../src/state/file/journaled-entries.js';
import { HANDLED } from '../../../src/state/port.js';

it('the records of entries restore the same entries, with less time left', async () => {
  const clock = new ManualClock('2026-01-05T12:00:00Z');
  const entries = new JournaledEntries();
  entries.quotas.settle('q', 'slot', 60_000, clock.monotonic());
  entries.quotas.shut('q', 30_000, clock.monotonic());
  entries.leases.acquire('q', { holder: 'a', leaseMs: 45_000 }, clock.monotonic(), 70);
  entries.marks.set('s', ['a', 'b'], HANDLED, 90_000, clock.monotonic());
  entries.marks.count('s', ['c'], 1, 90_000, clock.monotonic());
  const records = [...entries.records(clock)];

  const later = new ManualClock('2026-01-05T12:00:20Z');
  const restored = new JournaledEntries();
  for (const record of records) restored.restore(record, later);
  expect([...restored.quotas.records(later.monotonic())]).toEqual([
    { kind: 'shut', key: 'q', forMs: 10_000 },
    { kind: 'slot', key: 'q', id: 'slot', forMs: 40_000 },
  ]);
  expect(restored.leases.fenceOf('q')).toBe(70);
  // The lease itself ends with the process.
  expect(restored.leases.acquire('q', { holder: 'b', leaseMs: 1 }, 0, 0)).toEqual({
    granted: true,
    fence: 71,
  });
  expect(restored.marks.get('s', ['a', 'b', 'c', 'd'], later.monotonic())).toEqual([HANDLED, HANDLED, 1, 0]);
  await later.advance('70s');
  expect(restored.marks.get('s', ['a', 'c'], later.monotonic())).toEqual([0, 0]);
});

it('the records of marks are one for each mark, with its lifetime; the mark 0 is removed', () => {
  const clock = new ManualClock();
  const until = clock.now();
  const marks = new Map([
    ['a', HANDLED],
    ['b', 1],
    ['c', 0],
    ['d', 1],
  ]);
  expect(marksRecords('s', marks, { handledMs: 1000, attemptedMs: 4000 }, clock)).toEqual([
    { kind: 'marks', key: 's', ids: ['a'], mark: HANDLED, forMs: 1000, until: until + 1000 },
    { kind: 'marks', key: 's', ids: ['b', 'd'], mark: 1, forMs: 4000, until: until + 4000 },
    { kind: 'marks', key: 's', ids: ['c'], mark: 0, forMs: 0, until },
  ]);
});
