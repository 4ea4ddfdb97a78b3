import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hubInEnvironment, opendelivery } from './support.js';

/** A file with this content, removed after the test. */
function fileWith(content: string | Buffer, name = 'key'): string {
  const directory = mkdtempSync(join(tmpdir(), 'keys-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, name), content);
  return join(directory, name);
}

const KEY = 'p4rtner-k3y-of-somebody';

describe('a key on the command line', () => {
  it.each([
    [`token --header x-partner=${KEY}`, '--header'],
    [`token --header x-partner=${KEY}:more`, '--header'],
    [`token --header ${KEY}`, '--header'],
    [`token --header x-partner:`, '--header'],
    [`token --client-secret=${KEY}`, "unknown option '--client-secret'"],
    [`menu --api-key=${KEY}:x'y`, "unknown option '--api-key'"],
  ])('`%s` ends with 2 and does not print it back', async (words, reason) => {
    const { clock, mock } = await hubInEnvironment();
    const ran = opendelivery(words, { clock });
    expect(await ran.code).toBe(2);
    expect(ran.err).toContain(reason);
    expect(ran.out + ran.err).not.toContain(KEY.slice(0, 6));
    expect(mock.requests).toEqual([]);
  });
});

describe('a key in a file', () => {
  it.each(['--client-secret-file', 'HUB_CLIENT_SECRET_FILE'])('is read as %s says', async (name) => {
    const { clock } = await hubInEnvironment();
    const file = fileWith('\ufeffmock-client-secret\r\n');
    vi.stubEnv('HUB_CLIENT_SECRET', '');
    if (name.startsWith('HUB')) vi.stubEnv(name, file);
    const ran = opendelivery(name.startsWith('HUB') ? 'token' : `token ${name} ${file}`, { clock });
    expect(await ran.code).toBe(0);
  });

  it.each(['--api-key-file', 'HUB_API_KEY_FILE'])('is read as %s says', async (name) => {
    const { clock } = await hubInEnvironment();
    const file = fileWith('mock-api-key\n');
    vi.stubEnv('HUB_API_KEY', '');
    if (name.startsWith('HUB')) vi.stubEnv(name, file);
    const ran = opendelivery(name.startsWith('HUB') ? 'menu' : `menu ${name} ${file}`, { clock });
    expect(await ran.code).toBe(0);
  });

  it('goes before the key in the environment when an option names it', async () => {
    const { clock } = await hubInEnvironment();
    const ran = opendelivery(`token --client-secret-file ${fileWith('wrong')}`, { clock });
    expect(await ran.code).toBe(3);
  });

  it('is masked like any other', async () => {
    const { clock, mock } = await hubInEnvironment();
    vi.stubEnv('HUB_CLIENT_SECRET', '');
    mock.emit('ECHO_mock-client-secret');
    const ran = opendelivery(`poll --once --client-secret-file ${fileWith('mock-client-secret\n')}`, {
      clock,
    });
    expect(await ran.code).toBe(0);
    expect(ran.out).toContain('ECHO_[secret]');
  });

  it.each([
    ['absent', () => '/nowhere/key', 'there is no such file or directory'],
    ['a directory', () => tmpdir(), 'it is a directory'],
    ['empty', () => fileWith('\n'), 'is empty'],
    ['of two lines', () => fileWith('one-key\nother-key\n'), 'has more than one line'],
    ['huge', () => fileWith(Buffer.alloc(70_000, 'k')), 'is larger than 64 KiB'],
  ])('that is %s is an error in one sentence that does not quote it', async (_, path, reason) => {
    const { clock, mock } = await hubInEnvironment();
    const file = path();
    const ran = opendelivery(`token --client-secret-file ${file}`, { clock });
    expect(await ran.code).toBe(2);
    expect(ran.err).toContain(`--client-secret-file: ${file} `);
    expect(ran.err).toContain(reason);
    expect(ran.err).not.toMatch(/one-key|kkk|ENOENT|EISDIR/);
    expect(ran.err.trim().split('\n')).toHaveLength(1);
    vi.stubEnv('HUB_API_KEY', '');
    vi.stubEnv('HUB_API_KEY_FILE', file);
    const menu = opendelivery('menu', { clock });
    expect(await menu.code).toBe(2);
    expect(menu.err).toContain('HUB_API_KEY_FILE');
    expect(mock.requests).toEqual([]);
  });

  it('and in a variable at once is refused: one of them is out of date', async () => {
    const { clock } = await hubInEnvironment();
    vi.stubEnv('HUB_CLIENT_SECRET_FILE', fileWith('mock-client-secret'));
    const ran = opendelivery('token', { clock });
    expect(await ran.code).toBe(2);
    expect(ran.err).toContain('HUB_CLIENT_SECRET and HUB_CLIENT_SECRET_FILE are both set');
  });

  it('can hold extra headers, as curl reads them', async () => {
    const { clock } = await hubInEnvironment();
    const file = fileWith(`x-partner: ${KEY}\n\nx-other: 2\n`);
    expect(await opendelivery(`token --header @${file}`, { clock }).code).toBe(0);
    const wrong = opendelivery(`token --header @${fileWith(KEY)}`, { clock });
    expect(await wrong.code).toBe(2);
    expect(wrong.err).not.toContain(KEY);
    const absent = opendelivery('token --header @/nowhere/headers', { clock });
    expect(await absent.code).toBe(2);
    expect(absent.err).toContain(
      '--header: /nowhere/headers cannot be read: there is no such file or directory',
    );
  });
});

describe('an .env file', () => {
  const variables = (url: string) =>
    `HUB_BASE_URL=${url}\nHUB_CLIENT_ID=1001\nHUB_CLIENT_SECRET=mock-client-secret\nHUB_API_KEY=mock-api-key\n`;

  const unset = () => {
    for (const name of ['HUB_BASE_URL', 'HUB_CLIENT_ID', 'HUB_CLIENT_SECRET', 'HUB_API_KEY'])
      vi.stubEnv(name, '');
  };

  it.each(['token', 'token --json', 'menu', 'poll --once', 'doctor --read-only --json'])(
    'is named when it chose the host (%s)',
    async (words) => {
      const { clock, url } = await hubInEnvironment();
      const file = fileWith(variables(url), 'hub.env');
      unset();
      const ran = opendelivery(`${words} --env ${file}`, { clock });
      expect(await ran.code).toBe(0);
      expect(ran.err).toContain(`the hub is ${new URL(url).host}: HUB_BASE_URL comes from ${file}`);
    },
  );

  it('is named where it was found by itself, also when nothing answers there', async () => {
    const { clock } = await hubInEnvironment();
    const file = fileWith(variables('http://127.0.0.1:1'), '.env');
    unset();
    vi.spyOn(process, 'cwd').mockReturnValue(join(file, '..'));
    onTestFinished(() => void vi.restoreAllMocks());
    const ran = opendelivery('menu', { clock });
    await clock.advance('5m');
    expect(await ran.code).toBe(4);
    expect(ran.err).toContain(`HUB_BASE_URL comes from ${file}`);
  });

  it('is not named when the environment or an option chose the host', async () => {
    const { clock, url } = await hubInEnvironment();
    const file = fileWith(variables('http://127.0.0.1:1'), 'hub.env');
    const fromEnvironment = opendelivery(`menu --env ${file}`, { clock });
    expect(await fromEnvironment.code).toBe(0);
    unset();
    const fromOption = opendelivery(`menu --env ${file} --base-url ${url}`, { clock });
    expect(await fromOption.code).toBe(0);
    expect(fromEnvironment.err + fromOption.err).not.toContain('hub.env');
  });

  it('shows no password of an address in it', async () => {
    const { clock } = await hubInEnvironment();
    const file = fileWith(variables(`https://user:${KEY}@hub.example`), 'hub.env');
    unset();
    const ran = opendelivery(`menu --env ${file}`, { clock });
    expect(await ran.code).toBe(2);
    expect(ran.err).not.toContain(KEY);
  });

  it('that is a directory, as a Python environment may be, is passed over', async () => {
    const { clock } = await hubInEnvironment();
    const directory = join(fileWith(''), '..');
    mkdirSync(join(directory, '.env'));
    vi.spyOn(process, 'cwd').mockReturnValue(directory);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await opendelivery('menu', { clock }).code).toBe(0);
  });

  it('leaves the environment of the process as it was', async () => {
    const { clock, url } = await hubInEnvironment();
    const file = fileWith(variables(url), 'hub.env');
    unset();
    expect(await opendelivery(`token --env ${file}`, { clock }).code).toBe(0);
    expect(process.env.HUB_CLIENT_SECRET).toBe('');
  });

  it('that is missing ends the real process with 2: Node itself does not take the option', () => {
    const cli = fileURLToPath(new URL('../../src/cli/index.ts', import.meta.url));
    const ran = spawnSync(process.execPath, ['--import', 'tsx', cli, 'token', '--env', '/nowhere/hub.env'], {
      encoding: 'utf8',
    });
    expect(ran.stderr).toBe(
      'error: --env: /nowhere/hub.env cannot be read: there is no such file or directory; check the path\n',
    );
    expect(ran.status).toBe(2);
  });
});
