import { memoryState, type Reservation, type State } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { guardState } from '../../src/state/guard.js';
import { requestsTo, stage } from '../support.js';
import { stateContract } from './contract.js';
import { STATE_METHODS } from './methods.js';

/** What a promise library of another making gives back. */
function thenable<T>(value: T): unknown {
  // biome-ignore lint/suspicious/noThenProperty: that is the point
  return { then: (resolve: (value: T) => void) => void queueMicrotask(() => resolve(value)) };
}

function asThenables(state: State): State {
  const methods = STATE_METHODS.map((name) => [
    name,
    (...parameters: never[]) => thenable(Reflect.apply(state[name], state, parameters)),
  ]);
  return Object.fromEntries(methods) as State;
}

stateContract('a guarded state of foreign thenables', () => guardState(asThenables(memoryState())));

describe('a client over such a state', () => {
  it('works as over any other', async () => {
    const { clock, mock, hub } = stage({}, { state: asThenables(memoryState()) });
    let handled = 0;
    const poller = hub.poller();
    poller.on('CREATED', () => void (handled += 1));
    const { event } = mock.createOrder();
    await poller.start();
    await clock.advance('5s');
    mock.redeliver(event.eventId);
    await clock.advance('1m');
    expect(handled).toBe(1);
    expect(mock.pending()).toEqual([]);
    expect(mock.violations()).toEqual([]);
    await poller.stop();
  });

  it.each([
    undefined,
    null,
    {},
    { granted: false },
    { granted: false, waitMs: Number.NaN, reason: 'quota' },
    { granted: true },
  ])('takes %j for no answer to a reservation, and asks no faster for it', async (answer) => {
    const state = memoryState();
    state.reserve = () => answer as Reservation;
    const { clock, mock, hub } = stage({}, { state });
    const told: string[] = [];
    const poller = hub.poller();
    poller.on('event', () => {});
    poller.on('error', (error) => void told.push(error.name));
    const started = poller.start().catch(() => {});
    await clock.advance('5m');
    expect(requestsTo(mock, 'polling')).toEqual([]);
    expect(new Set(told)).toEqual(new Set(['StateError']));
    expect(told.length).toBeLessThan(10);
    await poller.stop();
    await started;
  });
});
