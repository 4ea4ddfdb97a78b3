import { ConfigurationError, type RequestToSign, TimeoutError } from 'opendelivery-client';
import { createMockHub, ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { signer } from '../hosts/profiles.js';
import { during, requestsTo, stage } from '../support.js';
import { failure } from './support.js';

const sign = signer('a-key');

describe('a signer', () => {
  it('gets method, address, headers and body of every attempt, and its headers are sent', async () => {
    const seen: RequestToSign[] = [];
    const profile = {
      sign: async (request: RequestToSign) => {
        seen.push(request);
        return { ...(await sign(request)), 'X-Attempt': String(seen.length) };
      },
    };
    const { mock, hub, clock } = stage({ profile: { sign } }, { profile });
    mock.faults.next('polling', 503);
    await during(clock, '1m', hub.events.poll());
    const address = 'https://hub.example/opendelivery';
    expect(seen.map(({ method, url, body }) => [method, url, body.replace(/=[^&]+/g, '=…')])).toEqual([
      ['POST', `${address}/oauth/token`, 'client_id=…&client_secret=…&grant_type=…'],
      ['GET', `${address}/v1/events:polling`, ''],
      ['GET', `${address}/v1/events:polling`, ''],
    ]);
    expect(seen[1]?.headers.authorization).toMatch(/^Bearer /);
    expect(mock.requests.map(({ headers }) => headers['x-attempt'])).toEqual(['1', '2', '3']);
    expect(mock.violations()).toEqual([]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('the key is in a-client-secret-of-mine');
      },
      'the key is in',
    ],
    [
      'rejects',
      async () => {
        throw new Error('no key');
      },
      'no key',
    ],
    ['returns nothing', () => undefined, 'must be an object of header names and values'],
    ['returns a number', async () => ({ 'x-signature': 5 }), 'must be a header value'],
    ['returns a line break', () => ({ 'x-signature': 'a\r\nx-admin: 1' }), 'must be a header value'],
    ['replaces the credential', () => ({ authorization: 'Basic x' }), 'is set by the client'],
  ])('that %s is a ConfigurationError, and nothing is sent', async (_, broken, reason) => {
    const clientSecret = 'a-client-secret-of-mine';
    const options = { clientSecret, profile: { sign: broken as typeof sign } };
    const { mock, hub } = stage({}, options);
    const error = await failure(hub.auth.getToken(), ConfigurationError);
    expect(error.message).toContain(
      'profile.sign: could not sign the request to token, so it was not sent; correct the function: ',
    );
    expect(error.message).toContain(reason);
    expect(error.message).not.toContain(clientSecret);
    expect(mock.requests).toEqual([]);
    // Its slot is free again: nothing was sent.
    expect(hub.rateLimits().token.remaining).toBe(10);
  });

  it('that does not return in time is a TimeoutError, and nothing is sent', async () => {
    const clock = new ManualClock();
    const hangs = () => {
      clock.park();
      return new Promise<never>(() => {});
    };
    const options = { clock, retry: { attempts: 1 }, profile: { sign: hangs } };
    const { mock, hub } = stage({ clock }, options);
    const error = await during(clock, '6s', failure(hub.auth.getToken({ timeoutMs: 5000 }), TimeoutError));
    expect(error).toMatchObject({ operation: 'sign', timeoutMs: 5000, retryable: true });
    expect(mock.requests).toEqual([]);
  });
});

describe('the mock hub', () => {
  it.each([
    ['a wrong key', { sign: signer('another') }, 'is not the right signature'],
    ['no signature', {}, 'is missing'],
  ])('refuses %s with 401, and reports it', async (_, profile, reason) => {
    const { mock, hub } = stage({ profile: { sign } }, { profile });
    await expect(hub.auth.getToken()).rejects.toMatchObject({ status: 401, endpoint: 'token' });
    expect(mock.violations()).toEqual([
      {
        rule: 'signature',
        endpoint: 'token',
        at: expect.any(Number),
        message: expect.stringContaining(reason),
      },
    ]);
    expect(requestsTo(mock, 'token')).toHaveLength(1);
  });

  it('refuses a body that was changed on its way', async () => {
    const clock = new ManualClock();
    const mock = createMockHub({ clock, profile: { sign } });
    const fetch: typeof mock.fetch = (url, init) =>
      mock.fetch(url, { ...init, ...(typeof init?.body === 'string' && { body: `${init.body}&x=1` }) });
    const { hub } = stage({ clock }, { clock, fetch, profile: { sign } });
    await expect(hub.auth.getToken()).rejects.toMatchObject({ status: 401 });
    expect(mock.violations()).toHaveLength(1);
  });
});
