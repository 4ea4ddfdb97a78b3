import fc from 'fast-check';
import type { OrderEvent } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { Entry } from '../../src/events/entry.js';
import { queuesByOrder } from '../../src/events/order-queues.js';

const event = (orderId: string, eventType: string, createdAt?: string) =>
  ({ eventId: `${orderId} ${eventType} ${createdAt}`, orderId, eventType, createdAt }) as OrderEvent;

const queuesOf = (events: readonly OrderEvent[]) =>
  queuesByOrder(events.map((each) => new Entry(each, each.eventId, 0, 1))).map((queue) =>
    queue.map((entry) => entry.event),
  );

const typesOf = (events: readonly OrderEvent[]) =>
  queuesOf(events).map((queue) => queue.map(({ orderId, eventType }) => `${orderId} ${eventType}`));

const [EARLY, LATE] = ['2026-11-01T12:00:00Z', '2026-11-01T09:00:01-03:00'];

describe('the queues of orders', () => {
  it('have one queue per order, new orders first, otherwise in the order of arrival', () => {
    const events = [
      event('a', 'CONFIRMED'),
      event('b', 'CREATED'),
      event('c', 'DELIVERED'),
      event('a', 'PREPARING'),
    ];
    expect(typesOf(events)).toEqual([['b CREATED'], ['a CONFIRMED', 'a PREPARING'], ['c DELIVERED']]);
  });

  it('are sorted by the instant of createdAt, whatever its time zone', () => {
    const events = [event('a', 'CONFIRMED', LATE), event('a', 'PREPARING', EARLY)];
    expect(typesOf(events)).toEqual([['a PREPARING', 'a CONFIRMED']]);
  });

  it('are sorted by lifecycle rank if createdAt is the same, then by arrival', () => {
    const types = ['CANCELLED', 'REFUNDED', 'CONFIRMED', 'CREATED', 'ANOTHER'];
    const queue = ['a CREATED', 'a CONFIRMED', 'a CANCELLED', 'a REFUNDED', 'a ANOTHER'];
    expect(typesOf(types.map((type) => event('a', type, EARLY)))).toEqual([queue]);
  });

  it('have events without a readable date first', () => {
    const events = [event('a', 'CONFIRMED', EARLY), event('a', 'DELIVERED', 'soon'), event('a', 'PREPARING')];
    expect(typesOf(events)).toEqual([['a PREPARING', 'a DELIVERED', 'a CONFIRMED']]);
  });

  it('contain every event once, and do not depend on the order of arrival of different events', () => {
    const arbitrary = fc.record({
      orderId: fc.constantFrom('a', 'b'),
      eventType: fc.constantFrom('CREATED', 'CONFIRMED', 'PREPARING', 'DELIVERED'),
      createdAt: fc.constantFrom(EARLY, LATE, 'soon', undefined),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(arbitrary, {
          selector: ({ orderId, eventType, createdAt }) =>
            `${orderId} ${eventType} ${Date.parse(createdAt ?? '') || 0}`,
        }),
        (given) => {
          const events = given.map(({ orderId, eventType, createdAt }) =>
            event(orderId, eventType, createdAt),
          );
          const queues = (list: readonly OrderEvent[]) =>
            new Map(queuesOf(list).map((queue) => [queue[0]?.orderId, queue]));
          expect(queues([...events].reverse())).toEqual(queues(events));
          expect(new Set([...queues(events).values()].flat())).toEqual(new Set(events));
        },
      ),
    );
  });
});
