import { describe, expect, it } from 'vitest';
import { address, basePath, requireHttps } from '../../src/options/url.js';

describe('an address', () => {
  it.each([
    ['https://HUB.example/', 'https://hub.example'],
    ['https://hub.example:443/a/', 'https://hub.example/a'],
    ['https://hub.example/a/../b', 'https://hub.example/b'],
  ])('%s is normalized to %s, or kept verbatim', (given, normalized) => {
    expect(address('normalized')('baseUrl', given)).toBe(normalized);
    expect(address('verbatim')('tokenUrl', given)).toBe(given);
  });

  it.each([
    ['hub.example', /must be an address such as/],
    ['ftp://hub.example', /must be an https address/],
    ['https://a:b@hub.example', /must not contain credentials/],
    ['https://hub.example/?', /must not contain credentials, a query/],
  ])('%s is refused', (given, message) => {
    expect(() => address('normalized')('baseUrl', given)).toThrow(message);
  });
});

describe('requireHttps', () => {
  it.each([
    'https://hub.example',
    'http://localhost',
    'http://hub.localhost:8080',
    'http://127.1.2.3',
    'http://[::1]',
  ])('accepts %s', (given) => {
    expect(() => requireHttps('baseUrl', given)).not.toThrow();
  });

  it.each(['http://hub.example', 'http://localhost.hub.example', 'http://10.0.0.1', 'http://[::2]'])(
    'refuses %s',
    (given) => {
      expect(() => requireHttps('baseUrl', given)).toThrow(/^baseUrl: must be https/);
    },
  );
});

describe('basePath', () => {
  it.each([
    ['', ''],
    ['/', ''],
    ['/opendelivery', '/opendelivery'],
    ['/a/b/', '/a/b'],
  ])('%j is the prefix %j', (given, prefix) => {
    expect(basePath('basePath', given)).toBe(prefix);
  });

  it.each(['a', '/a//b', '/a/../b', '/a/%2E%2e/b', '/a?b', '/a#b', '/a b'])('%s is refused', (given) => {
    expect(() => basePath('basePath', given)).toThrow(/^basePath: must be a path/);
  });
});
