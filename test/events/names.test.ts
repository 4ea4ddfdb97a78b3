import { ConfigurationError, EVENT_TYPES } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { LIFECYCLE_EVENTS, stage } from '../support.js';

const poller = () => stage().hub.poller();

describe('the name of an event', () => {
  it.each([
    ['CANCELED', 'CANCELLED'],
    ['CRATED', 'CREATED'],
    ['CREATDE', 'CREATED'],
    ['canceled', 'CANCELLED'],
    ['created', 'CREATED'],
    ['Created', 'CREATED'],
    ['Cancelled', 'CANCELLED'],
    ['pickedUp', 'PICKED_UP'],
    ['listenerfailed', 'listenerFailed'],
    ['Event', 'event'],
    ['READY-FOR-PICKUP', 'READY_FOR_PICKUP'],
    ['readyForPickup', 'READY_FOR_PICKUP'],
    ['DISPATCH', 'DISPATCHED'],
    ['events', 'event'],
    ['EVENT', 'event'],
    ['dead-letter', 'deadLetter'],
    ['deadletter', 'deadLetter'],
    ['STARTED', 'started'],
    ['errors', 'error'],
    ['acknowledge', 'acknowledged'],
  ])('%s is refused; %s was intended', (name, intended) => {
    for (const method of ['on', 'once', 'off'] as const) {
      const call = () => poller()[method](name as string, () => {});
      expect(call).toThrow(ConfigurationError);
      expect(call).toThrow(`did you mean '${intended}'?`);
    }
  });

  it.each(['foo', 'order.created', '', 'Zé', '__proto__', 'x'.repeat(1000)])('%j is refused', (name) => {
    expect(() => poller().on(name as string, () => {})).toThrow(ConfigurationError);
  });

  it.each([
    'REFUNDED',
    'RIDER_ARRIVED_AT_STORE',
    'SENT',
    'CANCELLATION_DENIED',
    'X',
    'CANCELLATION_REQUEST_ACCEPTED',
  ])("%s is accepted: it is a hub's own type, or another name of a known type", (name) => {
    expect(() => poller().on(name as string, () => {})).not.toThrow();
  });

  it.each([...EVENT_TYPES, ...LIFECYCLE_EVENTS, 'event', 'deadLetter'])('%s is accepted', (name) => {
    expect(() => poller().on(name as string, () => {})).not.toThrow();
  });

  it('is a misspelling if it differs from a known name in at most two letters; in upper case, only event types count', () => {
    const named = (name: string) => () => poller().on(name, () => {});
    expect(named('CXEAXED')).toThrow("did you mean 'CREATED'?");
    expect(named('CXEXXED')).not.toThrow();
    expect(named('RCEATED')).toThrow("did you mean 'CREATED'?");
    expect(named('EVENTED')).not.toThrow();
  });

  it('is given to methods that return the poller', () => {
    const one = poller();
    const listener = () => {};
    expect(one.on('CREATED', listener).once('error', listener).off('CREATED', listener)).toBe(one);
  });

  it.each([undefined, null, 5, {}, ''])('%j is refused: it is not a string, or empty', (name) => {
    expect(() => poller().on(name as string, () => {})).toThrow('must be an event type');
  });

  it('is quoted in the error, cut to 60 characters', () => {
    expect(() => poller().on('x'.repeat(1000), () => {})).toThrow(
      `name: '${'x'.repeat(60)}…' is not an event name`,
    );
  });
});

it('hub.on and merchant.on refuse a name that does not exist, and take every other', () => {
  const { hub } = stage();
  expect(() => hub.on('requests' as 'request', () => {})).toThrow("name: must be 'request' or 'response' or");
  expect(() => hub.merchant.on('update' as 'updated', () => {})).toThrow(
    "name: must be 'updated' or 'regressed'",
  );
  const names = [
    'request',
    'response',
    'retry',
    'rateLimited',
    'tokenRenewed',
    'tokenRenewalFailed',
  ] as const;
  for (const name of names) expect(hub.on(name, () => {})).toBe(hub);
  for (const name of ['updated', 'regressed'] as const) hub.merchant.on(name, () => {});
});
