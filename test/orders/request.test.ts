import { describe, expect, it } from 'vitest';
import { pathSegment, requireObject, toJson } from '../../src/orders/request.js';

describe('pathSegment', () => {
  it.each([
    ['a-1', 'a-1'],
    ['a/b?c=d#e', 'a%2Fb%3Fc%3Dd%23e'],
    ['../x', '..%2Fx'],
    ['...', '...'],
    ['é', '%C3%A9'],
  ])('encodes %s', (given, segment) => {
    expect(pathSegment('orderId', given)).toBe(segment);
  });

  it.each([
    ['', "orderId: must be a non-empty string other than '.' and '..'; pass the orderId that the hub sent"],
    ['..', "orderId: must be a non-empty string other than '.' and '..'"],
    [7, 'orderId: must be a non-empty string'],
    ['a\nb', 'orderId: contains control characters; look for a stray line break'],
    ['a\ud800', 'orderId: contains a lone surrogate, so it is not valid Unicode'],
  ])('refuses %j', (given, message) => {
    expect(() => pathSegment('orderId', given)).toThrow(message);
  });
});

describe('toJson', () => {
  it('serializes an object', () => {
    expect(toJson({ a: [1] })).toBe('{"a":[1]}');
  });

  it('refuses what JSON cannot represent', () => {
    expect(() => toJson({ a: 1n })).toThrow(
      'body: cannot be sent as JSON, remove what it cannot represent: ',
    );
    expect(() => toJson('a' as never)).toThrow('body: must be an object that can be sent as JSON');
    expect(() => requireObject(null)).toThrow('body: must be an object');
  });
});
