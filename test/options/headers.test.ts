import { describe, expect, it } from 'vitest';
import { appInfo, headers } from '../../src/options/headers.js';

describe('headers', () => {
  it('are kept with their names in lower case, frozen', () => {
    const checked = headers('headers', { 'X-Partner': 'Key 1', accept: '*/*' });
    expect(checked).toEqual({ 'x-partner': 'Key 1', accept: '*/*' });
    expect(Object.isFrozen(checked)).toBe(true);
  });

  it.each(['Authorization', 'x-API-key', 'Host', 'Content-Type', 'accept-encoding'])(
    'may not contain %s, which the client sets',
    (name) => {
      expect(() => headers('headers', { [name]: 'x' })).toThrow(
        `headers.${name}: is set by the client; leave it out`,
      );
    },
  );
});

describe('appInfo', () => {
  it('is copied and frozen', () => {
    const given = { name: 'my-app', version: '1.2.3', url: 'https://my-app.example/about' };
    const checked = appInfo('appInfo', given);
    expect(checked).toEqual(given);
    expect(checked).not.toBe(given);
    expect(Object.isFrozen(checked)).toBe(true);
  });

  it('needs a name of at most 100 characters', () => {
    expect(() => appInfo('appInfo', { version: '1' })).toThrow('appInfo.name: is missing');
    expect(appInfo('appInfo', { name: 'x'.repeat(100) }).name).toHaveLength(100);
    expect(() => appInfo('appInfo', { name: 'x'.repeat(101) })).toThrow('appInfo.name: must be a name');
  });
});
