import { ManualClock } from 'opendelivery-client/testing';
import { expect, it, vi } from 'vitest';
import { afterAdvance } from '../support.js';
import { hostileHub, responding } from './hostile.js';
import { exits, hubInEnvironment, stateDirectory } from './support.js';

it.each([
  ['an HTML page', responding('<html></html>'), 4, 'check baseUrl (set by --base-url or HUB_BASE_URL)'],
  ['a redirect', 302, 4, 'redirects are not followed; check baseUrl (set by '],
  ['401', 401, 3, 'check apiKey (set by HUB_API_KEY)'],
  ['404', 404, 4, '(set by --base-url or HUB_BASE_URL, --base-path or HUB_BASE_PATH)'],
  ['429', 429, 5, '; try again in 1 min'],
  ['503', 503, 4, '; the hub failed: try again later'],
])('says in one sentence what to do after %s', async (_, response, code, remedy) => {
  await hostileHub({
    '/v1/merchant':
      typeof response === 'function'
        ? response
        : (_incoming, outgoing) => void outgoing.writeHead(response).end(),
  });
  const clock = new ManualClock();
  const ran = await afterAdvance(clock, '20m', exits(code, 'menu', { clock }));
  const lines = ran.err.trim().split('\n');
  expect(lines.at(-1)).toMatch(/^error: merchant: /);
  expect(lines.at(-1)).toContain(remedy);
});

it('explains a refused connection and a wrong protocol, without the message of OpenSSL', async () => {
  const { clock, url } = await hubInEnvironment();
  const inTls = `menu --base-url ${url.replace('http:', 'https:')}`;
  const wrong = await afterAdvance(clock, '5m', exits(4, inTls, { clock }));
  expect(wrong.err).toContain('merchant: the port does not use TLS; check the port and the scheme');
  expect(wrong.err.split('\n').at(-2)).not.toMatch(/openssl|routines/i);
  vi.stubEnv('HUB_BASE_URL', 'http://127.0.0.1:1');
  const refused = await afterAdvance(clock, '5m', exits(4, 'menu', { clock }));
  expect(refused.err).toContain('retrying in');
  expect(refused.err).toContain('the connection was refused (connect ECONNREFUSED 127.0.0.1:1)');
});

it('fails at once if the rate limit needs longer than a minute', async () => {
  const { clock, mock } = await hubInEnvironment();
  const directory = stateDirectory();
  vi.stubEnv('HUB_CLIENT_SECRET', 'wrong');
  for (let count = 0; count < 10; count += 1) await exits(3, `token --state ${directory}`, { clock });
  await clock.advance('50m');
  const ran = await exits(5, `token --state ${directory}`, { clock });
  expect(ran.err).toContain('try again in 10 min');
  expect(mock.violations()).toEqual([]);
});
