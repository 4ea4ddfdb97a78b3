import { describe, expect, it } from 'vitest';
import { secretsIn } from '../../src/secrets/headers.js';

describe('secretsIn', () => {
  it.each([
    ['a key', { 'x-partner-key': 'a-partner-key' }, ['a-partner-key']],
    ['the credential behind a scheme', { 'x-auth': 'Basic dXNlcjpwYXNz' }, ['dXNlcjpwYXNz']],
    ['the value of a cookie', { cookie: 'session=abcdefgh; theme=dark' }, ['abcdefgh']],
  ])('finds %s', (_name, headers, secrets) => {
    expect(secretsIn(headers)).toEqual(expect.arrayContaining(secrets));
  });

  it('leaves out short values and headers that are not secret', () => {
    expect(secretsIn({ 'x-env': 'prod', 'user-agent': 'my-long-application/1.0' })).toEqual([]);
  });
});
