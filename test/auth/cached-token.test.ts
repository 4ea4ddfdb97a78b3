import { InvalidResponseError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { failure } from '../http/support.js';
import { requestsTo, stage } from '../support.js';

const responseWith = (access_token: unknown) => ({
  type: 'status' as const,
  status: 200,
  body: { access_token, token_type: 'bearer', expires_in: 3600 },
});

describe('a token', () => {
  it.each([
    ['longer than 16 KiB', 'x'.repeat(16_385), 'longer than 16384 characters'],
    ['of 8 MB', 'x'.repeat(8_000_000), 'longer than 16384 characters'],
    ['with a line break', 'tok3n-value\r\nx-admin: 1', 'not valid in a header'],
    ['with a space', 'tok3n value', 'not valid in a header'],
    ['with a non-ASCII letter', 'tok3n-valué', 'not valid in a header'],
    ['that is empty', '', 'is empty'],
  ])('%s is an invalid response, and the error does not show it', async (_what, value, message) => {
    const { mock, hub } = stage({}, { maxResponseBytes: { other: 16 * 1024 * 1024 } });
    mock.faults.next('token', responseWith(value));
    const error = await failure(hub.auth.getToken(), InvalidResponseError);
    expect(error).toMatchObject({ endpoint: 'token', retryable: false });
    expect(error.message).toContain(message);
    expect(error.message.length).toBeLessThan(200);
    expect(JSON.stringify(error)).not.toContain(value.slice(0, 8) || 'access_token":"');
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it('of exactly 16 KiB is used', async () => {
    const { mock, hub } = stage();
    const value = 'x'.repeat(16_384);
    mock.faults.next('token', responseWith(value));
    expect((await hub.auth.getToken()).value).toBe(value);
  });
});
