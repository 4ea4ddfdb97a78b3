import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileState } from 'opendelivery-client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { answering, hostileHub, TOKEN } from './hostile.js';
import { hubInEnvironment, opendelivery } from './support.js';

/** A directory for --state, removed after the test. */
function stateDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'doctor-'));
  onTestFinished(async () => {
    await fileState(directory).close();
    rmSync(directory, { recursive: true });
  });
  return directory;
}

const lineOf = (text: string, part: string) => text.split('\n').find((line) => line.includes(part)) ?? '';

it.each(['', ' --json'])('shows no key that the hub sends back in a header (doctor%s)', async (json) => {
  const { clock, mock } = await hubInEnvironment();
  const { apiKey, clientSecret } = mock.credentials;
  mock.faults.next('polling', { status: 429, headers: { 'retry-after': `${apiKey} ${clientSecret}` } });
  const ran = opendelivery(`doctor${json}`, { clock });
  expect(await ran.code).toBe(5);
  expect(ran.out).toContain('Retry-After: [secret] [secret]');
  expect(ran.out + ran.err).not.toMatch(/mock-(api-key|client-secret)/);
});

it.each([0, 5, 11, 12, 13, 20, 33])(
  'masks a token before it cuts a body: no half of a token is shown (%i characters before it)',
  async (before) => {
    await hostileHub({ ':polling': answering({ a: 'x'.repeat(before) + TOKEN, events: [] }) });
    const ran = opendelivery('doctor');
    await ran.code;
    expect(ran.out).toContain('no events: 200 with {"a":"');
    expect(ran.out).not.toContain(TOKEN.slice(0, 6));
  },
);

it('shows nothing of a body that is longer than what it records: a token may be cut at that place', async () => {
  const body = `{"a":"${TOKEN}","b":"${'x'.repeat(100_000)}","events":[]}`;
  await hostileHub({ ':polling': answering(body) });
  const ran = opendelivery('doctor');
  await ran.code;
  expect(ran.out).toContain('no events: 200 with a body of more than 64 KiB');
  expect(ran.out).not.toContain(TOKEN.slice(0, 6));
});

it('reads no more of an endless body than the client accepts', async () => {
  let written = 0;
  const chunk = Buffer.alloc(1024 * 1024, ' ');
  await hostileHub({
    ':polling': (_, outgoing) => {
      outgoing.writeHead(200);
      const write = () => {
        while (written < 400 * chunk.length && !outgoing.destroyed) {
          written += chunk.length;
          if (!outgoing.write(chunk)) return void outgoing.once('drain', write);
        }
        outgoing.end();
      };
      write();
    },
  });
  const ran = opendelivery('doctor');
  expect(await ran.code).toBe(4);
  expect(lineOf(ran.out, 'larger than')).toContain('polling');
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

it('bounds what it prints, however much the hub sends', async () => {
  const { clock, mock } = await hubInEnvironment();
  mock.publishMerchant((merchant) => {
    merchant.basicInfo.name = 'n'.repeat(100_000);
    Object.assign(merchant.items[0], { ['k'.repeat(100_000)]: 1, unit: 'u'.repeat(100_000) });
  });
  mock.createOrder();
  for (let count = 0; count < 50; count += 1) mock.emit(`TYPE_${count}_${'T'.repeat(10_000)}`);
  const ran = opendelivery('doctor --read-only', { clock });
  expect(await ran.code).toBe(0);
  expect(Math.max(...ran.out.split('\n').map((line) => line.length))).toBeLessThan(400);
  expect(ran.out.length).toBeLessThan(20_000);
  expect(ran.out).toContain('and 38 types more');
});

it('does not contradict itself about the lifetime of a token that was kept', async () => {
  const { clock } = await hubInEnvironment();
  const directory = stateDirectory();
  const first = opendelivery(`doctor --state ${directory}`, { clock });
  expect(await first.code).toBe(0);
  expect(first.out).toContain('the token lasts 7 d');
  const second = opendelivery(`doctor --state ${directory}`, { clock });
  expect(await second.code).toBe(0);
  expect(second.out).toContain('the token lasts 7 d');
  expect(second.out).toContain(
    'kept by an earlier run: the hub was not asked, so the credentials were not tried',
  );
  expect(second.out).not.toContain('says no lifetime');
});

it.each([
  [{ access_token: TOKEN }, 'says no lifetime; one hour is assumed'],
  [{ access_token: TOKEN, expires_in: 0 }, 'says no lifetime that can be used; one hour is assumed'],
  [{ access_token: TOKEN, expires_in: '7200' }, 'says the lifetime as a string'],
])('says how the token answer %j gives the lifetime', async (answer, says) => {
  await hostileHub({ '/oauth/token': answering(answer) });
  const ran = opendelivery('doctor --read-only');
  await ran.code;
  expect(ran.out).toContain(says);
});

it('reads the lifetime at another token endpoint too', async () => {
  const url = await hostileHub({ '/issue': answering({ access_token: TOKEN, expires_in: 3600 }) });
  const ran = opendelivery(`doctor --read-only --token-url ${url}/issue`);
  await ran.code;
  expect(ran.out).toContain('the token lasts 1 h');
  expect(ran.out).not.toContain('says no lifetime');
});

it('waits for a slot that becomes free within a minute, and says so', async () => {
  const { clock, mock } = await hubInEnvironment();
  const directory = stateDirectory();
  for (let count = 0; count < 2; count += 1) {
    expect(await opendelivery(`doctor --state ${directory} --read-only`, { clock }).code).toBe(0);
  }
  const third = opendelivery(`doctor --state ${directory} --read-only`, { clock });
  await vi.waitFor(() => expect(third.err).toContain('polling: waiting 1 min for a free slot'));
  await clock.advance('2m');
  expect(await third.code).toBe(0);
  expect(mock.violations()).toEqual([]);
});

it('calls an endpoint busy, not failed, when its slot becomes free much later, and ends with 5', async () => {
  const { clock, mock } = await hubInEnvironment();
  const directory = stateDirectory();
  mock.faults.next('merchant', { status: 429, headers: { 'retry-after': '600' } });
  expect(await opendelivery(`doctor --state ${directory} --read-only`, { clock }).code).toBe(5);
  const second = opendelivery(`doctor --state ${directory} --read-only`, { clock });
  expect(await second.code).toBe(5);
  expect(second.out).toContain('busy     merchant');
  expect(second.out).toContain('not asked: the next slot becomes free in 10 min; try again then');
  expect(second.out).not.toContain('FAILED');
});

it.each(['doctor', 'doctor --read-only'])('`%s` says ok of nothing when no hub answers', async (words) => {
  const { clock } = await hubInEnvironment();
  vi.stubEnv('HUB_BASE_URL', 'http://127.0.0.1:1');
  const ran = opendelivery(words, { clock });
  expect(await ran.code).toBe(4);
  expect(ran.out).not.toMatch(/\bok\b/);
  expect(ran.out).toMatch(/FAILED {3}this hub\n {11}no answer came from 127\.0\.0\.1:1/);
  const json = opendelivery(`${words} --json`, { clock });
  expect(await json.code).toBe(4);
  expect(JSON.parse(json.out)).toMatchObject({ result: 'failed' });
});

it('does not take a kept menu for an answer of a hub that fails', async () => {
  const { clock, mock } = await hubInEnvironment();
  const directory = stateDirectory();
  expect(await opendelivery(`doctor --state ${directory}`, { clock }).code).toBe(0);
  mock.faults.next('merchant', 503);
  const second = opendelivery(`doctor --state ${directory}`, { clock });
  expect(await second.code).toBe(4);
  expect(second.out).toContain('FAILED   merchant');
});

it('ends with 2 when there are no credentials at all', async () => {
  const { clock } = await hubInEnvironment();
  for (const name of ['HUB_CLIENT_ID', 'HUB_CLIENT_SECRET', 'HUB_API_KEY']) vi.stubEnv(name, '');
  const ran = opendelivery('doctor', { clock });
  expect(await ran.code).toBe(2);
  expect(ran.err).toContain('HUB_API_KEY');
  expect(ran.out).toBe('');
});
