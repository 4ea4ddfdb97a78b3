import { ConfigurationError, isHubError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import {
  CartError,
  ConnectionError,
  isLocalFailure,
  LeaseLostError,
  ResponseTooLargeError,
  StateError,
  TimeoutError,
} from '../src/errors.js';

describe('errors', () => {
  it('are recognized if they come from another copy of the package', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('opendelivery-client.HubError')]: true });
    expect(isHubError(foreign)).toBe(true);
    for (const other of [new Error('x'), null, undefined, 'a string', 7, {}]) {
      expect(isHubError(other)).toBe(false);
    }
  });

  it('have their name, message and fields as JSON, and no stack', () => {
    const error = new ConfigurationError('retry.attempts', 'must be a whole number');
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'ConfigurationError',
      message: 'retry.attempts: must be a whole number',
      retryable: false,
      code: 'configuration',
      option: 'retry.attempts',
    });
  });

  it.each([
    [new TimeoutError('polling', 30_000), 'polling: no complete response within 30000 ms', true],
    [new TimeoutError('listener', 60_000), 'a listener has not settled within 60000 ms', true],
    [
      new ResponseTooLargeError('order', 8),
      'order: the response is larger than 8 bytes; raise maxResponseBytes if that is expected',
      false,
    ],
    [new CartError([]), 'the cart cannot be priced: it is invalid', false],
    [
      new CartError([
        { code: 'empty', path: [], message: 'the cart is empty' },
        { code: 'closed', path: [], message: 'the store is closed' },
      ]),
      'the cart cannot be priced: the cart is empty, and 1 more',
      false,
    ],
  ])('%s', (error, message, retryable) => {
    expect(error).toMatchObject({ message, retryable });
    expect(isHubError(error)).toBe(true);
  });

  it('are local failures unless the network, the hub or the state is the cause', () => {
    const mayHaveReachedHub = false;
    const hubFailures = [
      new ConnectionError('order', 'refused', { mayHaveReachedHub }),
      new TimeoutError('order', 1),
      new StateError('down'),
      new LeaseLostError(0),
    ];
    const localFailures = [
      new ConnectionError('order', 'fetch is broken', { mayHaveReachedHub, retryable: false }),
      new ConfigurationError('baseUrl', 'is missing'),
      new TypeError('a bug'),
      'a string',
    ];
    expect(hubFailures.map(isLocalFailure)).toEqual(hubFailures.map(() => false));
    expect(localFailures.map(isLocalFailure)).toEqual(localFailures.map(() => true));
  });
});
