import { AuthenticationError, ConnectionError, HubError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { overheard } from '../security/overheard.js';
import { CREDENTIALS, ENCODERS, findSecrets, printed, type Spelling } from '../security/scan.js';
import { CLIENT_ID, clientOf, failure, rawServer, SECRETS, sends } from './support.js';

const { clientSecret } = SECRETS;

/** A hub that first issues this token; a test then replaces `respond`. */
const issuing = (token: string = CREDENTIALS.token) =>
  rawServer(sends(200, JSON.stringify({ access_token: token, token_type: 'bearer', expires_in: 604_800 })));

const all = (of: Spelling) => Object.values(CREDENTIALS).map(of).join(' | ');

describe('secrets', () => {
  it('are found by these tests if they are there', () => {
    for (const [name, of] of ENCODERS) {
      const spelt = Object.keys(CREDENTIALS).map((key) => `${key} as ${name}`);
      expect(findSecrets(all(of))).toEqual(expect.arrayContaining(spelt));
      expect(findSecrets(printed(new Error(all(of))))).not.toEqual([]);
    }
    expect(findSecrets('a perfectly harmless text')).toEqual([]);
  });

  it('are not in a network error that quotes its request', async () => {
    const text = all((secret) => secret);
    const inner = Object.assign(new Error(`socket of ${text}`), { code: text, request: { headers: text } });
    const thrown = new TypeError(`fetch failed for ${text}`, { cause: inner });
    Object.assign(thrown, { config: { headers: { authorization: text } } });
    const server = await issuing();
    let isBroken = false;
    const { hub, call, everything } = overheard(server.url, {
      fetch: (url, init) => (isBroken ? Promise.reject(thrown) : globalThis.fetch(url, init)),
    });
    // The second request is sent with the other client secret.
    await call(() => hub.auth.getToken());
    await call(() => hub.auth.renew());
    isBroken = true;
    for (const work of [
      () => hub.auth.renew(),
      () => hub.merchant.get({ fresh: true }),
      () => hub.orders.get('1'),
      () => hub.orders.confirm('1'),
    ])
      expect(await call(work)).toBeInstanceOf(ConnectionError);
    expect(findSecrets(everything())).toEqual([]);
  });

  it('are not visible in part where an error page is cut', async () => {
    const long = `t${'0123456789abcdef'.repeat(64)}`;
    // After masking, the page is shorter than the 4 KiB that are kept, and includes its cut end.
    const server = await rawServer(sends(401, ` ${long}`.repeat(100)));
    const { hub } = clientOf(server.url, { apiKey: long });
    expect(printed(await failure(hub.merchant.get(), AuthenticationError))).not.toContain('0123456789abcdef');
  });

  it.each([
    ['a token of 6,660 characters', 'eyJ.Zm9vYmFy-_9876543'.repeat(317).padEnd(6660, '0')],
    ['a token with every character of a header', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'.repeat(3)],
  ])('in %s are masked', async (_name, token) => {
    const server = await issuing(token);
    const { hub, call, everything } = overheard(server.url);
    await call(() => hub.auth.getToken());
    const spellings = [token, encodeURIComponent(token), JSON.stringify(token)];
    for (const spelt of spellings) {
      server.respond = sends(500, `<p>${spelt}</p>`);
      expect(await call(() => hub.orders.get('1'))).toMatchObject({ code: 'server' });
    }
    for (const each of [...spellings, token.slice(20, 60)]) expect(everything()).not.toContain(each);
  });

  it('are masked if the hub echoes the header of Basic authentication', async () => {
    const formEncoded = new URLSearchParams({ s: clientSecret }).toString().slice(2);
    for (const secret of [clientSecret, formEncoded]) {
      const header = `Basic ${Buffer.from(`${CLIENT_ID}:${secret}`).toString('base64')}`;
      const server = await rawServer(sends(401, JSON.stringify({ title: `refused: ${header}` })));
      const { hub } = clientOf(server.url, { clientSecret });
      const { title } = await failure(hub.auth.renew(), AuthenticationError);
      expect(title).toBe('refused: Basic [secret]');
    }
  });

  it('of one letter leave our own words as they are', async () => {
    const server = await rawServer(sends(401, '{"title":"no"}'));
    const { hub } = clientOf(server.url, { clientSecret: 'e', apiKey: 'k' });
    const { message } = await failure(hub.auth.renew(), AuthenticationError);
    expect(message).toContain('token: the hub responded with 401 (no); check clientId and clientSecret');
  });

  it('do not make a message longer, even if the key is a date', async () => {
    const date = 'Thu, 01 Jan 1970 00:00';
    const server = await rawServer((response, { headers }) =>
      sends(400, String(headers['x-api-key']))(response),
    );
    const { hub } = clientOf(server.url, { apiKey: date });
    const shown = printed(await failure(hub.merchant.get(), HubError));
    expect(shown).not.toContain(date);
    expect(shown.length).toBeLessThan(50_000);
  });
});
