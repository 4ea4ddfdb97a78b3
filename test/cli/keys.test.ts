import { tmpdir } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { fileWith } from '../temporary.js';
import { exits, hubInEnvironment } from './support.js';

const KEY = 'p4rtner-k3y-of-somebody';

describe('a key on the command line', () => {
  it.each([
    [`token --header x-partner=${KEY}`, '--header'],
    [`token --header x-partner=${KEY}:more`, '--header'],
    [`token --header ${KEY}`, '--header'],
    [`token --header x-partner:`, '--header'],
    [
      `token --client-secret=${KEY}`,
      "error: unknown option '--client-secret': other users can read command lines; use --client-secret-file or HUB_CLIENT_SECRET",
    ],
    [`menu --api-key=${KEY}:x'y`, "'--api-key': other users can read command lines; use --api-key-file or"],
    [`menu --x=${KEY}'b`, "error: unknown option '--x'"],
  ])('`%s` exits with 2 and does not print it', async (commandLine, reason) => {
    const { clock, mock } = await hubInEnvironment();
    const ran = await exits(2, commandLine, { clock });
    expect(ran.err).toContain(reason);
    expect(ran.out + ran.err).not.toContain(KEY.slice(0, 6));
    expect(mock.requests).toEqual([]);
  });
});

describe('a key in a file', () => {
  it.each([
    ['token', '--client-secret-file', 'HUB_CLIENT_SECRET', '\ufeffmock-client-secret\r\n'],
    ['menu', '--api-key-file', 'HUB_API_KEY', 'mock-api-key\n'],
  ])('is read by %s from the file of %s and of %s_FILE', async (command, option, variable, text) => {
    const { clock } = await hubInEnvironment();
    const file = fileWith(text);
    vi.stubEnv(variable, '');
    await exits(0, `${command} ${option} ${file}`, { clock });
    vi.stubEnv(`${variable}_FILE`, file);
    await exits(0, command, { clock });
  });

  it('overrides the key in the environment if an option names the file', async () => {
    const { clock } = await hubInEnvironment();
    await exits(3, `token --client-secret-file ${fileWith('wrong')}`, { clock });
  });

  it.each([
    ['missing', () => '/nowhere/key', 'no such file or directory'],
    ['a directory', () => tmpdir(), 'it is a directory'],
    ['empty', () => fileWith('\n'), 'is empty'],
    ['two lines long', () => fileWith('one-key\nother-key\n'), 'has more than one line'],
    ['huge', () => fileWith(Buffer.alloc(70_000, 'k')), 'is larger than 64 KiB'],
  ])('that is %s gives an error of one sentence, which does not quote it', async (_, path, reason) => {
    const { clock, mock } = await hubInEnvironment();
    const file = path();
    const ran = await exits(2, `token --client-secret-file ${file}`, { clock });
    expect(ran.err).toContain(`--client-secret-file: ${file} `);
    expect(ran.err).toContain(reason);
    expect(ran.err).not.toMatch(/one-key|kkk|ENOENT|EISDIR/);
    expect(ran.err.trim().split('\n')).toHaveLength(1);
    vi.stubEnv('HUB_API_KEY', '');
    vi.stubEnv('HUB_API_KEY_FILE', file);
    const menu = await exits(2, 'menu', { clock });
    expect(menu.err).toContain('HUB_API_KEY_FILE');
    expect(mock.requests).toEqual([]);
  });

  it('and in a variable at the same time is an error', async () => {
    const { clock } = await hubInEnvironment();
    vi.stubEnv('HUB_CLIENT_SECRET_FILE', fileWith('mock-client-secret'));
    const ran = await exits(2, 'token', { clock });
    expect(ran.err).toContain('HUB_CLIENT_SECRET and HUB_CLIENT_SECRET_FILE are both set');
  });

  it('can contain extra headers, one per line, as in curl', async () => {
    const { clock } = await hubInEnvironment();
    const file = fileWith(`x-partner: ${KEY}\n\nx-other: 2\n`);
    await exits(0, `token --header @${file}`, { clock });
    const wrong = await exits(2, `token --header @${fileWith(KEY)}`, { clock });
    expect(wrong.err).not.toContain(KEY);
    const absent = await exits(2, 'token --header @/nowhere/headers', { clock });
    expect(absent.err).toContain('--header: /nowhere/headers cannot be read: no such file or directory');
  });
});
