import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENDPOINTS } from 'opendelivery-client';
import { expect, it, vi } from 'vitest';
import { readText } from '../../../docs/blocks.js';
import { specSectionsOf } from '../../../docs/spec-sections.js';
import { fileWith } from '../../../temporary.js';
import { exits } from '../../support.js';
import { at, changedHub, differing, reported } from './changed-hub.js';

it('sends 14 requests, says so, keeps the limits, and acknowledges nothing', async () => {
  const { clock, mock } = await changedHub();
  const { requests, endpoints, hub, at: time } = await reported(clock);
  expect({ hub, time }).toEqual({ hub: 'hub.example', time: '2026-01-05T12:00:03.000Z' });
  expect(requests.sent).toBe(mock.requests.length);
  expect(requests.keptLimits).toBe(true);
  expect(Object.fromEntries(requests.byEndpoint.map(({ endpoint, sent }) => [endpoint, sent]))).toEqual({
    token: 3,
    merchant: 3,
    polling: 2,
    acknowledgment: 2,
    order: 3,
    orderStatus: 1,
  });
  expect(Object.values(endpoints).map(({ result }) => result)).toEqual(Array(6).fill('ok'));
  expect(mock.pending()).toHaveLength(3);
  expect(mock.violations()).toEqual([]);
});

it('does not say of a host with JSON token requests what it has not seen', async () => {
  const profile = { token: { body: 'json' } } as const;
  const { clock, mock } = await changedHub({ options: { profile } });
  const report = await reported(clock, `--profile ${fileWith(JSON.stringify(profile), 'host.json')}`);
  expect(differing(report)).toEqual([]);
  const results = new Map(report.checks.map(({ id, result }) => [id, result]));
  expect([results.get('token.wrong_secret'), results.get('token.wrong_grant')]).toEqual([
    'not_seen',
    'not_seen',
  ]);
  expect(mock.violations()).toEqual([]);
});

it('has the keys that the guide names', async () => {
  const { clock } = await changedHub();
  const report = await reported(clock);
  const [, guide = ''] = readText('docs/command-line.md').split('\nThe keys of `--report json`:\n');
  const rows = [...guide.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)];
  expect(rows.map(([, key]) => key)).toEqual(Object.keys(report));
  for (const [, key = '', text = ''] of rows) {
    const value: unknown = Reflect.get(report, key);
    const first = Array.isArray(value) ? value[0] : key === 'endpoints' ? report.endpoints.token : value;
    if (typeof first !== 'object') continue;
    for (const name of Object.keys(first)) expect(text, key).toMatch(new RegExp(`\\b${name}\\b`));
  }
});

it('sends nothing more to an endpoint after a 429, or if its limit leaves no room', async () => {
  const { clock, mock } = await changedHub({
    prepare: (hub) => {
      hub.faults.next('merchant', { status: 429, headers: { 'retry-after': '60' } });
    },
    alter: (endpoint, { headers }) => {
      if (endpoint === 'polling' || endpoint === 'token') headers.set('x-ratelimit-remaining', '0');
    },
  });
  await reported(clock);
  const sent = mock.requests.map(({ endpoint }) => endpoint);
  for (const endpoint of ['merchant', 'polling', 'token'] as const) {
    expect(sent.filter((each) => each === endpoint)).toHaveLength(1);
  }
});

it('does not blame a hub for the limit that an earlier run has used up', async () => {
  const { clock } = await changedHub();
  await reported(clock);
  const report = await reported(clock);
  expect(differing(report)).toEqual([]);
  const check = report.checks.find(({ id }) => id === 'polling.rate_limited');
  expect(check?.hub.join()).toContain('an earlier run');
});

it('reports a hub that does not respond, and exits as without a report', async () => {
  const { clock } = await changedHub({
    prepare: (mock) => mock.faults.random({ seed: 1, rate: 1, types: ['reset'] }),
  });
  const ran = await exits(4, 'doctor --report json', { clock });
  const report = JSON.parse(ran.out);
  expect(differing(report)).toEqual(['token.status', 'merchant.status']);
  expect(report.endpoints.token).toEqual({ result: 'failed', errorCode: 'connection' });
});

it.each(['html', 'json', 'junit'])('writes the same to stdout and to a file (%s)', async (format) => {
  const output = join(fileWith(''), '..', 'report');
  const first = await changedHub();
  const toStdout = await exits(0, `doctor --report ${format}`, { clock: first.clock });
  const second = await changedHub();
  const toFile = await exits(0, `doctor --report ${format} --output ${output}`, { clock: second.clock });
  expect(toFile.out).toBe('');
  expect(toFile.err).toBe(`The report was written to ${output}: 0 differences, 14 requests.\n`);
  // The orders and events that the doctor makes up have random ids.
  const steady = (text: string) => text.replace(/\w{8}(?:-\w{4}){3}-\w{12}/g, 'random');
  expect(steady(readFileSync(output, 'utf8'))).toBe(steady(toStdout.out));
  if (format === 'html') expect(toStdout.out).toContain('Nothing that was seen differs');
});

it.each([
  ['--report xml', 'Allowed choices are html, json, junit'],
  ['--report json --json', "'--json'"],
  ['--output report.html', '--output: is the file of a report; pass --report too'],
  ['--report html --output /nowhere/report.html', '--output: /nowhere/report.html cannot be written'],
])('exits with 2 for %s', async (options, message) => {
  const { clock, mock } = await changedHub();
  const ran = await exits(2, `doctor ${options}`, { clock });
  expect(ran.err).toContain(message);
  expect(mock.requests).toEqual([]);
});

it('names each difference in every format, with the standard, the spec and the client beside it', async () => {
  const change = at('token', (answer) => void (answer.isAuthorized && (answer.json.expires_in = 3600)));
  const { clock } = await changedHub(change);
  const check = (await reported(clock)).checks.find(({ id }) => id === 'token.lifetime');
  await clock.advance('1h');
  for (const format of ['html', 'junit']) {
    const ran = await exits(0, `doctor --report ${format}`, { clock });
    for (const text of [check?.title, check?.standard, check?.spec, check?.client, '1 h']) {
      expect(ran.out).toContain(text);
    }
    if (format === 'html') expect(ran.out).toContain('<a href="#token.lifetime">');
    await clock.advance('1h');
  }
});

it('reports a hub whose documents are nested deeper than the stack', { tags: 'slow' }, async () => {
  const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const { clock } = await changedHub(
    at('merchant', (answer) => {
      answer.text = `{"id":"1","items":[],"x":${nested}}`;
    }),
  );
  const { checks } = await reported(clock);
  expect(checks.length).toBeGreaterThan(40);
  // How deep is too deep depends on the version of Node.
  expect(['not_seen', 'as_described']).toContain(checks.find(({ id }) => id === 'merchant.again')?.result);
});

it('says if a difference from the spec is as in the standard', async () => {
  const { clock } = await changedHub({ options: { badKeyStatus: 403 } });
  const { checks } = await reported(clock);
  expect(checks.filter(({ result }) => result === 'differs').map(({ hub }) => hub)).toEqual([
    ['status 403, as in the standard'],
  ]);
});

it('keeps the last report if no new one can be made', async () => {
  const output = fileWith('the last report', 'report.html');
  const { clock } = await changedHub();
  vi.stubEnv('HUB_BASE_URL', '');
  await exits(2, `doctor --report html --output ${output}`, { clock });
  expect(readFileSync(output, 'utf8')).toBe('the last report');
});

it('has a row for each check, with an id of its own and a section of the spec', async () => {
  const sections = specSectionsOf();
  const { clock } = await changedHub();
  const { checks } = await reported(clock);
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  for (const { id, endpoint, section, title, standard, spec, client } of checks) {
    expect(id.startsWith(`${endpoint}.`)).toBe(true);
    expect(Object.keys(ENDPOINTS)).toContain(endpoint);
    expect(sections).toContain(section.slice(1));
    for (const text of [title, standard, spec, client]) expect(text).not.toBe('');
  }
});
