import { describe, expect, it, vi } from 'vitest';
import { soon } from '../soon.js';
import { endless, hostileHub, responding, TOKEN } from './hostile.js';
import { exits, hubInEnvironment, opendelivery, stateDirectory } from './support.js';

const lineOf = (text: string, part: string) => text.split('\n').find((line) => line.includes(part)) ?? '';

describe('opendelivery doctor', () => {
  it('tests each endpoint once, and reports what the hub does', async () => {
    const { clock, mock } = await hubInEnvironment({
      emptyPoll: '[]',
      limitHeaders: false,
      expiresIn: 'text',
    });
    mock.publishMerchant((merchant) => {
      delete merchant.items[0].status;
      merchant.items[1].unit = 'SLICE';
    });
    const ran = await exits(0, 'doctor', { clock });
    for (const said of [
      'ok       token (Spec §4.1)',
      'sends the token lifetime as a string',
      'no events: 200 with []',
      'responds to an unknown id with 404, as expected',
      'refuses an unknown event id',
      'sends no X-RateLimit headers',
      'items.*.unit: is not a value of the standard (against the standard)',
      'items.*.status: absent; read as "AVAILABLE" (against the spec)',
    ]) {
      expect(ran.out).toContain(said);
    }
    expect(mock.requests.map(({ endpoint }) => endpoint)).toEqual([
      'token',
      'polling',
      'order',
      'acknowledgment',
      'orderStatus',
      'merchant',
    ]);
    expect(mock.violations()).toEqual([]);
    expect(ran.out + ran.err).not.toMatch(/mock\.1001\.|mock-client-secret|mock-api-key/);
  });

  it('acknowledges no pending event, and writes nothing with --read-only', async () => {
    const { clock, mock } = await hubInEnvironment();
    const { orderId } = mock.createOrder();
    await exits(0, 'doctor --read-only', { clock });
    expect(mock.pending()).toHaveLength(1);
    expect(mock.requests.map(({ endpoint }) => endpoint)).toEqual(['token', 'polling', 'order', 'merchant']);
    expect(mock.requests[2]?.path).toContain(orderId);
  });

  it('tests the endpoints for which it has credentials, and exits with the code of the first failure', async () => {
    const { clock, mock } = await hubInEnvironment();
    vi.stubEnv('HUB_API_KEY', '');
    mock.faults.next('polling', { status: 429, headers: { 'retry-after': '60' } });
    const ran = await exits(5, 'doctor --json', { clock });
    const { findings, overall } = JSON.parse(ran.out) as {
      findings: { endpoint: string; result: string }[];
      overall: string[];
    };
    expect(findings.map(({ endpoint, result }) => [endpoint, result])).toEqual([
      ['token', 'ok'],
      ['polling', 'failed'],
      ['order', 'ok'],
      ['acknowledgment', 'ok'],
      ['orderStatus', 'ok'],
      ['merchant', 'skipped'],
    ]);
    expect(overall.join()).toContain('Retry-After: 60');
  });

  it('skips the endpoints that need a token if the token request fails', async () => {
    const { clock, mock } = await hubInEnvironment();
    vi.stubEnv('HUB_CLIENT_SECRET', 'wrong');
    await exits(3, 'doctor', { clock });
    expect(mock.requests.map(({ endpoint }) => endpoint)).toEqual([
      ...Array(5).fill('token'), // in the form of the spec, and in four others that hosts are known to expect
      'merchant',
    ]);
  });
});

it.each(['', ' --json'])('masks a key that the hub sends back in a header (doctor%s)', async (json) => {
  const { clock, mock } = await hubInEnvironment();
  const { apiKey, clientSecret } = mock.credentials;
  mock.faults.next('polling', { status: 429, headers: { 'retry-after': `${apiKey} ${clientSecret}` } });
  const ran = await exits(5, `doctor${json}`, { clock });
  expect(ran.out).toContain('Retry-After: [secret] [secret]');
  expect(ran.out + ran.err).not.toMatch(/mock-(api-key|client-secret)/);
});

it.each<[string, unknown, string]>([
  ['an empty array', '[ ]\n', 'no events: 200 with []'],
  ['an empty list', { events: [] }, 'no events: 200 with {"events":[]}'],
  ['nothing', '', 'no events: 200 without a body'],
  ['events that cannot be used', [{ orderId: null, customer: { name: 'Maria' } }], 'no usable event: 200'],
  ['a token beside no events', { a: TOKEN, events: [] }, 'no usable event: 200'],
  ['a body that is too long to record', `{"a":"${'x'.repeat(100_000)}","events":[]}`, 'no usable event: 200'],
])('of a poll with %s it shows no more than that', async (_what, body, said) => {
  await hostileHub({ ':polling': responding(body as object) });
  const ran = await exits(4, 'doctor');
  expect(ran.out).toContain(said);
  expect(ran.out).not.toMatch(/Maria|xxx/);
  expect(ran.out).not.toContain(TOKEN.slice(0, 6));
});

it.each([404, 200, 202])('a page with status %i is no acknowledgment endpoint', async (status) => {
  const { clock, mock } = await hubInEnvironment();
  mock.faults.next('acknowledgment', { status, body: '<html>login</html>' });
  expect((await exits(4, 'doctor', { clock })).out).toMatch(/FAILED +acknowledgment/);
});

it('stops reading an endless body at the limit of the client', async () => {
  const { respond, written } = endless();
  await hostileHub({ ':polling': respond });
  const ran = await exits(4, 'doctor');
  expect(lineOf(ran.out, 'larger than')).toContain('polling');
  expect(written()).toBeLessThan(64 * 1024 * 1024);
});

it('prints a bounded report, however much the hub sends', async () => {
  const { clock, mock } = await hubInEnvironment();
  mock.publishMerchant((merchant) => {
    merchant.basicInfo.name = 'n'.repeat(100_000);
    Object.assign(merchant.items[0], { ['k'.repeat(100_000)]: 1, unit: 'u'.repeat(100_000) });
  });
  mock.createOrder();
  for (let count = 0; count < 50; count += 1) mock.emit(`TYPE_${count}_${'T'.repeat(10_000)}`);
  const ran = await exits(0, 'doctor --read-only', { clock });
  expect(Math.max(...ran.out.split('\n').map((line) => line.length))).toBeLessThan(400);
  expect(ran.out.length).toBeLessThan(20_000);
  expect(ran.out).toContain('and 38 more event types');
});

it('does not contradict itself about the lifetime of a token from an earlier run', async () => {
  const { clock } = await hubInEnvironment();
  const directory = stateDirectory();
  const first = await exits(0, `doctor --state ${directory}`, { clock });
  expect(first.out).toContain('the token is valid for 7 d');
  const second = await exits(0, `doctor --state ${directory}`, { clock });
  expect(second.out).toContain('the token is valid for 7 d');
  expect(second.out).toContain('the token is from an earlier run, so the credentials were not checked');
  expect(second.out).not.toContain('sends no token lifetime');
});

it.each([
  [{ access_token: TOKEN }, 'sends no token lifetime; one hour is assumed'],
  [{ access_token: TOKEN, expires_in: 0 }, 'sends an unusable token lifetime; one hour is assumed'],
  [{ access_token: TOKEN, expires_in: '7200' }, 'sends the token lifetime as a string'],
])('reports the form of the lifetime in the token response %j', async (body, observation) => {
  await hostileHub({ '/oauth/token': responding(body) });
  const ran = await exits(4, 'doctor --read-only');
  expect(ran.out).toContain(observation);
});

it('waits for the rate limit for up to a minute, and says so', async () => {
  const { clock, mock } = await hubInEnvironment();
  const directory = stateDirectory();
  for (let count = 0; count < 2; count += 1) {
    await exits(0, `doctor --state ${directory} --read-only`, { clock });
  }
  const third = opendelivery(`doctor --state ${directory} --read-only`, { clock });
  await soon(() => expect(third.err).toContain('polling: waiting 1 min for the rate limit'));
  await clock.advance('2m');
  expect(await third.code).toBe(0);
  expect(mock.violations()).toEqual([]);
});

it('reports an endpoint as busy, not failed, if its rate limit needs longer, and exits with 5', async () => {
  const { clock, mock } = await hubInEnvironment();
  const directory = stateDirectory();
  mock.faults.next('merchant', { status: 429, headers: { 'retry-after': '600' } });
  await exits(5, `doctor --state ${directory} --read-only`, { clock });
  const second = await exits(5, `doctor --state ${directory} --read-only`, { clock });
  expect(second.out).toContain('busy     merchant');
  expect(second.out).toContain('not tested: the rate limit allows the next request in 10 min');
  expect(second.out).not.toContain('FAILED');
});

it.each(['doctor', 'doctor --read-only'])(
  '`%s` reports no endpoint as ok if no hub responds',
  async (commandLine) => {
    const { clock } = await hubInEnvironment();
    vi.stubEnv('HUB_BASE_URL', 'http://127.0.0.1:1');
    const ran = await exits(4, commandLine, { clock });
    expect(ran.out).not.toMatch(/\bok\b/);
    expect(ran.out).toMatch(/FAILED {3}this hub\n {11}no response from 127\.0\.0\.1:1/);
    const json = await exits(4, `${commandLine} --json`, { clock });
    expect(JSON.parse(json.out)).toMatchObject({ result: 'failed' });
  },
);

describe('doctor at an address that is not that of a usable hub', () => {
  /** Everything gets this status. */
  const refusing = (status: number) =>
    hostileHub({ '': (_, outgoing) => void outgoing.writeHead(status, { 'content-length': 0 }).end() });

  it.each([
    [404, 4],
    [401, 3],
    [403, 3],
  ])('says that nothing could be tested if every response is %i, and exits with %i', async (status, code) => {
    const url = await refusing(status);
    const ran = await exits(code, 'doctor');
    expect(ran.out).not.toMatch(/\bok\b|as in the spec|needs no profile/);
    expect(ran.out).toMatch(
      /FAILED {3}this hub\n {11}nothing could be tested: no request was successful; check HUB_BASE_URL, HUB_BASE_PATH and the credentials/,
    );
    expect(ran.out).toContain(`POST ${url}/opendelivery/oauth/token: ${status}`);
    expect(ran.out).toContain(`GET ${url}/opendelivery/v1/merchant: ${status}`);
    expect(ran.out + ran.err).not.toMatch(/the-(client-secret|api-key)-of-1001/);
    const json = await exits(code, 'doctor --json');
    const { result, overall, profile } = JSON.parse(json.out);
    expect([result, overall[0], profile]).toEqual([
      'failed',
      expect.stringContaining('nothing could be tested'),
      undefined,
    ]);
  });

  it('does not call a hub as in the spec if one endpoint has failed', async () => {
    const { clock, mock } = await hubInEnvironment();
    mock.faults.next('polling', 404);
    const ran = await exits(4, 'doctor', { clock });
    expect(ran.out).not.toMatch(/as in the spec|nothing could be tested/);
  });
});

it('prints every address that it has called, and which base path it was given', async () => {
  const { clock, url } = await hubInEnvironment({ basePath: '/hub' });
  vi.stubEnv('HUB_BASE_PATH', '/hub/');
  const ran = await exits(0, 'doctor', { clock });
  for (const called of [
    `POST ${url}/hub/oauth/token: 200`,
    `GET ${url}/hub/v1/events:polling: 204`,
    `POST ${url}/hub/v1/events/acknowledgment: 400`,
    `GET ${url}/hub/v1/merchant: 200`,
  ]) {
    expect(ran.out).toContain(called);
  }
  // The option has precedence, and what was given is not searched for.
  vi.stubEnv('HUB_BASE_PATH', '/elsewhere');
  await exits(0, 'doctor --base-path /hub', { clock });
  const wrong = await exits(4, 'doctor', { clock });
  expect(wrong.out).toContain(`POST ${url}/elsewhere/oauth/token: 404\n`);
  expect(wrong.out).not.toContain('refuses the token request with');
});

it('does not use a cached menu if the merchant endpoint fails', async () => {
  const { clock, mock } = await hubInEnvironment();
  const directory = stateDirectory();
  await exits(0, `doctor --state ${directory}`, { clock });
  mock.faults.next('merchant', 503);
  const second = await exits(4, `doctor --state ${directory}`, { clock });
  expect(second.out).toContain('FAILED   merchant');
});

it('exits with 2 if there are no credentials', async () => {
  const { clock } = await hubInEnvironment();
  for (const name of ['HUB_CLIENT_ID', 'HUB_CLIENT_SECRET', 'HUB_API_KEY']) vi.stubEnv(name, '');
  const ran = await exits(2, 'doctor', { clock });
  expect(ran.err).toContain('HUB_API_KEY');
  expect(ran.out).toBe('');
});
