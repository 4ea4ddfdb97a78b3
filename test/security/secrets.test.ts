import { HubClient, HubError } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { STATE_METHODS } from '../../src/state/port.js';
import {
  merchantDocument,
  type RawServer,
  type Responder,
  rawServer,
  type Seen,
  sends,
} from '../http/support.js';
import { some } from '../runs.js';
import { afterAdvance } from '../support.js';
import { overheard, recordingState } from './overheard.js';
import { CREDENTIALS, ENCODERS, findSecrets, type Spelling } from './scan.js';

const document = await merchantDocument();
const json = (value: unknown, status = 200) => sends(status, JSON.stringify(value));
const token = () => json({ access_token: CREDENTIALS.token, token_type: 'bearer', expires_in: 604_800 });

/** All secrets in one string, which the hub puts wherever it can. */
const echoOf = (of: Spelling) => Object.values(CREDENTIALS).map(of).join(' | ');
const headerSafe = (text: string) => (/^[\x20-\x7e]*$/.test(text) ? text : encodeURI(text));

/** Codes of the errors that quote the hub's response. */
const CODES = [
  'authentication',
  'bad_request',
  'connection',
  'invalid_response',
  'not_found',
  'rate_limit',
  'server',
  'unexpected_status',
] as const;

/** Failures of every kind, with the secrets in body, reason phrase and headers. */
function failures(text: string): Responder[] {
  const headers = {
    location: headerSafe(`https://elsewhere.example/?${text}`),
    'www-authenticate': headerSafe(`Bearer realm="${text}"`),
    'retry-after': headerSafe(text),
    'x-ratelimit-reset': headerSafe(text),
    'content-type': headerSafe(`application/problem+json; charset=${text}`),
  };
  const page =
    (status: number, body: string): Responder =>
    (response) => {
      response.writeHead(status, headerSafe(text), headers);
      response.end(body);
    };
  return [
    page(500, `<html><p>cannot use ${text}</p></html>`),
    page(400, `{"title":"${text}","status":400}`),
    page(422, `{"title":"${text}","detail":["${text}"]}`),
    page(401, `{"error_description":"unknown ${text}"}`),
    page(403, text),
    page(404, `{"message":"${text}"}`),
    page(429, `{"error":{"message":"${text}"}}`),
    page(302, text),
    page(418, `"${text}"`),
    sends(200, `=${text}`),
    (response) => response.socket?.end(`HTTP/1.1 200 OK\r\n${text}\r\n\r\n`),
    json({ [text]: text, token_type: text, status: text, type: text, items: text, basicInfo: text }),
  ];
}

/** Usable documents with the secrets in every field, also in fields that deviate from the schema. */
function documents(text: string) {
  const stamp = (at: number) => new Date(Date.parse('2026-01-05T12:00:00Z') + at).toISOString();
  const events = Array.from({ length: 3 }, (_, at) => ({
    eventId: `${text}${at}`,
    eventType: ['CREATED', text, 'CONFIRMED'][at],
    orderId: text,
    createdAt: text,
    orderURL: text,
    metadata: { [text]: text },
  }));
  return {
    events: [...events, text, { eventId: text }, { eventId: 1, eventType: { [text]: 1 }, orderId: [text] }],
    order: {
      id: text,
      displayId: text,
      type: text,
      createdAt: text,
      items: [{ unit: text, quantity: text }],
      [text]: text,
    },
    merchant: (version: number) => ({
      ...document,
      lastUpdate: stamp(version * 1000),
      status: text,
      basicInfo: { ...(document.basicInfo as object), name: text, merchantType: text, createdDate: text },
      items: [text, { id: text, name: text, unit: text, status: text }],
      menus: [{ id: text, name: `${text}${version}`, status: text }],
    }),
  };
}

/** A hub whose responses are those of `by`. The token endpoint first returns the token twice, so that the client knows every secret. */
function staged(by: (seen: Seen) => Responder | undefined): Promise<RawServer> {
  let tokens = 0;
  return rawServer((response, seen) => {
    if (seen.url.endsWith('/oauth/token') && tokens++ < 2) return token()(response);
    return (by(seen) ?? sends(202, '{}'))(response, seen);
  });
}

describe.each(some(ENCODERS, 12))('a hub that echoes every secret as %s,', (_name, of) => {
  const text = echoOf(of);

  it('in failures of every kind: no output of the client contains one', async () => {
    const responses = failures(text);
    let at = 0;
    const server = await staged(() => responses[at]);
    const { hub, call, everything, names } = overheard(server.url);
    const errors: unknown[] = [];
    await call(() => hub.auth.getToken());
    await call(() => hub.auth.renew());
    for (at = 0; at < responses.length; at += 1) {
      errors.push(await call(() => hub.merchant.get({ fresh: true })));
      errors.push(await call(() => hub.orders.get('1')));
    }
    for (const which of [0, 1, 3, 6, 9, 10]) {
      at = which;
      errors.push(await call(() => hub.events.poll()));
      errors.push(await call(() => hub.orders.confirm('1')));
      errors.push(
        await call(() => hub.events.acknowledge([{ eventId: '1', orderId: '1', eventType: 'CREATED' }])),
      );
    }
    at = 3;
    errors.push(await call(() => hub.auth.renew()));
    const codes = new Set(errors.map((error) => (error instanceof HubError ? error.code : undefined)));
    expect([...codes]).toEqual(expect.arrayContaining([...CODES]));
    expect(findSecrets(everything())).toEqual([]);
    expect([...names]).toEqual(expect.arrayContaining(['retry', 'rateLimited', 'tokenRenewalFailed']));
  });
});

describe.each(some(ENCODERS, 12))('a hub that echoes every secret in its data as %s', (_name, of) => {
  const text = echoOf(of);

  it('reaches only the application, as data', async () => {
    const { events, order, merchant } = documents(text);
    let version = 4;
    const server = await staged(({ url }) => {
      if (url.endsWith('/events:polling')) return json(events);
      if (url.endsWith('/acknowledgment')) return sends(500, text);
      if (url.endsWith('/merchant')) return json(merchant(version));
      return json(order);
    });
    const { state, written } = recordingState();
    const { mark } = state;
    let isFull = true;
    // One mark cannot be written; the error names the event.
    state.mark = (key, ids, change, ...rest) => {
      if (isFull && ids.length > 0 && 'handled' in change) {
        isFull = false;
        throw new Error('the disk is full');
      }
      return mark(key, ids, change, ...rest);
    };
    const { hub, poller, clock, call, everything, names } = overheard(server.url, { state });
    await call(() => hub.auth.getToken());
    await call(() => hub.auth.renew());
    for (version of [5, 6, 1]) await call(() => hub.merchant.get({ fresh: true }));
    await call(() => hub.orders.get('1'));
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'own',
        validate: () => ({ issues: [{ message: `cannot read ${text}`, path: [text, { key: text }] }] }),
      },
    };
    await call(() => hub.orders.get('1', { schema }));
    const failing = () => {
      throw new Error('out of paper');
    };
    poller.on('CREATED', () => {}).on('event', failing);
    const messages: string[] = [];
    poller.on('error', (error) => void messages.push(error.message));
    await afterAdvance(clock, '10s', poller.start());
    // The listener is removed, added again, and fails for the last time.
    poller.off('event', failing);
    await clock.advance('1m');
    poller.on('event', failing);
    await clock.advance('3m');
    await poller.stop();
    // Each of these quotes an event.
    for (const words of ['could not be written', 'no listener is left', 'has failed 2 times']) {
      expect(messages.filter((message) => message.includes(words))).not.toEqual([]);
    }
    expect(findSecrets(everything())).toEqual([]);
    expect([...names]).toEqual(
      expect.arrayContaining([
        'updated',
        'regressed',
        'polled',
        'invalid',
        'listenerFailed',
        'acknowledgeFailed',
      ]),
    );
    // The state contains the document, the ids of events and the token, and nothing else that the hub sent.
    const others = written.map(([method = '', key = '', ...rest]) => {
      const isData =
        (method === 'set' && key.startsWith('merchant:')) || method === 'recall' || method === 'mark';
      const isToken = key.startsWith('token:');
      return [method, key, ...(isData || isToken ? [] : rest)].join(' ');
    });
    expect(findSecrets(others.join('\n'))).toEqual([]);
  });
});

describe('what is replaced from time to time', () => {
  it.each([true, false])(
    'is masked: the last 32 tokens and values of secret functions; quoted before: %s',
    async (isQuoted) => {
      const number = (index: number) => String(index).padStart(2, '0');
      const clock = new ManualClock();
      let renewals = 0;
      let title = '';
      const hub = new HubClient({
        baseUrl: 'https://hub.example',
        clientId: 'rotating',
        clientSecret: () => `secret-number-${number(renewals + 1)}`,
        logger: false,
        fetch: async (url) => {
          if (!String(url).endsWith('/oauth/token')) return Response.json({ title }, { status: 400 });
          renewals += 1;
          const access_token = `token-number-${number(renewals)}`;
          return Response.json({ access_token, token_type: 'bearer', expires_in: 604_800 });
        },
        clock,
      });
      for (let renewal = 0; renewal < 16; renewal += 1) {
        await hub.auth.renew();
        if (isQuoted) await hub.orders.get('1').catch(() => {});
        await clock.advance('1h');
      }
      const basic = Buffer.from('rotating:secret-number-01').toString('base64');
      for (const shown of [
        'token-number-01',
        'token-number-16',
        'secret-number-01',
        'secret-number-16',
        basic,
      ]) {
        title = `<${shown}>`;
        await expect(hub.orders.get('1')).rejects.toMatchObject({ title: '<[secret]>' });
      }
      await hub.close();
    },
  );
});

describe('a state', () => {
  it('contains no secret but the token, under the key for tokens', async () => {
    const server = await staged(({ url }) => {
      if (url.endsWith('/events:polling'))
        return json([{ eventId: 'e', orderId: 'o', eventType: 'CREATED' }]);
      return url.endsWith('/merchant') ? json(document) : undefined;
    });
    const { state, written } = recordingState();
    const { hub, poller, clock, call } = overheard(server.url, { state });
    await call(() => hub.merchant.get());
    let runs = 0;
    poller.on('error', () => {});
    poller.on('event', () => {
      runs += 1;
      // The second attempt is counted alone.
      if (runs === 1) throw new Error('refused');
    });
    await afterAdvance(clock, '2m', poller.start());
    await poller.stop();
    await hub.auth.invalidate(CREDENTIALS.token);
    const lines = written.map((each) => each.join(' '));
    const leaks = lines.filter((line) => findSecrets(line).length > 0);
    expect(new Set(leaks.map((line) => line.split(' ')[1]?.replace(/:.*/, '')))).toEqual(new Set(['token']));
    for (const line of leaks)
      expect(findSecrets(line).every((found) => found.startsWith('token '))).toBe(true);
    const methods = new Set(written.map(([method]) => method));
    expect(methods).toEqual(new Set(STATE_METHODS));
  });
});

describe('the checks of these tests', () => {
  it('find a secret that was not masked', async () => {
    const server = await staged(() => sends(500, `no ${echoOf((secret) => secret)}`));
    const { hub, call, everything, hear } = overheard(server.url);
    await call(() => hub.auth.getToken());
    await call(() => hub.auth.renew());
    await call(() => hub.merchant.get());
    expect(findSecrets(everything())).toEqual([]);
    hear({ status: 500, body: CREDENTIALS.apiKey });
    expect(findSecrets(everything())).not.toEqual([]);
  });
});
