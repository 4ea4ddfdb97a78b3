import { describe, expect, it } from 'vitest';
import {
  boolean,
  functionOf,
  HEADER_SAFE,
  number,
  object,
  oneOf,
  secret,
  string,
} from '../src/option-checks.js';

describe('a check returns a valid value and refuses another with the remedy', () => {
  it('number', () => {
    const check = number({ min: 1, max: 5, integer: true, unit: 'orders' });
    expect([check('n', 1), check('n', 5)]).toEqual([1, 5]);
    for (const value of [0, 6, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '3', null]) {
      expect(() => check('n', value)).toThrow(
        'n: must be a whole number (orders) of at least 1 and at most 5',
      );
    }
    expect(number({ min: 0, infinite: true })('n', Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });

  it('boolean', () => {
    expect(boolean()('b', false)).toBe(false);
    expect(() => boolean()('b', 'false')).toThrow('b: must be true or false');
  });

  it('oneOf', () => {
    expect(oneOf('wait', 'throw')('mode', 'wait')).toBe('wait');
    expect(() => oneOf('wait', 'throw')('mode', 'drop')).toThrow("mode: must be 'wait' or 'throw'");
  });

  it('a string', () => {
    expect(string('a name')('name', 'pão')).toBe('pão');
    for (const value of ['', 5, undefined]) {
      expect(() => string('a name')('name', value)).toThrow('name: must be a name');
    }
    expect(() => string('a name')('name', 'a\nb')).toThrow(/contains characters that cannot be sent/);
    expect(() => string('a name', HEADER_SAFE)('name', 'pão')).toThrow(/contains characters/);
  });

  it('a secret, whose blanks around it are dropped', () => {
    const rotating = () => 'key';
    expect(secret('the key')('apiKey', ' key ')).toBe('key');
    expect(secret('the key')('apiKey', rotating)).toBe(rotating);
    expect(() => secret('the key')('apiKey', ' ')).toThrow(
      'apiKey: must be the key, or a function that returns it',
    );
  });

  it('an object with methods', () => {
    const clock = { now: () => 0 };
    expect(object('a Clock', 'now')('clock', clock)).toBe(clock);
    expect(() => object('a Clock', 'now')('clock', {})).toThrow('clock: must be a Clock: it has no now()');
    expect(() => object('a Clock', 'now')('clock', Promise.resolve(clock))).toThrow('await it');
    expect(() => object('a Clock')('clock', null)).toThrow('clock: must be a Clock');
  });

  it('a function', () => {
    expect(functionOf('a function')('fetch', fetch)).toBe(fetch);
    expect(() => functionOf('a function')('fetch', {})).toThrow('fetch: must be a function');
  });
});
