import type { KnownEventType } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { applyEvent, checkCommand, type OrderState } from '../../src/testing/order-lifecycle.js';

/** The state of an order after these events. */
function stateAfter(...eventTypes: readonly string[]): OrderState {
  const order: OrderState = { stage: 'CREATED', cancellationBy: undefined };
  for (const eventType of eventTypes) applyEvent(order, eventType);
  return order;
}

describe('checkCommand', () => {
  it('returns the event and the status of a legal command', () => {
    expect(checkCommand(stateAfter(), 'confirm', 'DELIVERY')).toEqual({ emits: 'CONFIRMED', status: 202 });
    const requested = stateAfter('CONFIRMED', 'ORDER_CANCELLATION_REQUEST');
    expect(checkCommand(requested, 'acceptCancellation', 'DELIVERY')).toEqual({
      emits: 'CANCELLED',
      status: 204,
    });
  });

  it.each<[string, boolean, KnownEventType[]]>([
    ['confirm', true, ['CONFIRMED']],
    ['confirm', false, ['CANCELLED']],
    ['dispatch', true, ['DISPATCHED']],
    ['dispatch', false, []],
  ])('says whether an illegal %s is a repetition: %s', (command, isRepeated, events) => {
    expect(checkCommand(stateAfter(...events), command, 'DELIVERY')).toEqual({
      problem: expect.any(String),
      isRepeated,
    });
  });

  it('knows no other commands', () => {
    expect(checkCommand(stateAfter(), 'constructor', 'DELIVERY')).toBeUndefined();
  });
});

describe('applyEvent', () => {
  it('moves nothing back, and nothing after the end', () => {
    expect(stateAfter('CONFIRMED', 'DISPATCHED', 'CONFIRMED', 'CREATED').stage).toBe('DISPATCHED');
    expect(stateAfter('CANCELLED', 'CONCLUDED').stage).toBe('CANCELLED');
    expect(stateAfter('CONCLUDED', 'CANCELLED').stage).toBe('CONCLUDED');
  });

  it.each([
    ['CANCELLATION_REQUESTED', 'CANCELLED_DENIED', 'merchant'],
    ['CANCELLATION_REQUESTED', 'CANCELLATION_REQUEST_DENIED', undefined],
    ['ORDER_CANCELLATION_REQUEST', 'CANCELLATION_REQUEST_DENIED', 'platform'],
    ['ORDER_CANCELLATION_REQUEST', 'CANCELLED_DENIED', undefined],
  ])('%s, then %s: the open request is of %s', (request, answer, by) => {
    expect(stateAfter(request, answer).cancellationBy).toBe(by);
  });

  it('changes the stage, and leaves it at events that only inform', () => {
    expect(stateAfter('CONFIRMED', 'PICKUP_AREA_ASSIGNED', 'LOYALTY_POINTS').stage).toBe('CONFIRMED');
  });

  it.each([
    ['merchant', ['CANCELLATION_REQUESTED']],
    ['platform', ['ORDER_CANCELLATION_REQUEST']],
    [undefined, ['CANCELLATION_REQUESTED', 'CANCELLATION_REQUEST_DENIED']],
    [undefined, ['ORDER_CANCELLATION_REQUEST', 'CANCELLED_DENIED']],
    [undefined, ['ORDER_CANCELLATION_REQUEST', 'CANCELLED']],
  ] as const)('tracks who has requested a cancellation: %s', (side, events) => {
    expect(stateAfter('CONFIRMED', ...events).cancellationBy).toBe(side);
  });
});
