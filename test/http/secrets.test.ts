import { inspect } from 'node:util';
import {
  AuthenticationError,
  ConnectionError,
  type HubClient,
  type HubError,
  type Logger,
} from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { HUB_EVENTS } from '../support.js';
import { CLIENT_ID, clientOf, type RawServer, rawServer, SECRETS, SPELLINGS, sends } from './support.js';

const CORES = Object.entries(SECRETS).flatMap(([name, secret]) =>
  SPELLINGS.map(([spelling, of]) => {
    // The first and last characters of base64 depend on the neighbours and may remain.
    const spelt = of(secret).replace(/=+$/, '');
    const core = spelt.slice(Math.ceil(spelt.length / 3), Math.floor((spelt.length * 2) / 3));
    return { found: `${name} as ${spelling}`, core };
  }),
);

/** The secrets in a string, in any spelling; the middle third of one is enough. */
function findIn(text: string): string[] {
  // `inspect` and `JSON.stringify` escape once more; both forms are searched.
  const readings = [
    text,
    text.replaceAll('\\\\', '\\'),
    text.replaceAll('\\"', '"').replaceAll('\\\\', '\\'),
  ];
  readings.push(...readings.map((reading) => reading.replaceAll("\\'", "'")));
  return CORES.filter(({ core }) => readings.some((reading) => reading.includes(core))).map(
    ({ found }) => found,
  );
}

/** Everything that can be printed of an error. */
function printed(error: unknown): string {
  const { message, body, cause, stack, issues } = Object(error) as Record<string, unknown>;
  return [
    message,
    body,
    stack,
    String(error),
    JSON.stringify(issues),
    JSON.stringify(error),
    inspect(error),
    inspect(error, { showHidden: true, depth: null }),
    inspect(cause, { showHidden: true, depth: null }),
  ].join('\n');
}

/** A client whose log lines, events and errors are recorded. */
function overheard(baseUrl: string, options: Parameters<typeof clientOf>[1] = {}) {
  const said: string[] = [];
  const keep = (...words: unknown[]) => void said.push(inspect(words, { showHidden: true, depth: null }));
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };
  const { clientSecret, apiKey } = SECRETS;
  const { hub, clock } = clientOf(baseUrl, { clientId: CLIENT_ID, clientSecret, apiKey, logger, ...options });
  for (const name of HUB_EVENTS) {
    hub.on(name, (event) => {
      keep(name, event);
      said.push(JSON.stringify(event));
      if ('error' in event) said.push(printed(event.error));
      // The failure of a listener is logged, with its error.
      if (name === 'response') throw new Error('a listener that fails');
    });
  }
  return {
    hub,
    clock,
    everything: () =>
      [...said, inspect(hub, { showHidden: true, depth: null }), JSON.stringify(hub)].join('\n'),
  };
}

/** The errors of calls with every kind of credential. */
async function errorsOf(hub: HubClient): Promise<HubError[]> {
  const calls = [
    hub.auth.renew(),
    hub.merchant.get({ fresh: true }),
    hub.orders.get('1'),
    hub.orders.confirm('1'),
  ];
  const settled = await Promise.allSettled(calls);
  return settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as HubError] : []));
}

/** A hub that first issues the token; a test then replaces `respond`. */
async function leakyHub(): Promise<RawServer> {
  return rawServer(
    sends(200, JSON.stringify({ access_token: SECRETS.token, token_type: 'bearer', expires_in: 604_800 })),
  );
}

const all = (of: (secret: string) => string) => Object.values(SECRETS).map(of).join(' | ');

describe('secrets', () => {
  it('are found by these tests if they are there', () => {
    for (const [name, of] of SPELLINGS) {
      expect(findIn(all(of))).toEqual(
        expect.arrayContaining(Object.keys(SECRETS).map((key) => `${key} as ${name}`)),
      );
      expect(findIn(printed(new Error(all(of))))).not.toEqual([]);
    }
    expect(findIn('a perfectly harmless text')).toEqual([]);
  });

  it('are not in a network error that quotes its request', async () => {
    const text = all((secret) => secret);
    const inner = Object.assign(new Error(`socket of ${text}`), { code: text, request: { headers: text } });
    const thrown = new TypeError(`fetch failed for ${text}`, { cause: inner });
    Object.assign(thrown, { config: { headers: { authorization: text } } });
    const server = await leakyHub();
    let broken = false;
    const { hub, everything } = overheard(server.url, {
      fetch: (url, init) => (broken ? Promise.reject(thrown) : globalThis.fetch(url, init)),
    });
    await hub.auth.getToken();
    broken = true;
    for (const error of await errorsOf(hub)) {
      expect(error).toBeInstanceOf(ConnectionError);
      expect(findIn(printed(error))).toEqual([]);
    }
    expect(findIn(everything())).toEqual([]);
  });

  it('are not visible in part where an error page is cut', async () => {
    const server = await leakyHub();
    const long = `t${'0123456789abcdef'.repeat(64)}`;
    const { hub } = overheard(server.url, { apiKey: long });
    // After masking, the page is shorter than the 4 KiB that are kept, and includes its cut end.
    server.respond = sends(401, ` ${long}`.repeat(100));
    const error = await hub.merchant.get().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(printed(error)).not.toContain('0123456789abcdef');
  });

  it('that a function returns are masked too, also after a rotation', async () => {
    const server = await leakyHub();
    let turn = 0;
    const { hub } = overheard(server.url, { clientSecret: async () => `rotated-secret-${++turn}` });
    server.respond = (response, { body }) => sends(401, body)(response);
    for (const value of ['rotated-secret-1', 'rotated-secret-2']) {
      const error = await hub.auth.renew().catch((reason: unknown) => reason);
      expect(server.requests.at(-1)?.body).toContain(value);
      expect(printed(error)).not.toContain('rotated-secret');
    }
  });

  it.each([
    ['a token of 6,660 characters', 'eyJ.Zm9vYmFy-_9876543'.repeat(317).padEnd(6660, '0')],
    ['a token with every character of a header', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'.repeat(3)],
  ])('in %s are masked', async (_name, token) => {
    const server = await rawServer(
      sends(200, JSON.stringify({ access_token: token, token_type: 'bearer', expires_in: 604_800 })),
    );
    const { hub, everything } = overheard(server.url);
    await hub.auth.getToken();
    const spellings = [token, encodeURIComponent(token), JSON.stringify(token)];
    for (const spelt of spellings) {
      server.respond = sends(500, `<p>${spelt}</p>`);
      const error = await hub.orders.get('1').catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'server' });
      for (const each of [...spellings, token.slice(20, 60)]) expect(printed(error)).not.toContain(each);
    }
    for (const each of [...spellings, token.slice(20, 60)]) expect(everything()).not.toContain(each);
  });

  it('are masked if the hub echoes the header of Basic authentication', async () => {
    const server = await leakyHub();
    const { hub } = overheard(server.url);
    const { clientSecret } = SECRETS;
    for (const pair of [
      `${CLIENT_ID}:${clientSecret}`,
      `${CLIENT_ID}:${new URLSearchParams({ s: clientSecret }).toString().slice(2)}`,
    ]) {
      const header = `Basic ${Buffer.from(pair).toString('base64')}`;
      server.respond = sends(401, JSON.stringify({ title: `refused: ${header}` }));
      const error = await hub.auth.renew().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'authentication', title: 'refused: Basic [secret]' });
    }
  });

  it('of one letter leave our own words as they are', async () => {
    const server = await leakyHub();
    const { hub } = overheard(server.url, { clientSecret: 'e', apiKey: 'k' });
    server.respond = sends(401, '{"title":"no"}');
    const error = await hub.auth.renew().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      message: expect.stringContaining(
        'token: the hub responded with 401 (no); check clientId and clientSecret',
      ),
    });
  });

  it('do not make a message longer, even if the key is a date', async () => {
    const date = 'Thu, 01 Jan 1970 00:00';
    const server = await rawServer((response, { headers }) =>
      sends(400, String(headers['x-api-key']))(response),
    );
    const { hub } = overheard(server.url, { apiKey: date });
    const error = await hub.merchant.get().catch((reason: unknown) => reason);
    expect(printed(error)).not.toContain(date);
    expect(printed(error).length).toBeLessThan(50_000);
  });

  it('with a trailing space are masked if the hub echoes them trimmed', async () => {
    const server = await rawServer((response, { headers }) =>
      sends(401, `unknown key: ${headers['x-api-key']}.`)(response),
    );
    const { hub } = overheard(server.url, { apiKey: 'a-key-with-a-blank ' });
    const error = await hub.merchant.get().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ body: 'unknown key: [secret].' });
  });
});
