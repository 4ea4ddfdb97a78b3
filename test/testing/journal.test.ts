import { describe, expect, it } from 'vitest';
import { Journal } from '../../src/testing/journal.js';
import type { HubEvent } from '../../src/testing/mock-store.js';

const request = (body = '', path = '/v1/merchant') =>
  ({ at: 0, monotonicAt: 0, endpoint: undefined, method: 'POST', path, headers: {}, body }) as const;

describe('Journal', () => {
  it('removes the oldest entries, and still completes them', () => {
    const journal = new Journal();
    const first = journal.add(request());
    for (let count = 0; count < 10_000; count += 1) journal.add(request());
    journal.note(first, { status: 200 });
    expect(journal.entries).toHaveLength(10_000);
    expect(journal.entries).not.toContain(first.entry);
    expect(first.entry.status).toBe(200);
  });

  it('truncates a long body', () => {
    const { entry } = new Journal().add(request('x'.repeat(1_000_005)));
    expect(entry.body).toHaveLength(1_000_000 + '… [5 characters cut]'.length);
  });

  it('leaves out the events of a poll that would take more than half of its room', () => {
    const journal = new Journal();
    const event = { eventId: 'e', note: 'x'.repeat(9_000_000) } as unknown as HubEvent;
    const record = journal.add(request());
    journal.note(record, { status: 200, events: [event] });
    expect(record.entry).toMatchObject({ status: 200, events: undefined });
    expect(journal.entries).toHaveLength(1);
  });

  it('is empty after clear, with all its room', () => {
    const journal = new Journal();
    for (let count = 0; count < 20; count += 1) journal.add(request('x'.repeat(900_000)));
    journal.clear();
    expect(journal.entries).toEqual([]);
    for (let count = 0; count < 17; count += 1) journal.add(request('x'.repeat(900_000)));
    expect(journal.entries).toHaveLength(17);
  });
});
