import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.js';
import { Leases } from '../leases.js';
import { Marks } from '../marks.js';
import { MAX_LIFETIME_MS, type MarkLifetimes } from '../port.js';
import { Quotas } from '../quotas.js';
import { lifetimeOf } from '../score.js';
import { decodeEntries, encodeEntries } from './entries-format.js';
import { expiryIn, remainingMs } from './expiry.js';
import type { JournalRecord } from './records.js';

/** Quotas, leases and marks in memory, and the journal records that restore them after a restart. */
export class JournaledEntries {
  // Ids of an earlier run can still be in use.
  readonly quotas = new Quotas(`${randomUUID()}:`);
  // One process has the directory, so its leases end with it. Only their fences are restored.
  readonly leases = new Leases();
  readonly marks = new Marks();

  restore(record: JournalRecord, clock: Clock): void {
    const { key } = record;
    const forMs = remainingMs(record, clock.now());
    const now = clock.monotonic();
    if (record.kind === 'slot') this.quotas.settle(key, record.id, forMs, now);
    else if (record.kind === 'shut') this.quotas.shut(key, forMs, now);
    else if (record.kind === 'fence') this.leases.restore(key, record.fence);
    else if (record.kind === 'entries') {
      this.marks.restore(decodeEntries(record.entries), record.forMs - forMs, now);
    } else this.marks.set(key, record.ids, record.mark, forMs, now);
  }

  /** Everything that has not expired. */
  *records(clock: Clock): Generator<JournalRecord> {
    const now = clock.monotonic();
    // The entries have their own lifetimes, from this instant on.
    const allMarks = expiryIn(MAX_LIFETIME_MS, clock);
    for (const record of this.quotas.records(now)) yield { ...record, ...expiryIn(record.forMs, clock) };
    for (const { key, fence } of this.leases.fences()) yield fenceRecord(key, fence, clock);
    for (const entries of this.marks.all(now))
      yield { kind: 'entries', key: '', entries: encodeEntries(entries), ...allMarks };
  }
}

/** Fences are stored for ten years: a smaller one would let a suspended process write again. */
export function fenceRecord(key: string, fence: number, clock: Clock): JournalRecord {
  return { kind: 'fence', key, fence, ...expiryIn(MAX_LIFETIME_MS, clock) };
}

/** One record for each different mark. The mark 0 has no lifetime: its record removes the mark. */
export function marksRecords(
  key: string,
  marks: ReadonlyMap<string, number>,
  lifetimes: MarkLifetimes,
  clock: Clock,
): JournalRecord[] {
  const groups = new Map<number, string[]>();
  for (const [id, mark] of marks) {
    const group = groups.get(mark);
    if (group) group.push(id);
    else groups.set(mark, [id]);
  }
  return [...groups].map(([mark, ids]) => ({
    kind: 'marks',
    key,
    ids,
    mark,
    ...expiryIn(mark === 0 ? 0 : lifetimeOf(mark, lifetimes), clock),
  }));
}
