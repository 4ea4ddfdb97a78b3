import { describe, expect, it, vi } from 'vitest';
import { afterAdvance } from '../support.js';
import { fileWith } from '../temporary.js';
import { exits, hubInEnvironment, stateDirectory } from './support.js';

const SECRET = 'mock-client-secret';

describe('opendelivery token', () => {
  it('prints the expiry, never the token', async () => {
    const { clock, mock } = await hubInEnvironment();
    const ran = await exits(0, 'token', { clock });
    expect(ran.out).toContain('ok: the token is valid for 7 d, until 2026-01-12T12:00:00.000Z');
    const json = await exits(0, 'token --json', { clock });
    expect(JSON.parse(json.out)).toEqual({ ok: true, expiresAt: '2026-01-12T12:00:00.000Z' });
    expect(mock.requests).toHaveLength(2);
    for (const text of [ran.out, ran.err, json.out, json.err])
      expect(text).not.toMatch(/mock\.1001\.|secret/);
  });

  it.each(['token', 'token --json'])(
    'ends without an error if the pipe is closed: %s',
    async (commandLine) => {
      const { clock } = await hubInEnvironment();
      expect((await exits(0, commandLine, { clock, failAfter: 0 })).err).not.toContain('EPIPE');
    },
  );

  it.each([
    ['refused credentials', 3, { HUB_CLIENT_SECRET: 'wrong' }, 'check clientId and clientSecret'],
    ['missing credentials', 2, { HUB_CLIENT_SECRET: '' }, 'clientSecret'],
    ['an unreachable hub', 4, { HUB_BASE_URL: 'http://127.0.0.1:1' }, 'ECONNREFUSED'],
  ])('has an exit code for %s', async (_, code, variables, reason) => {
    const { clock } = await hubInEnvironment();
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const ran = await afterAdvance(clock, '5m', exits(code, 'token', { clock }));
    expect(ran.err).toContain(reason);
  });

  it('reads the file of --env; the environment overrides it', async () => {
    const { clock, mock, url } = await hubInEnvironment();
    const file = fileWith(
      `# a store\nHUB_BASE_URL="${url}"\nHUB_CLIENT_ID=1001\nHUB_CLIENT_SECRET=${SECRET}\n`,
    );
    for (const name of ['HUB_BASE_URL', 'HUB_CLIENT_ID', 'HUB_CLIENT_SECRET']) vi.stubEnv(name, '');
    await exits(0, `token --env ${file}`, { clock });
    vi.stubEnv('HUB_CLIENT_SECRET', 'wrong');
    await exits(3, `token --env ${file}`, { clock });
    expect(mock.requests).toHaveLength(2);
  });
});

describe('opendelivery --state', () => {
  it('keeps the token between runs', async () => {
    const { clock, mock } = await hubInEnvironment();
    const directory = stateDirectory();
    for (let count = 0; count < 3; count += 1) {
      const ran = await exits(0, `token --state ${directory}`, { clock });
      expect(ran.err.includes('the credentials were not checked')).toBe(count > 0);
    }
    expect(mock.requests).toHaveLength(1);
  });
});
