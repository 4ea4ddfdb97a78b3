import * as fc from 'fast-check';
import { type OrderProgress, orderProgress } from 'opendelivery-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runs } from '../runs.js';
import { eventsArbitrary, lifeArbitrary, progressOf, repeated, STAGES } from './lifecycles.js';

const AT = '2026-01-01T12:00:00Z';

/** Events of these types; `TYPE@2` is two minutes later than `TYPE`. */
const events = (...types: readonly string[]) =>
  types.map((text, index) => {
    const [eventType = '', minute = '0'] = text.split('@');
    return { eventId: `event-${index}`, eventType, createdAt: `2026-01-01T12:0${minute}:00Z` };
  });

const progressAfter = (...types: readonly string[]) => progressOf(events(...types));

/** In both orders of arrival. */
const cancellationAfter = (...types: readonly string[]) => {
  const result = progressAfter(...types)?.cancellation;
  expect(progressOf(events(...types).reverse())?.cancellation).toBe(result);
  return result;
};

describe('the stage', () => {
  it.each(STAGES)('is the name of the event type that set it: %s', (stage) => {
    expect(progressAfter(stage)).toEqual({ stage, cancellation: 'none', at: Date.parse(AT) });
  });

  it.each([
    'PREPARATION_REQUESTED',
    'PICKUP_AREA_ASSIGNED',
    'DRONE_LAUNCHED',
    '__proto__',
    'constructor',
    '',
  ])('stays at an event that does not move the order on: %s', (type) => {
    const before = progressAfter('CREATED', 'CONFIRMED@1');
    expect(progressAfter('CREATED', 'CONFIRMED@1', `${type}@2`)).toEqual(before);
    expect(progressAfter(type)).toEqual({ stage: 'CREATED', cancellation: 'none' });
  });

  it.each(['CONCLUDED', 'CANCELLED'] as const)('%s is final', (final) => {
    const end = progressAfter(final);
    const others = [...STAGES.filter((type) => type !== 'CANCELLED' && type !== final)];
    for (const type of [
      ...others,
      'CANCELLATION_REQUESTED',
      'ORDER_CANCELLATION_REQUEST',
      'CANCELLED_DENIED',
      'CANCELLATION_REQUEST_DENIED',
      'DRONE_LAUNCHED',
    ]) {
      if (final === 'CANCELLED' || type !== 'CANCELLED')
        expect(progressAfter(final, `${type}@1`), type).toEqual(end);
    }
  });

  it('is CANCELLED if an order is both concluded and cancelled, in either order', () => {
    expect(progressAfter('CONCLUDED', 'CANCELLED@1')).toEqual(progressAfter('CANCELLED@1', 'CONCLUDED'));
    expect(progressAfter('CONCLUDED', 'CANCELLED@1')?.stage).toBe('CANCELLED');
  });

  it('accepts older names and other letter cases of the types', () => {
    expect(progressAfter('cancelled')?.stage).toBe('CANCELLED');
    expect(progressAfter('ORDER_CANCELLATION_REQUESTED')?.cancellation).toBe('asked_by_hub');
    expect(progressAfter('ORDER_CANCELLATION_REQUEST', 'CANCELLATION_DENIED')?.cancellation).toBe('denied');
  });
});

describe('the cancellation', () => {
  it('counts an event once that comes once with a date and once without', () => {
    const [asked, denied] = events('ORDER_CANCELLATION_REQUEST', 'CANCELLED_DENIED@1') as [object, object];
    const copy = { ...asked, createdAt: undefined };
    for (const arrived of [
      [asked, copy, denied],
      [copy, asked, denied],
      [denied, copy, asked],
    ]) {
      expect(progressOf(arrived as never)?.cancellation).toBe('denied');
    }
  });

  it.each([
    ['asked_by_store', 'CANCELLATION_REQUESTED'],
    ['asked_by_hub', 'ORDER_CANCELLATION_REQUEST'],
    ['denied', 'CANCELLATION_REQUESTED CANCELLATION_REQUEST_DENIED'],
    ['denied', 'ORDER_CANCELLATION_REQUEST CANCELLED_DENIED'],
    ['denied', 'CANCELLED_DENIED'],
    // Two requests, with one answer and with two.
    ['asked_by_hub', 'ORDER_CANCELLATION_REQUEST CANCELLED_DENIED@1 ORDER_CANCELLATION_REQUEST@2'],
    [
      'denied',
      'ORDER_CANCELLATION_REQUEST CANCELLED_DENIED@1 ORDER_CANCELLATION_REQUEST@2 CANCELLED_DENIED@3',
    ],
    // All events have the time of the order: the second request is open.
    ['asked_by_hub', 'ORDER_CANCELLATION_REQUEST CANCELLED_DENIED ORDER_CANCELLATION_REQUEST'],
    // A hub that asks again before the answer: one answer is enough.
    ['denied', 'ORDER_CANCELLATION_REQUEST ORDER_CANCELLATION_REQUEST@1 CANCELLED_DENIED@2'],
    // The answer to a request that another consumer acknowledged.
    ['asked_by_hub', 'CANCELLED_DENIED ORDER_CANCELLATION_REQUEST@1'],
    // The hub's request needs an answer, so it comes first; the store's is still open after it.
    ['asked_by_hub', 'CANCELLATION_REQUESTED ORDER_CANCELLATION_REQUEST@1'],
    ['asked_by_store', 'CANCELLATION_REQUESTED ORDER_CANCELLATION_REQUEST@1 CANCELLED_DENIED@2'],
    ['asked_by_hub', 'CANCELLATION_REQUESTED ORDER_CANCELLATION_REQUEST@1 CANCELLATION_REQUEST_DENIED@2'],
    ['none', 'ORDER_CANCELLATION_REQUEST CANCELLED@1'],
    ['none', 'CANCELLATION_REQUESTED CONCLUDED@1'],
  ])('is %s after %s', (cancellation, types) => {
    expect(cancellationAfter(...types.split(' '))).toBe(cancellation);
  });

  it('counts requests and denials if a time is missing or unreadable', () => {
    const [request, denial] = events('ORDER_CANCELLATION_REQUEST', 'CANCELLED_DENIED') as [never, never];
    for (const createdAt of [undefined, 'soon', '-3', '0001-01-01T00:00:00', 5 as never]) {
      expect(progressOf([{ ...(request as object), createdAt } as never, denial])?.cancellation).toBe(
        'denied',
      );
      expect(progressOf([request, { ...(denial as object), createdAt } as never])?.cancellation).toBe(
        'denied',
      );
    }
  });
});

describe('the time', () => {
  const at = (createdAt: unknown) =>
    orderProgress(undefined, { eventId: '1', eventType: 'CREATED', createdAt: createdAt as string }).at;

  it.each([
    '2026-01-01T12:00:00Z',
    '2026-01-01T12:00:00.0000000Z',
    '2026-01-01T09:00:00-03:00',
    '2026-01-01T09:00:00-0300',
    '2026-01-01 12:00',
    '2026-01-01T12:00:00',
  ])('is read from %s, without a zone as UTC', (createdAt) => {
    vi.stubEnv('TZ', 'America/Sao_Paulo');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(at(createdAt)).toBe(Date.parse(AT));
  });

  it.each([[undefined], [null], ['soon'], ['-3'], ['0001-01-01T00:00:00'], ['2026-99-01T00:00:00Z'], [5]])(
    'is absent if it is unreadable: %s',
    (createdAt) => {
      expect(at(createdAt)).toBeUndefined();
    },
  );

  it('is the earliest of the events that set the stage', () => {
    expect(progressAfter('CREATED', 'CONFIRMED@3', 'CONFIRMED@1', 'CONFIRMED@2')?.at).toBe(
      Date.parse(AT) + 60_000,
    );
  });
});

describe('any order of arrival and any repetition', () => {
  it('gives the same result for every life of an order, and the right one', () => {
    fc.assert(
      fc.property(
        lifeArbitrary.chain((life) => fc.tuple(fc.constant(life), repeated(life.events))),
        ([life, arrived]) => {
          const expected = progressOf(life.events);
          expect(expected).toMatchObject({ stage: life.stage, cancellation: life.cancellation });
          expect(JSON.stringify(progressOf(arrived))).toBe(JSON.stringify(expected));
        },
      ),
      { numRuns: runs(4000, 16) },
    );
  });

  it('gives the same result for any events, and never goes back', () => {
    fc.assert(
      fc.property(
        eventsArbitrary.chain((all) =>
          fc.tuple(fc.constant(all), all.length > 0 ? repeated(all) : fc.constant([])),
        ),
        ([all, arrived]) => {
          expect(JSON.stringify(progressOf(arrived))).toBe(JSON.stringify(progressOf(all)));
          let progress: OrderProgress | undefined;
          for (const event of arrived) {
            const next = orderProgress(progress, event);
            expect(STAGES.indexOf(next.stage)).toBeGreaterThanOrEqual(
              progress ? STAGES.indexOf(progress.stage) : 0,
            );
            expect(orderProgress(next, event)).toEqual(next);
            progress = next;
          }
        },
      ),
      { numRuns: runs(4000, 16) },
    );
  });
});

describe('bad input', () => {
  const [event] = events('CONFIRMED') as [never];

  it.each([
    ['a string', JSON.stringify({ stage: 'CREATED', cancellation: 'none' }), /parse the stored JSON/],
    ['an array', [], /an object that orderProgress returned/],
    ['a number', 1, /an object that orderProgress returned/],
    ['without a stage', { cancellation: 'none' }, /no known stage/],
    ['with an unknown stage', { stage: 'toString', cancellation: 'none' }, /no known stage/],
    ['with an unknown cancellation', { stage: 'CREATED', cancellation: 'maybe' }, /no known cancellation/],
    ['with another time', { stage: 'CREATED', cancellation: 'none', at: AT }, /`at`/],
    [
      'with a part left out',
      { stage: 'CREATED', cancellation: 'asked_by_hub' },
      /store the whole object that orderProgress returned/,
    ],
    [
      'with cancellationEvents that are no array',
      { stage: 'CREATED', cancellation: 'none', cancellationEvents: {} },
      /invalid cancellationEvents/,
    ],
    [
      'with other cancellationEvents',
      { stage: 'CREATED', cancellation: 'none', cancellationEvents: [{ eventId: 1 }] },
      /invalid cancellationEvents/,
    ],
  ])('refuses a progress %s', (_what, previous, message) => {
    const call = () => orderProgress(previous as never, event);
    expect(call).toThrow(expect.objectContaining({ code: 'configuration', option: 'progress' }));
    expect(call).toThrow(message);
  });

  it('takes null, as a database returns it, for no progress', () => {
    expect(orderProgress(null, event)).toEqual(orderProgress(undefined, event));
  });

  it.each([[undefined], [null], ['CREATED'], [{}], [{ eventType: 'CREATED' }], [{ eventId: '1' }]])(
    'refuses the event %j',
    (bad) => {
      expect(() => orderProgress(undefined, bad as never)).toThrow(
        expect.objectContaining({ code: 'configuration', option: 'event' }),
      );
    },
  );
});
