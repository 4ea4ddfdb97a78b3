import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { answering, hostileHub } from './hostile.js';
import { hubInEnvironment, opendelivery } from './support.js';

const EVENING = '--time-zone America/Sao_Paulo --at 2026-01-05T21:00-03:00';

it.each([
  ['an HTML page', answering('<html></html>'), 4, 'check baseUrl (here: --base-url or HUB_BASE_URL)'],
  ['a redirect', 302, 4, 'redirects are not followed; check baseUrl (here: '],
  ['401', 401, 3, 'check apiKey (here: HUB_API_KEY)'],
  ['404', 404, 4, '(here: --base-url or HUB_BASE_URL, --base-path)'],
  ['429', 429, 5, '; try again in 1 min'],
  ['503', 503, 4, '; the fault is at the hub: try again later'],
])('says in one sentence what to do about %s', async (_, answer, code, remedy) => {
  await hostileHub({
    '/v1/merchant':
      typeof answer === 'function' ? answer : (_incoming, outgoing) => void outgoing.writeHead(answer).end(),
  });
  const clock = new ManualClock();
  const ran = opendelivery('menu', { clock });
  await clock.advance('20m');
  expect(await ran.code).toBe(code);
  const lines = ran.err.trim().split('\n');
  expect(lines.at(-1)).toMatch(/^error: merchant: /);
  expect(lines.at(-1)).toContain(remedy);
});

it('says what a refused connection and a wrong protocol mean, without the words of OpenSSL', async () => {
  const { clock, url } = await hubInEnvironment();
  const wrong = opendelivery(`menu --base-url ${url.replace('http:', 'https:')}`, { clock });
  await clock.advance('5m');
  expect(await wrong.code).toBe(4);
  expect(wrong.err).toContain('merchant: that port does not speak TLS; check baseUrl: port, http or https');
  expect(wrong.err.split('\n').at(-2)).not.toMatch(/openssl|routines/i);
  vi.stubEnv('HUB_BASE_URL', 'http://127.0.0.1:1');
  const refused = opendelivery('menu', { clock });
  await clock.advance('5m');
  expect(await refused.code).toBe(4);
  expect(refused.err).toContain('trying again in');
  expect(refused.err).toContain('nothing accepts connections there (connect ECONNREFUSED 127.0.0.1:1)');
});

it('refuses at once when the next slot is further away than a minute', async () => {
  const { clock, mock } = await hubInEnvironment();
  const directory = mkdtempSync(join(tmpdir(), 'slots-'));
  onTestFinished(async () => {
    await fileState(directory).close();
    rmSync(directory, { recursive: true });
  });
  vi.stubEnv('HUB_CLIENT_SECRET', 'wrong');
  for (let count = 0; count < 10; count += 1)
    expect(await opendelivery(`token --state ${directory}`, { clock }).code).toBe(3);
  await clock.advance('50m');
  const ran = opendelivery(`token --state ${directory}`, { clock });
  expect(await ran.code).toBe(5);
  expect(ran.err).toContain('try again in 10 min');
  expect(mock.violations()).toEqual([]);
});

it.each([60, 140])('breaks lines between words at a terminal of %i columns', async (columns) => {
  const { clock } = await hubInEnvironment();
  const ran = opendelivery(`menu ${EVENING}`, { clock, isTTY: true, columns });
  expect(await ran.code).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence
  const lines = ran.out.replace(/\u001b\[\d+m/g, '').split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  expect(lines.join(' ').replace(/\s+/g, ' ')).toContain('Crust (choose 0 to 1): Filled crust + R$ 9,90');
});

it('does not break the lines of the mock that are to be copied', async () => {
  const ran = opendelivery('mock --port 0', { isTTY: true, columns: 60, failAfter: 9 });
  expect(await ran.code).toBe(0);
  expect(ran.out).toMatch(/^ {2}curl -d 'grant_type=client_credentials\S+ http\S+$/m);
});
