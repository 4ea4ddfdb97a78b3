import { describe, expect, it } from 'vitest';
import type { Account } from '../../src/auth/account.js';
import { retryAtOf } from '../../src/engine/due.js';
import type { Audience } from '../../src/engine/listeners.js';
import { arrive, confirm, decide, forgetMissing, mayAcknowledge, receive } from '../../src/engine/receive.js';
import { type EventStatus, findOpen, OpenEvent, openEvents, Store } from '../../src/engine/store.js';
import { keyOf } from '../../src/events/read.js';
import type { OrderEvent } from '../../src/schemas/event.js';

const DAY_MS = 86_400_000;
const NEW = { handled: false, attempts: 0 };

/** A store that has received `polls` polls. */
function storeAfter(polls = 1): Store {
  const store = new Store({ quote: (text: string) => text } as Account, 100);
  store.polls = polls;
  return store;
}

const event = (eventId: string, given: Partial<OrderEvent> = {}): OrderEvent =>
  ({ eventId, orderId: `order of ${eventId}`, eventType: 'CREATED', ...given }) as OrderEvent;

/** An open event that the last of `polls` has returned. */
function open(given: Partial<OpenEvent> = {}, of: OrderEvent = event('e'), polls = 1): OpenEvent {
  return Object.assign(new OpenEvent(of, keyOf(of), true, polls, 0), given);
}

/** Puts an event among the open ones, beside others with its id. */
function added(store: Store, one: OpenEvent): OpenEvent {
  store.open ??= new Map();
  one.next = store.open.get(one.event.eventId);
  store.open.set(one.event.eventId, one);
  return one;
}

const ids = (events: Iterable<OpenEvent>) => [...events].map((each) => each.event.eventId);

const NONE: ReadonlySet<OpenEvent> = new Set();

describe('decide', () => {
  const one: Audience = {
    registrations: [{ name: 'CREATED', listener: () => {}, once: false, isBusy: false }],
    isBusy: false,
  };
  const none: Audience = { registrations: [], isBusy: false };
  const busy: Audience = { registrations: [], isBusy: true };
  const NOW = 1000;

  it.each<[string, Partial<OpenEvent>, Audience, string]>([
    ['new', {}, one, 'run'],
    ['new, without a listener', {}, none, 'leave'],
    ['new, whose once listener is at work', {}, busy, 'wait'],
    ['running', { status: 'running', attempts: 1 }, one, 'wait'],
    ['running, without a listener', { status: 'running', attempts: 1 }, none, 'wait'],
    ['failed', { status: 'failed', attempts: 1 }, one, 'run'],
    ['failed, whose retry is due now', { status: 'failed', attempts: 1, retryAt: NOW }, one, 'run'],
    ['failed, whose retry is not due', { status: 'failed', attempts: 1, retryAt: NOW + 1 }, one, 'wait'],
    ['failed, whose last retry is not due', { status: 'failed', attempts: 3, retryAt: NOW + 1 }, one, 'wait'],
    ['failed, without a listener', { status: 'failed', attempts: 1 }, none, 'abandoned'],
    ['failed as often as allowed', { status: 'failed', attempts: 3 }, one, 'deadLetter'],
    ['failed as often as allowed, without a listener', { status: 'failed', attempts: 3 }, none, 'deadLetter'],
    ['attempted by another process as often as allowed', { attempts: 4 }, busy, 'deadLetter'],
    ['handled', { status: 'handled', attempts: 3 }, one, 'done'],
    ['marked', { status: 'marked' }, none, 'done'],
    ['acknowledging, whose retry is not due', { status: 'acknowledging', retryAt: NOW + 1 }, none, 'done'],
  ])('of an event that is %s', (_what, given, audience, expected) => {
    expect(decide(open(given), audience, { maxAttempts: 3, unhandled: 'acknowledge' }, NOW)).toBe(expected);
  });

  it.each([
    ['CREATED', 'leave', 'leave'],
    ['ORDER_CANCELLATION_REQUEST', 'leave', 'leave'],
    ['PREPARATION_REQUESTED', 'leave', 'leave'],
    ['DISPATCHED', 'acknowledge', 'leave'],
    ['A_TYPE_OF_THE_HUB', 'acknowledge', 'leave'],
  ])('of a %s without a listener', (eventType, byDefault, withLeave) => {
    const unhandled = open({}, event('e', { eventType }));
    const decisions = (['acknowledge', 'leave'] as const).map((each) =>
      decide(unhandled, none, { maxAttempts: Number.POSITIVE_INFINITY, unhandled: each }, NOW),
    );
    expect(decisions).toEqual([byDefault, withLeave]);
  });
});

describe('receive', () => {
  it.each<[string, EventStatus, Partial<typeof NEW>, 'done' | 'fresh' | 'neither', EventStatus]>([
    ['new', 'waiting', {}, 'fresh', 'waiting'],
    ['attempted before', 'waiting', { attempts: 2 }, 'fresh', 'waiting'],
    ['failed', 'failed', { attempts: 1 }, 'fresh', 'failed'],
    ['marked as handled by another process', 'waiting', { handled: true }, 'done', 'marked'],
    ['failed here, marked as handled by another process', 'failed', { handled: true }, 'done', 'marked'],
    [
      'still running here, marked as handled by another process',
      'running',
      { handled: true },
      'fresh',
      'running',
    ],
    ['running', 'running', { attempts: 1 }, 'fresh', 'running'],
    ['handled here, its mark is not written', 'handled', {}, 'neither', 'handled'],
    ['marked here', 'marked', {}, 'done', 'marked'],
  ])('of an event that is %s', (_what, status, mark, expected, next) => {
    const received = open({ status });
    const { done, queues } = receive([received], [{ ...NEW, ...mark }], NONE);
    const where = done.includes(received) ? 'done' : queues.flat().includes(received) ? 'fresh' : 'neither';
    expect([where, received.status]).toEqual([expected, next]);
  });

  it.each([
    [{ handled: false, attempts: 0 }, false, 0],
    [{ handled: false, attempts: 2 }, true, 2],
    // What an adapter returns beside `handled` is not used.
    [{ handled: true, attempts: 7 }, true, 0],
  ])('takes from the mark %j whether it was sent before, and the attempts', (mark, redelivered, attempts) => {
    const received = open();
    receive([received], [mark], NONE);
    expect([received.isRedelivered, received.attempts]).toEqual([redelivered, attempts]);
  });

  it('keeps the larger count of attempts, and notes which the state has counted ahead', () => {
    const more = open({ attempts: 5 });
    const other = open({}, event('other'));
    receive([more, other], [{ handled: false, attempts: 3 }, NEW], new Set([more, other]));
    expect([more.attempts, more.counted, other.counted]).toEqual([5, 'exactly', 'ahead']);
  });
});

describe('arrive', () => {
  it('makes one open event of each, also if a poll has it twice', () => {
    const store = storeAfter();
    const { received, issues } = arrive(store, { events: [event('a'), event('b')] }, true, 10);
    expect([ids(received), ids(openEvents(store)), issues]).toEqual([['a', 'b'], ['a', 'b'], []]);
    expect(received[0]).toMatchObject({
      status: 'waiting',
      isPolled: true,
      poll: 1,
      seenAt: 10,
      isRedelivered: false,
    });
  });

  it('finds the open event when the hub sends it again', () => {
    const store = storeAfter();
    const [first] = arrive(store, { events: [event('a')] }, true, 10).received;
    Object.assign(first as OpenEvent, { status: 'failed', attempts: 2 });
    store.polls = 2;
    const [again] = arrive(store, { events: [event('a')] }, true, 20).received;
    expect(again).toBe(first);
    expect(again).toMatchObject({
      status: 'failed',
      attempts: 2,
      poll: 2,
      seenAt: 20,
      receivedAt: 10,
      isRedelivered: true,
    });
  });

  it.each([
    ['acknowledging', 'marked'],
    ['handled', 'handled'],
    ['running', 'running'],
  ] as const)('of one that is %s leaves it %s', (status, next) => {
    const store = storeAfter();
    const [first] = arrive(store, { events: [event('a')] }, true, 10).received;
    (first as OpenEvent).status = status;
    arrive(store, { events: [event('a')] }, true, 20);
    expect(first?.status).toBe(next);
  });

  it('by push does not say that a poll has it; a later poll does', () => {
    const store = storeAfter(3);
    const [pushed] = arrive(store, { events: [event('a')] }, false, 10).received;
    expect(pushed?.isPolled).toBe(false);
    store.polls = 4;
    arrive(store, { events: [event('a')] }, true, 20);
    expect(pushed).toMatchObject({ isPolled: true, poll: 4, seenAt: 20 });
    arrive(store, { events: [event('a')] }, false, 30);
    expect(pushed).toMatchObject({ isPolled: true, poll: 4, seenAt: 20 });
  });

  it.each([
    ['is open', () => {}],
    ['was confirmed', (store: Store) => confirm(store, 'a')],
  ])('reports other content under an id that %s', (_what, between) => {
    const store = storeAfter();
    const [first] = arrive(store, { events: [event('a')] }, true, 10).received;
    (first as OpenEvent).status = 'marked';
    between(store);
    store.polls = 2;
    const { received, issues } = arrive(store, { events: [event('a', { orderId: 'other' })] }, true, 20);
    expect(received[0]).not.toBe(first);
    expect(issues).toMatchObject([{ code: 'duplicate_id' }]);
  });

  it('does not report the same content under an id that was confirmed', () => {
    const store = storeAfter();
    const [first] = arrive(store, { events: [event('a')] }, true, 10).received;
    (first as OpenEvent).status = 'marked';
    confirm(store, 'a');
    store.polls = 2;
    expect(arrive(store, { events: [event('a')] }, true, 20).issues).toEqual([]);
  });
});

describe('retryAtOf', () => {
  const MIN = 60_000;
  const MAX = 600_000;
  const options = { intervalMs: 30_000, retryDelayMs: { min: MIN, max: MAX } };

  it.each([
    // [attempts, without jitter, with all of it]
    [1, 60_000, 60_000],
    [2, 60_000, 120_000],
    [3, 120_000, 240_000],
    [4, 240_000, 480_000],
    [5, 300_000, 600_000],
    [6, 300_000, 600_000],
    [10_000, 300_000, 600_000],
  ])('after attempt %i is between %i and %i ms', (attempts, least, most) => {
    const at = (random: number) => retryAtOf(open({ attempts }), options, 0, 0, random);
    expect([at(0), at(1)]).toEqual([least, most]);
    for (let seed = 0; seed < 50; seed += 1) {
      const drawn = retryAtOf(open({ attempts }), options, 0, 0);
      expect(drawn >= least && drawn <= most).toBe(true);
    }
  });

  it.each([
    ['at the poll, if the run was shorter than an interval', 29_999, 0],
    ['at the end of the run, if it was longer', 30_000, 30_000],
  ])('begins %s', (_what, ranMs, beganAfterMs) => {
    expect(retryAtOf(open({ attempts: 1 }), options, 5000, 5000 + ranMs, 0)).toBe(5000 + beganAfterMs + MIN);
  });

  it('of min 0 and max 0 is at once', () => {
    const none = { intervalMs: 30_000, retryDelayMs: { min: 0, max: 0 } };
    expect(retryAtOf(open({ attempts: 9 }), none, 5000, 6000, 1)).toBe(5000);
  });
});

/** A store with two events of one id. */
function twoOfOneId(first: Partial<OpenEvent>, second: Partial<OpenEvent>, polls = 1) {
  const store = storeAfter(polls);
  const one = added(store, open(first, event('a'), polls));
  const two = added(store, open(second, event('a', { orderId: 'other' }), polls));
  return { store, one, two };
}

describe('mayAcknowledge', () => {
  it.each<[string, Partial<OpenEvent>, boolean]>([
    ['waits', { status: 'waiting' }, false],
    ['has failed', { status: 'failed' }, false],
    ['runs', { status: 'running' }, false],
    ['is handled, and its mark is not written', { status: 'handled' }, false],
    ['is marked', { status: 'marked' }, true],
    ['is being acknowledged', { status: 'acknowledging' }, true],
    ['has failed, and the hub does not send it any more', { status: 'failed', poll: 0 }, true],
  ])('an event while another one with its id %s', (_what, other, expected) => {
    const { store, one } = twoOfOneId({ status: 'marked' }, other);
    expect(mayAcknowledge(store, one)).toBe(expected);
  });

  it('waits for one that the last poll has left out, if that poll was full', () => {
    const { store, one } = twoOfOneId({ status: 'marked' }, { status: 'failed', poll: 0 });
    store.isPollComplete = false;
    expect(mayAcknowledge(store, one)).toBe(false);
  });
});

describe('confirm', () => {
  it.each<[EventStatus, boolean]>([
    ['waiting', true],
    ['running', true],
    ['failed', true],
    ['handled', true],
    ['marked', false],
    ['acknowledging', false],
  ])('of an id keeps an event that is %s: %s', (status, isKept) => {
    const { store, one, two } = twoOfOneId({ status: 'marked' }, { status });
    confirm(store, 'a');
    expect(findOpen(store, 'a', one.key)).toBeUndefined();
    expect(findOpen(store, 'a', two.key)).toBe(isKept ? two : undefined);
    expect(store.open?.has('a') ?? false).toBe(isKept);
    expect(store.confirmed?.get('a')).toBe(one.key);
  });

  it('of an unknown id changes nothing', () => {
    const store = storeAfter();
    confirm(store, 'a');
    expect([store.open, store.confirmed]).toEqual([undefined, undefined]);
  });
});

describe('forgetMissing', () => {
  it.each<[string, Partial<OpenEvent>, boolean, boolean]>([
    // [what, the event, whether the poll had all, whether it is kept]
    ['failed, and in the last poll', { status: 'failed', poll: 2, seenAt: 0 }, true, true],
    ['marked, and in the last poll', { status: 'marked', poll: 2 }, true, true],
    ['marked, and missing', { status: 'marked', poll: 1 }, true, false],
    ['being acknowledged, and missing', { status: 'acknowledging', poll: 1 }, true, false],
    ['marked, and missing in a full poll', { status: 'marked', poll: 1 }, false, true],
    ['failed, and missing', { status: 'failed', poll: 1 }, true, true],
    ['waiting, and missing', { status: 'waiting', poll: 1 }, true, true],
    ['handled without a mark, and missing', { status: 'handled', poll: 1 }, true, true],
    ['failed, and missing for a day', { status: 'failed', poll: 1, seenAt: -DAY_MS - 1 }, true, false],
    [
      'failed, and missing for a day, the polls were full',
      { status: 'failed', poll: 1, seenAt: -DAY_MS - 1 },
      false,
      false,
    ],
    [
      'running for more than a day, and missing',
      { status: 'running', poll: 1, seenAt: -DAY_MS - 1 },
      true,
      true,
    ],
  ])('of an event that is %s', (_what, given, isPollComplete, isKept) => {
    const store = storeAfter(2);
    store.isPollComplete = isPollComplete;
    added(store, open({ seenAt: 0, ...given }));
    forgetMissing(store, 1000, 0);
    expect(store.open?.has('e') ?? false).toBe(isKept);
  });

  it('waits for rememberMs, if that is longer than a day', () => {
    for (const [days, isKept] of [
      [1, true],
      [3, false],
    ] as const) {
      const store = storeAfter(2);
      added(store, open({ status: 'failed', poll: 1, seenAt: -days * DAY_MS - 1 }));
      forgetMissing(store, 2 * DAY_MS, 0);
      expect(store.open?.has('e') ?? false).toBe(isKept);
    }
  });
});
