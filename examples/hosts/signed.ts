import { createHmac } from 'node:crypto';
import type { HostProfile } from 'opendelivery-client';
import type { MockHubSwitches } from 'opendelivery-client/testing';

/**
 * A host that takes the credentials of the token request in a Basic header, and wants every request signed. Public
 * clients try Basic. The signature is made as the standard's webhook is signed: HMAC-SHA256 of the body in lower-case
 * hex, here with the method, the path and the time, as an example.
 */
export const signedWith = (key: string): HostProfile => ({
  name: 'a host that wants signed requests',
  basePath: '',
  token: { credentials: 'basic' },
  sign: ({ method, url, headers, body }) => {
    // The mock hub calls this function too, on a request that has its time already.
    const at = headers['x-signed-at'] ?? new Date().toISOString();
    const { pathname } = new URL(url);
    const signature = createHmac('sha256', key).update([method, pathname, at, body].join('\n')).digest('hex');
    return { 'x-signed-at': at, 'x-app-signature': signature };
  },
});

export const profile = signedWith('a-key-that-the-host-has-issued');

/** How its mock hub differs beside the profile. */
export const switches: Partial<MockHubSwitches> = { limitHeaders: false };
