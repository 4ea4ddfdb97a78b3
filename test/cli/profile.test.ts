import type { HostProfile } from 'opendelivery-client';
import { keeta } from 'opendelivery-client/hosts';
import { describe, expect, it, vi } from 'vitest';
import { profile as jsonToken } from '../../examples/hosts/json-token.js';
import { profile as manyShops } from '../../examples/hosts/many-shops.js';
import { requestsTo } from '../support.js';
import { fileWith } from '../temporary.js';
import { exits, hubInEnvironment, opendelivery, servedMock } from './support.js';

const SIGNER = `
import { createHash } from 'node:crypto';
export default {
  basePath: '',
  sign: ({ method, url, body }) => ({
    'x-signature': createHash('sha256').update([method, new URL(url).pathname, body, 'key'].join()).digest('hex'),
  }),
};
`;

describe('--profile', () => {
  it.each([
    ['JSON', JSON.stringify(jsonToken), 'profile.json', jsonToken],
    ['a module with a signer', SIGNER, 'profile.mjs', undefined],
  ])('of a client can be %s', async (_, text, name, profile) => {
    const path = fileWith(text, name);
    const given = profile ?? ((await import(path)) as { default: HostProfile }).default;
    const { clock, mock } = await hubInEnvironment({ profile: given });
    mock.createOrder();
    for (const command of ['token', 'poll --once', 'menu']) {
      const ran = await exits(0, `${command} --profile ${path}`, { clock });
      expect(ran.err).not.toContain('error');
    }
    await exits(0, `doctor --profile ${path}`, { clock });
    expect(mock.violations()).toEqual([]);
  });

  it.each([
    ['{"path": {}}', 'profile.json', 'path: is not an option; the options are name, basePath'],
    [
      '{"paths": {"order": "/o"}}',
      'profile.json',
      'paths.order: must contain {orderId}, each as a whole path segment',
    ],
    ['[]', 'profile.json', 'must be an object'],
    ['{', 'profile.json', 'is not valid JSON'],
    ['export const profile = {};', 'profile.mjs', 'has no default export'],
    ['throw new Error("broken");', 'profile.mjs', 'cannot be loaded: broken'],
  ])('refuses the file %s', async (text, name, reason) => {
    await hubInEnvironment();
    const path = fileWith(text, name);
    for (const command of ['token', 'doctor', 'mock --port 0']) {
      const ran = await exits(2, `${command} --profile ${path}`);
      expect(ran.err).toContain('--profile');
      expect(ran.err).toContain(path);
      expect(ran.err).toContain(reason);
    }
  });

  it('refuses a file that is not there', async () => {
    await hubInEnvironment();
    for (const path of ['/nowhere/profile.json', '/nowhere/profile.mjs']) {
      const ran = await exits(2, `token --profile ${path}`);
      expect(ran.err).toMatch(/--profile: \/nowhere\/profile\.m?js(?:on)? cannot be (?:read|loaded)/);
    }
  });

  it.each([
    ['JSON token requests', JSON.stringify(jsonToken), 'profile.json', 2],
    [
      'Basic credentials',
      '{"token": {"credentials": "basic"}, "headers": {"x-partner": "key"}}',
      'profile.json',
      2,
    ],
    ['a token endpoint elsewhere', '{"tokenUrl": "https://login.example/token"}', 'profile.json', 2],
    ['signatures', SIGNER, 'profile.mjs', 0],
  ])(
    'of the mock command: the host with %s, and curl commands that work',
    async (_, text, name, commands) => {
      const { ran } = await servedMock(`--profile ${fileWith(text, name)}`);
      const curls = [...ran.out.matchAll(/^ {2}curl (.*-H 'x-api-key.*|.*-d '.*)$/gm)].map(
        ([, line = '']) => line,
      );
      expect(curls).toHaveLength(commands);
      for (const line of curls) {
        const headers = [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(
          ([, key, value]): [string, string] => [String(key), String(value)],
        );
        const body = /-d '([^']+)'/.exec(line)?.[1];
        const url = line.split(' ').at(-1) as string;
        const form: [string, string][] =
          body && !line.includes('content-type')
            ? [['content-type', 'application/x-www-form-urlencoded']]
            : [];
        const init = { headers: [...headers, ...form], ...(body !== undefined && { method: 'POST', body }) };
        expect((await fetch(url, init)).status).toBe(200);
      }
    },
  );
});

/** The JSON document at the end of the doctor's text. */
const profileIn = (out: string) => JSON.parse(out.slice(out.indexOf('\n{\n'))) as HostProfile;

describe('the doctor', () => {
  it('keeps all that the given profile says of the host', async () => {
    const { clock } = await hubInEnvironment({ profile: keeta.profile });
    const path = fileWith(JSON.stringify(keeta.profile), 'keeta.json');
    const ran = await exits(0, `doctor --profile ${path}`, { clock });
    expect(profileIn(ran.out)).toEqual(keeta.profile);
  });

  const camelCase = { clientId: 'clientId', clientSecret: 'clientSecret', grantType: 'grantType' };
  it.each<[string, HostProfile, number]>([
    ['no base path', { basePath: '' }, 2],
    ['Basic credentials', { token: { credentials: 'basic' } }, 2],
    ['JSON', { token: { body: 'json' } }, 3],
    ['JSON in camelCase', { token: { body: 'json', fields: camelCase } }, 4],
    ['a form in camelCase', { token: { fields: camelCase } }, 5],
    ['Basic credentials below /api', { basePath: '/api', token: { credentials: 'basic' } }, 4],
  ])('finds %s, and prints a profile that --profile accepts', async (_, host, tokens) => {
    const { clock, mock } = await hubInEnvironment({ profile: host });
    const ran = await exits(0, 'doctor', { clock });
    expect(profileIn(ran.out)).toEqual(host);
    expect(ran.out).toContain(`the doctor has sent ${tokens + 5} requests, ${tokens} of them for a token`);
    expect(mock.requests).toHaveLength(tokens + 5);
    const path = fileWith(JSON.stringify(profileIn(ran.out)), 'profile.json');
    await exits(0, `token --profile ${path}`, { clock });
  });

  it('sends at most half of the hourly token requests, and says what it has tried', async () => {
    for (const limits of [undefined, { token: { requests: 4, windowMs: 3_600_000 } }]) {
      const { clock, mock } = await hubInEnvironment({ profile: { limits } });
      vi.stubEnv('HUB_CLIENT_SECRET', 'not-the-secret');
      const given = limits ? ` --profile ${fileWith(JSON.stringify({ limits }), 'profile.json')}` : '';
      const ran = await exits(3, `doctor --read-only${given}`, { clock });
      expect(requestsTo(mock, 'token')).toHaveLength(limits ? 2 : 5);
      expect(ran.out).toContain('check clientId and clientSecret');
      expect(ran.out).toContain('also refuses the token request with Basic credentials');
    }
  });

  it('does not search for what the user has said, nor after a failure of the hub', async () => {
    for (const [given, host, fault] of [
      ['--base-path /hub', {}, undefined],
      [`--profile ${fileWith('{"token": {"credentials": "basic"}}', 'profile.json')}`, {}, undefined],
      ['', {}, 503],
    ] as const) {
      const { clock, mock } = await hubInEnvironment({ profile: host });
      if (fault) mock.faults.next('token', fault);
      expect(await opendelivery(`doctor --read-only ${given}`, { clock }).code).not.toBe(0);
      expect(mock.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    }
  });

  it('prints limits that are stricter than in the spec, and what it was given, without headers', async () => {
    const limits = { polling: { requests: 1, windowMs: 60_000 } };
    const commands = { required: ['delivered' as const], refuseOthers: true };
    const headers = { 'x-partner': 'a-partner-key' };
    const host: HostProfile = { ...manyShops, limits, commands, headers };
    const { clock } = await hubInEnvironment({ profile: host });
    const path = fileWith(JSON.stringify({ ...host, limits: undefined }), 'profile.json');
    const ran = await exits(0, `doctor --json --profile ${path}`, { clock });
    const { name, basePath, paths } = manyShops;
    expect(JSON.parse(ran.out).profile).toEqual({ name, basePath, paths, limits, commands });
    expect(ran.out).not.toContain('a-partner-key');
  });
});
