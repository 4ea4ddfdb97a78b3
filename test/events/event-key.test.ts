import fc from 'fast-check';
import type { OrderEvent } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../src/events/event-key.js';

const event = (changes: Partial<Record<keyof OrderEvent, unknown>> = {}) =>
  ({
    eventId: 'id',
    orderId: 'order',
    eventType: 'CREATED',
    createdAt: '2026-11-01T12:00:00Z',
    orderURL: 'https://hub.example/orders/order',
    ...changes,
  }) as OrderEvent;

describe('the key of an event', () => {
  it.each([
    ['eventId', 'other'],
    ['orderId', 'other'],
    ['eventType', 'CONFIRMED'],
    ['createdAt', '2026-11-01T12:00:01Z'],
    ['sourceAppId', 'app'],
    ['virtualBrand', 'brand'],
    ['metadata', {}],
    ['metadata', { reason: 'a' }],
  ])('differs for another %s', (field, value) => {
    expect(keyOf(event({ [field]: value }))).not.toBe(keyOf(event()));
  });

  it('starts with the event id', () => {
    expect(keyOf(event())).toMatch(/^id#\d+-\d+$/);
  });

  it('is the same for another URL, an unknown field, and a copy', () => {
    const same = { ...event({ orderURL: 'https://other.example' }), deliveries: 2 };
    expect(keyOf(same as OrderEvent)).toBe(keyOf(event()));
  });

  it('does not depend on the order of the keys in the metadata', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (metadata) => {
        const reversed = Object.fromEntries(Object.entries(metadata).reverse());
        expect(keyOf(event({ metadata: reversed }))).toBe(keyOf(event({ metadata })));
      }),
    );
  });

  it('does not confuse a value with its neighbour', () => {
    expect(keyOf(event({ sourceAppId: 'x' }))).not.toBe(keyOf(event({ virtualBrand: 'x' })));
  });

  it('leaves out metadata that is nested deeper than the stack', () => {
    let metadata: object = {};
    for (let depth = 0; depth < 100_000; depth += 1) metadata = { metadata };
    expect(keyOf(event({ metadata }))).toMatch(/^id#\d+-\d+$/);
  });
});
