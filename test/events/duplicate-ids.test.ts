import fc from 'fast-check';
import { memoryState, type OrderEvent } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { clientOf, stage } from '../support.js';

const WITHOUT_LISTENER = 'UNWATCHED';

/** The content of one event. */
interface Content {
  readonly eventId: string;
  readonly orderId: string;
  readonly eventType: string;
  readonly createdAt: string;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

const content: fc.Arbitrary<Content> = fc.record({
  eventId: fc.constantFrom('id-1', 'id-2'),
  orderId: fc.constantFrom('order-1', 'order-2'),
  eventType: fc.constantFrom('CREATED', 'confirmed', WITHOUT_LISTENER),
  createdAt: fc.constantFrom('2026-05-04T03:02:01Z', '2026-05-04T03:02:02Z'),
  metadata: fc.constantFrom(undefined, { reason: 'a', code: 'b' }, { reason: 'b' }),
});

const outcome = fc.constantFrom(
  'resolves',
  'resolves late',
  'throws',
  'rejects late',
  'times out',
  'resolves before the next poll',
);

const POLLS = 12;

/** Simulates a hub that uses ids twice, and forgets all events with an acknowledged id. */
async function play(
  newEvents: readonly (readonly Content[])[],
  outcomes: readonly string[],
  counts: { acknowledged: number; events: number },
): Promise<void> {
  const clock = new ManualClock();
  const mock = createMockHub({ clock });
  const pending = new Map<string, Content>();
  const delivered = new Map<string, Content>();
  const resolved = new Set<string>();
  const breaches: string[] = [];
  let polls = 0;
  let calls = 0;

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const path = String(input);
    if (path.includes('polling')) {
      for (const each of newEvents[polls] ?? [])
        if (!delivered.has(keyOf(each))) pending.set(keyOf(each), each);
      polls += 1;
      for (const [key, each] of pending) delivered.set(key, each);
      return Response.json(
        [...pending.values()].map((each) => ({ ...each, orderURL: 'https://hub.example/o' })),
      );
    }
    if (!path.includes('acknowledgment')) return mock.fetch(input, init);
    for (const { id } of JSON.parse(String(init?.body)) as { id: string }[]) {
      counts.acknowledged += 1;
      for (const [key, each] of pending) {
        if (each.eventId !== id) continue;
        if (each.eventType !== WITHOUT_LISTENER && !resolved.has(key)) breaches.push(`${id} before ${key}`);
        pending.delete(key);
      }
    }
    return new Response(undefined, { status: 202 });
  };
  const { hub } = clientOf(mock, { clock, fetch, state: memoryState() });
  const poller = hub.poller({ listenerTimeoutMs: 5000 });
  const listener = async (event: OrderEvent) => {
    const what = polls < POLLS ? outcomes[calls % outcomes.length] : 'resolves';
    calls += 1;
    if (what === 'throws') throw new Error('refused');
    if (what?.endsWith('late')) await clock.sleep(1500);
    // Its acknowledgment is still in the queue when the next poll returns more events.
    if (what === 'resolves before the next poll') await clock.sleep(29_500);
    if (what === 'times out') await clock.sleep(70_000);
    if (what === 'rejects late') throw new Error('refused late');
    resolved.add(keyOf({ ...event, createdAt: String(event.createdAt) } as Content));
  };
  poller
    .on('error', () => {})
    .on('CREATED', listener)
    .on('CONFIRMED', listener);
  await poller.start();
  await clock.advance(`${(POLLS + 8) * 30}s`);
  const stopped = poller.stop();
  await clock.advance('1m');
  await stopped;

  counts.events += delivered.size;
  expect(breaches).toEqual([]);
  expect([...pending.keys()]).toEqual([]);
  const toResolve = [...delivered].filter(([, { eventType }]) => eventType !== WITHOUT_LISTENER);
  expect(new Set(toResolve.map(([key]) => key))).toEqual(resolved);
}

function keyOf({ eventId, orderId, eventType, createdAt, metadata }: Content): string {
  return JSON.stringify([eventId, orderId, eventType.toUpperCase(), createdAt, metadata ?? null]);
}

describe('ids that a hub uses twice', () => {
  it('are acknowledged when every event that has them is handled, and each event reaches its listener', async () => {
    const counts = { acknowledged: 0, events: 0 };
    const lists = fc.array(fc.array(content, { maxLength: 5 }), { minLength: 1, maxLength: POLLS });
    await fc.assert(
      fc.asyncProperty(lists, fc.array(outcome, { minLength: 1, maxLength: 8 }), (polls, outcomes) =>
        play(polls, outcomes, counts),
      ),
      { numRuns: runs(100) },
    );
    expect(counts.acknowledged).toBeGreaterThan(runs(100));
    expect(counts.events).toBeGreaterThan(runs(100));
  });

  it('are also reported if the response to the acknowledgment of the first event was lost', async () => {
    const { clock, mock, hub } = stage();
    const reported: string[] = [];
    const seen: string[] = [];
    const poller = hub.poller();
    poller.on('event', ({ orderId }) => void seen.push(orderId));
    poller.on('error', () => {});
    poller.on('invalid', ({ issues }) => void reported.push(...issues.map(({ code }) => code)));
    mock.emit('CONFIRMED', { eventId: 'one', orderId: 'first' });
    mock.faults.next('acknowledgment', 'lost', 10);
    void poller.start();
    await clock.advance('3m');
    expect(mock.pending()).toEqual([]);
    mock.faults.clear();
    mock.emit('CONFIRMED', { eventId: 'one', orderId: 'second' });
    await clock.advance('31s');
    expect(seen).toEqual(['first', 'second']);
    expect(reported).toEqual(['duplicate_id']);
    const stopped = poller.stop();
    await clock.advance('1m');
    await stopped;
  });
});
