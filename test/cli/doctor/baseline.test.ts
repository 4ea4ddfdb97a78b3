/** @module-tag slow */
import { readFileSync } from 'node:fs';
import type { ManualClock } from 'opendelivery-client/testing';
import { expect, it, vi } from 'vitest';
import { some } from '../../runs.js';
import { fileWith } from '../../temporary.js';
import { exits, hubInEnvironment, opendelivery } from '../support.js';
import { at, type Change, changedHub, type Report } from './report/changed-hub.js';

/** What is compared of a report on the unchanged mock hub, as version 0.2.0 wrote it. */
const PUBLISHED = readFileSync(new URL('report-0.2.0.json', import.meta.url), 'utf8');

interface Compared extends Report {
  readonly comparison: {
    readonly changes: readonly { readonly id: string }[];
    readonly unchanged: number;
    readonly failed: readonly string[];
    readonly notCompared: readonly { readonly id: string; readonly why: string }[];
  };
}

/** The report on the unchanged hub, which most tests compare with: it is the same each time. */
let unchanged: string | undefined;

/** Makes a report on a hub, and returns the file. */
async function baselineOf(change?: Change, options = '--report json'): Promise<string> {
  if (!change && unchanged) return fileWith(unchanged, 'last.json');
  const { clock } = await changedHub(change);
  const { out } = await exits(0, `doctor ${options}`, { clock });
  if (!change) unchanged = out;
  return fileWith(out, 'last.json');
}

/** Compares a hub with a baseline. */
async function compared(file: string, change: Change = {}, options = '') {
  const { clock, mock } = await changedHub(change);
  const ran = opendelivery(`doctor --report json --baseline ${file} ${options}`, { clock });
  const code = await ran.code;
  const report = JSON.parse(ran.out) as Compared;
  return { code, report, ids: report.comparison.changes.map(({ id }) => id), mock };
}

const header = (endpoint: Parameters<typeof at>[0], name: string, value: string) =>
  at(endpoint, ({ headers }) => headers.set(name, value));

/** Single changes of a hub, and the checks that must find them: one for each way in which a check may vary. */
const CHANGES: ReadonlyArray<readonly [what: string, ids: readonly string[], change: Change]> = [
  ['code', ['merchant.wrong_key'], { options: { badKeyStatus: 403 } }],
  [
    'code of an empty poll',
    ['polling.status', 'polling.body'],
    { isIdle: true, options: { emptyPoll: '[]' } },
  ],
  ['limit', ['polling.limit'], header('polling', 'x-ratelimit-limit', '5')],
  ['lifetime', ['merchant.ttl'], { prepare: (mock) => mock.publishMerchant({ TTL: 3600 }) }],
  [
    'field of the menu',
    ['merchant.fields'],
    { prepare: (mock) => mock.publishMerchant((menu) => void delete menu.items[0].status) },
  ],
  ['field of an order', ['order.fields'], at('order', ({ json }) => json.customer && delete json.total)],
  ['redelivery', ['polling.again'], at('polling', (answer) => answer.count > 1 && (answer.json = []))],
];

it.each(CHANGES)('finds that a hub has another %s: %j', async (_what, ids, change) => {
  const idle = { isIdle: change.isIdle ?? false };
  const forth = await compared(await baselineOf(idle), change);
  expect(forth.ids).toEqual(ids);
  expect(forth.code).toBe(6);
  expect(forth.mock.violations()).toEqual([]);
  // The next order may lack the fault that the last one had.
  const back = await compared(await baselineOf(change), idle);
  expect([back.code, back.ids]).toEqual(ids.includes('order.fields') ? [0, []] : [6, ids]);
});

it('finds that a hub has orders that can be read again', async () => {
  const change = at('order', (answer) => answer.json.items && (answer.json = []));
  const { report } = await compared(await baselineOf(), change);
  const back = await compared(fileWith(JSON.stringify(report), 'unread.json'));
  expect([back.code, back.ids]).toEqual([6, ['order.fields']]);
});

it.each<[string, Change, Change, string]>([
  ['again', {}, {}, ''],
  ['with events, and then without', {}, { isIdle: true }, ''],
  ['without events, and then with some', { isIdle: true }, {}, ''],
  ['with another number of events', {}, { prepare: (mock) => mock.emit('CONFIRMED') }, ''],
  ['with fewer requests', {}, {}, '--read-only'],
  [
    'without limit headers, with fewer requests',
    { options: { limitHeaders: false } },
    { options: { limitHeaders: false } },
    '--read-only',
  ],
  [
    'with another menu that has the same faults',
    { prepare: (mock) => mock.publishMerchant((menu) => void delete menu.items[0].status) },
    {
      prepare: (mock) =>
        mock.publishMerchant((menu) => {
          for (const item of menu.items) delete item.status;
        }),
    },
    '',
  ],
  [
    'whose lifetime is an instant, some seconds later',
    { options: { expiresIn: 'epoch', tokenLifetimeMs: 3_600_000 } },
    { options: { expiresIn: 'epoch', tokenLifetimeMs: 3_598_000 } },
    '',
  ],
  [
    'whose clock drifts',
    header('token', 'date', 'Mon, 05 Jan 2026 13:00:03 GMT'),
    header('token', 'date', 'Mon, 05 Jan 2026 13:00:13 GMT'),
    '',
  ],
])('finds no change at the same hub, examined %s', async (_how, before, after, options) => {
  const { code, ids, report } = await compared(await baselineOf(before), after, options);
  expect([code, ids]).toEqual([0, []]);
  expect(report.comparison.unchanged).toBeGreaterThan(40);
});

it('takes a report of version 0.2.0, and the document of --json', async () => {
  const old = await compared(fileWith(PUBLISHED, 'old.json'));
  expect([old.code, old.ids, old.report.comparison.unchanged]).toEqual([0, [], 64]);
  const plain = await baselineOf({}, '--json');
  expect((await compared(plain)).code).toBe(0);
  const { code, ids } = await compared(plain, { options: { tokenLifetimeMs: 60_000 } });
  expect([code, ids]).toEqual([6, ['token.lifetime']]);
});

it('says in every form of output what has changed', async () => {
  const file = await baselineOf();
  const change: Change = { options: { tokenLifetimeMs: 3_600_000, badKeyStatus: 403 } };
  const run = async (options: string) => {
    const { clock } = await changedHub(change);
    const ran = await exits(6, `doctor --baseline ${file} ${options}`, { clock });
    return ran.out;
  };
  const text = await run('');
  expect(text).toContain('CHANGED  since 2026-01-05T12:00:03.000Z');
  expect(text).toContain('Lifetime of the token (token.lifetime): was: 7 d; now: 1 h');
  expect(text).toContain(
    'Status for an unknown API key (merchant.wrong_key): was: status 401; now: status 403, as in the standard',
  );
  expect(text).not.toContain('as in the spec');
  const { report } = JSON.parse(await run('--json')) as { report: Compared };
  expect(report.comparison.changes).toEqual([
    {
      id: 'token.lifetime',
      endpoint: 'token',
      title: 'Lifetime of the token',
      before: { result: 'as_described', hub: ['7 d'] },
      after: { result: 'differs', hub: ['1 h'] },
    },
    expect.objectContaining({ id: 'merchant.wrong_key' }),
  ]);
  const html = await run('--report html');
  expect(html).toContain('Changed since 2026-01-05T12:00:03.000Z');
  expect(html).toContain(
    '<a href="#token.lifetime">token</a>: Lifetime of the token (token.lifetime): was: 7 d',
  );
  const junit = await run('--report junit');
  expect(junit).toContain('<testsuite name="changes" tests="3" failures="2"');
  expect(junit).toContain('failures="4"'); // two differences, two changes
});

it('says that nothing has changed', async () => {
  const file = await baselineOf();
  const { clock } = await changedHub();
  const ran = await exits(0, `doctor --baseline ${file}`, { clock });
  expect(ran.out).toContain('same     since 2026-01-05T12:00:03.000Z');
  expect(ran.out).toContain('64 checks without a change, 3 not compared');
  expect(ran.out).toContain('all tested behaviour is as in the spec');
  expect(ran.out).not.toMatch(/CHANGED|UNKNOWN/);
});

it('may replace the baseline with the new report', async () => {
  const file = await baselineOf();
  const { clock } = await changedHub({ options: { badKeyStatus: 403 } });
  const again = `doctor --report json --baseline ${file} --output ${file}`;
  await exits(6, again, { clock });
  await clock.advance('1h');
  await exits(0, again, { clock });
});

const breaks = (endpoint: Parameters<typeof at>[0], status: number) =>
  at(endpoint, (answer) => {
    answer.status = status;
    answer.text = '';
  });

it.each<[string, number, Change, (clock: ManualClock) => void]>([
  [
    'the network',
    4,
    { prepare: (mock) => mock.faults.random({ seed: 1, rate: 1, types: ['reset'] }) },
    () => {},
  ],
  ['refused credentials', 3, {}, () => vi.stubEnv('HUB_CLIENT_SECRET', 'another')],
  ['a refused key', 3, {}, () => vi.stubEnv('HUB_API_KEY', 'another')],
  ['a 503 of the token endpoint', 4, breaks('token', 503), () => {}],
  ['a 500 of the menu', 4, breaks('merchant', 500), () => {}],
  ['a 502 for commands', 4, breaks('orderStatus', 502), () => {}],
  [
    'a 429',
    5,
    { prepare: (mock) => mock.faults.next('polling', { status: 429, headers: { 'retry-after': '60' } }) },
    () => {},
  ],
])(
  'says neither that nothing has changed nor that all is as in the spec after %s',
  async (_what, code, change, spoil) => {
    const file = await baselineOf();
    for (const options of some(['', '--report html', '--report junit', '--report json', '--json'], 3)) {
      const { clock } = await changedHub(change);
      spoil(clock);
      const ran = await exits(code, `doctor --baseline ${file} ${options}`, { clock });
      expect(ran.out).not.toMatch(/as in the spec|\bsame +since|Unchanged|Nothing that was seen differs/);
      if (options === '') {
        expect(ran.out).toContain('UNKNOWN  since');
        expect(ran.out).toContain('could not be examined now: ');
      }
      if (options !== '--report json') continue;
      const { comparison } = JSON.parse(ran.out) as Compared;
      expect(comparison.changes).toEqual([]);
      expect(comparison.failed.length).toBeGreaterThan(0);
    }
  },
);

it('reports the changes of the other endpoints if one cannot be examined', async () => {
  const file = await baselineOf();
  const { clock } = await changedHub({ options: { tokenLifetimeMs: 60_000 }, ...breaks('merchant', 500) });
  const ran = await exits(4, `doctor --baseline ${file}`, { clock });
  expect(ran.out).toContain('CHANGED  since');
  expect(ran.out).toContain('now: 1 min');
  expect(ran.out).toContain('could not be examined now: merchant');
});

it('does not call a failure of one further request a change', async () => {
  const file = await baselineOf();
  const { code, ids, report } = await compared(
    file,
    at('token', (answer) => answer.count === 2 && (answer.status = 503)),
  );
  expect([code, ids]).toEqual([0, []]);
  expect(report.comparison.notCompared).toContainEqual({
    id: 'token.wrong_secret',
    why: 'the hub failed now',
  });
});

it.each([
  ['no file', undefined, 'no such file or directory'],
  ['no JSON', 'ok       token (Spec §4.1)', 'is not valid JSON'],
  ['an array', '[]', 'is not a report of the doctor'],
  ['another document', '{"TTL":600}', 'hub: is missing; it must be a string'],
  [
    'the --json of version 0.2.0',
    '{"findings":[],"result":"ok","overall":[]}',
    'is not a report of the doctor',
  ],
  [
    'a report without checks',
    JSON.stringify({ ...JSON.parse(PUBLISHED), checks: [] }),
    'checks: must have at least 1 entry',
  ],
  [
    'a report with other checks',
    JSON.stringify({ ...JSON.parse(PUBLISHED), checks: [{ id: 5 }] }),
    'checks[0].id: must be a string',
  ],
  [
    'a report on another hub',
    JSON.stringify({ ...JSON.parse(PUBLISHED), hub: 'other.example' }),
    'is a report on other.example, not on hub.example',
  ],
  [
    'a failed examination',
    JSON.stringify({
      ...JSON.parse(PUBLISHED),
      endpoints: { token: { result: 'failed', errorCode: 'connection' } },
    }),
    'is the report of an examination that failed',
  ],
])('exits with 2 for a baseline that is %s, and sends nothing', async (_what, text, message) => {
  const { clock, mock } = await changedHub();
  const file = text === undefined ? '/nowhere/last.json' : fileWith(text, 'last.json');
  const ran = await exits(2, `doctor --baseline ${file}`, { clock });
  expect(ran.err).toContain('--baseline: ');
  expect(ran.err).toContain(message);
  expect(ran.out).toBe('');
  expect(mock.requests).toEqual([]);
});

it('compares hubs of this machine, whatever their ports', async () => {
  const first = await hubInEnvironment();
  const before = await exits(0, 'doctor --report json', { clock: first.clock });
  const file = fileWith(before.out, 'last.json');
  const { clock } = await hubInEnvironment({ tokenLifetimeMs: 60_000 });
  await exits(6, `doctor --baseline ${file}`, { clock });
});

it('prints every request that it has sent, in every form of output, and no secret', async () => {
  const file = await baselineOf();
  for (const [options, isIdle] of [
    ['', false],
    ['', true],
    ['--json', true],
    ['--report json', true],
    ['--report html', true],
    ['--report junit', true],
  ] as const) {
    const { clock, mock } = await changedHub({ isIdle });
    const ran = await exits(0, `doctor --baseline ${file} ${options}`, { clock });
    expect(mock.requests.length).toBe(14);
    for (const { method, path } of mock.requests) {
      expect(ran.out, options).toContain(`${path}`);
      expect(ran.out, options).toMatch(new RegExp(`\\b${method}\\b`));
    }
    expect(ran.out).not.toMatch(/mock\.1001\.|mock-client-secret|mock-api-key/);
  }
  const { report } = await compared(file);
  expect(report.requests.calls).toHaveLength(14);
  expect(report.requests.calls.filter(({ url }) => url.endsWith('/v1/orders/{orderId}'))).toHaveLength(3);
});
