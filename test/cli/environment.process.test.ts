import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { programOf } from '../programs.js';
import { afterAdvance } from '../support.js';
import { fileWith, temporaryDirectory } from '../temporary.js';
import { exits, hubInEnvironment, opendelivery } from './support.js';

const KEY = 'p4rtner-k3y-of-somebody';

describe('an .env file', () => {
  const variables = (url: string) =>
    `HUB_BASE_URL=${url}\nHUB_CLIENT_ID=1001\nHUB_CLIENT_SECRET=mock-client-secret\nHUB_API_KEY=mock-api-key\n`;

  const unset = () => {
    for (const name of ['HUB_BASE_URL', 'HUB_CLIENT_ID', 'HUB_CLIENT_SECRET', 'HUB_API_KEY'])
      vi.stubEnv(name, '');
  };

  it.each(['token', 'token --json', 'menu', 'poll --once', 'doctor --read-only --json'])(
    'is named if it sets the host (%s)',
    async (commandLine) => {
      const { clock, url } = await hubInEnvironment();
      const file = fileWith(variables(url), 'hub.env');
      unset();
      const ran = await exits(0, `${commandLine} --env ${file}`, { clock });
      expect(ran.err).toContain(`the hub is ${new URL(url).host}; HUB_BASE_URL is set in ${file}`);
    },
  );

  it.each<[string, (text: string) => string | Buffer]>([
    ['UTF-8 with a byte order mark', (text) => `\ufeff${text}`],
    ['UTF-16 LE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16 BE', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('may be in %s, as editors and shells of Windows write it', async (_encoding, encoded) => {
    const { clock, url } = await hubInEnvironment();
    const file = fileWith(encoded(variables(url).replaceAll('\n', '\r\n')), 'hub.env');
    unset();
    const ran = opendelivery(`token --env ${file}`, { clock });
    expect([await ran.code, ran.err]).toEqual([0, expect.stringContaining('HUB_BASE_URL is set in')]);
  });

  it.skipIf(process.platform === 'win32')('may be a pipe, which is empty when it is read again', async () => {
    const { clock, url } = await hubInEnvironment();
    const pipe = join(temporaryDirectory(), 'pipe');
    spawnSync('mkfifo', [pipe]);
    unset();
    const writer = spawn('sh', [
      '-c',
      'printf %s "$0" > "$1"; while :; do : > "$1"; done',
      variables(url),
      pipe,
    ]);
    onTestFinished(() => void writer.kill());
    await exits(0, `token --env ${pipe}`, { clock });
  });

  it('is named without --env, also if no hub responds', async () => {
    const { clock } = await hubInEnvironment();
    const file = fileWith(variables('http://127.0.0.1:1'), '.env');
    unset();
    vi.spyOn(process, 'cwd').mockReturnValue(join(file, '..'));
    onTestFinished(() => void vi.restoreAllMocks());
    const ran = await afterAdvance(clock, '5m', exits(4, 'menu', { clock }));
    expect(ran.err).toContain(`HUB_BASE_URL is set in ${file}`);
  });

  it('is not named if the environment or an option sets the host', async () => {
    const { clock, url } = await hubInEnvironment();
    const file = fileWith(variables('http://127.0.0.1:1'), 'hub.env');
    const fromEnvironment = await exits(0, `menu --env ${file}`, { clock });
    unset();
    const fromOption = await exits(0, `menu --env ${file} --base-url ${url}`, { clock });
    expect(fromEnvironment.err + fromOption.err).not.toContain('hub.env');
  });

  it('may contain an address with a password, which is not printed', async () => {
    const { clock } = await hubInEnvironment();
    const file = fileWith(variables(`https://user:${KEY}@hub.example`), 'hub.env');
    unset();
    const ran = await exits(2, `menu --env ${file}`, { clock });
    expect(ran.err).not.toContain(KEY);
  });

  it('that is a directory, such as a Python environment, is ignored', async () => {
    const { clock } = await hubInEnvironment();
    const directory = join(fileWith(''), '..');
    mkdirSync(join(directory, '.env'));
    vi.spyOn(process, 'cwd').mockReturnValue(directory);
    onTestFinished(() => void vi.restoreAllMocks());
    await exits(0, 'menu', { clock });
  });

  it('that is missing makes the process exit with 2 (Node does not interpret --env)', () => {
    const ran = spawnSync(
      process.execPath,
      [programOf('src/cli/index.ts'), 'token', '--env', '/nowhere/hub.env'],
      {
        encoding: 'utf8',
      },
    );
    expect(ran.stderr).toBe(
      'error: --env: /nowhere/hub.env cannot be read: no such file or directory; check the path\n',
    );
    expect(ran.status).toBe(2);
  });
});
