import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { ConfigurationError, fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { recalled } from '../calls.js';
import { DAY_MS, openAnother, openState, stateError, temporaryDirectory } from './support.js';

const isRoot = process.geteuid?.() === 0;
const hasModes = process.geteuid !== undefined;
const handled = { handled: true, forMs: DAY_MS } as const;

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the path of fileState', () => {
  it('can be a directory, in which it makes state.db, or a file', async () => {
    const directory = temporaryDirectory();
    for (const [path, file] of [
      ['a', 'a/state.db'],
      ['b/c', 'b/c/state.db'],
      ['hub.db', 'hub.db'],
      ['d/hub.sqlite', 'd/hub.sqlite'],
    ] as const) {
      void openState(join(directory, path));
      expect(statSync(join(directory, file)).isFile()).toBe(true);
    }
    mkdirSync(join(directory, 'name.with.dots'));
    void openState(join(directory, 'name.with.dots'));
    expect(existsSync(join(directory, 'name.with.dots/state.db'))).toBe(true);
    writeFileSync(join(directory, 'no-extension'), '');
    void openState(join(directory, 'no-extension'));
    expect(statSync(join(directory, 'no-extension')).isFile()).toBe(true);
  });

  it('means one state in this process, however it is spelled', async () => {
    const directory = temporaryDirectory();
    const link = `${directory}-link`;
    symlinkSync(directory, link);
    onTestFinished(() => rmSync(link));
    const state = openState(directory);
    expect(fileState(relative(process.cwd(), directory))).toBe(state);
    expect(fileState(link)).toBe(state);
    expect(fileState(join(directory, 'state.db'))).toBe(state);
    await state.close();
    await state.close();
    expect(() => state.get('k', new ManualClock())).toThrow(
      stateError(/is closed; open it again with fileState/),
    );
    expect(openState(directory)).not.toBe(state);
  });

  it('must be a path', () => {
    for (const path of ['', undefined, 7, null, 'a\0b'])
      expect(() => fileState(path as string)).toThrow(ConfigurationError);
  });

  it('cannot be below a file, nor where directories cannot be created', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'file'), '');
    for (const path of ['file/below', 'file/below.db', 'file/far/below']) {
      expect(() => fileState(join(directory, path))).toThrow(
        stateError(/a part of that path is a file; give fileState another path/),
      );
    }
    if (existsSync('/proc/self')) expect(() => fileState('/proc/x/y')).toThrow(stateError(/ENOENT/));
  });

  it.skipIf(!hasModes)('and what it makes there can be read by its user only', async () => {
    const directory = join(temporaryDirectory(), 'a', 'b');
    const state = openState(directory);
    await state.mark('events:s', ['1'], handled, new ManualClock());
    expect(readdirSync(directory).sort()).toEqual(['state.db', 'state.db-shm', 'state.db-wal']);
    for (const name of readdirSync(directory))
      expect([name, modeOf(join(directory, name))]).toEqual([name, '600']);
    expect([directory, join(directory, '..')].map(modeOf)).toEqual(['700', '700']);
  });

  it.skipIf(!hasModes)('gets mode 600 again when others could read it', async () => {
    const directory = temporaryDirectory();
    await openState(directory).mark('events:s', ['1'], handled, new ManualClock());
    const files = ['', '-wal', '-shm'].map((end) => join(directory, `state.db${end}`));
    for (const path of files) chmodSync(path, 0o644);
    void openAnother(directory);
    expect(files.map(modeOf)).toEqual(['600', '600', '600']);
  });
});

describe('a directory of opendelivery-client 0.1 or 0.2', () => {
  it.each(['journal', 'values', 'sign-of-life'])('with its file %s is refused and left as it was', (name) => {
    const directory = temporaryDirectory();
    if (name === 'values') mkdirSync(join(directory, name));
    else writeFileSync(join(directory, name), 'opendelivery-client journal 2\n');
    expect(() => fileState(directory)).toThrow(
      stateError(
        /has the state of opendelivery-client 0\.1 or 0\.2 .* left as it was\. Give fileState another path/,
      ),
    );
    expect(readdirSync(directory)).toEqual([name]);
  });
});

describe.skipIf(!hasModes)('what other users can write to', () => {
  it.each(['777', '1777', '770', '702'])('is refused: a directory of mode %s', (mode) => {
    const directory = join(temporaryDirectory(), 'state');
    mkdirSync(directory);
    chmodSync(directory, Number.parseInt(mode, 8));
    const words = new RegExp(`can be written to by other users \\(mode ${mode}\\).*chmod 700`);
    for (const path of [directory, join(directory, 'hub.db')])
      expect(() => fileState(path)).toThrow(stateError(words));
    expect(readdirSync(directory)).toEqual([]);
    chmodSync(directory, 0o755);
    void openState(directory);
  });

  it('is refused: a database, or its log', async () => {
    const directory = temporaryDirectory();
    await openState(directory).mark('events:s', ['1'], handled, new ManualClock());
    for (const name of ['state.db', 'state.db-wal', 'state.db-shm']) {
      chmodSync(join(directory, name), 0o666);
      expect(() => openAnother(directory)).toThrow(
        stateError(new RegExp(`${name} can be written to by other users \\(mode 666\\).*chmod 600`)),
      );
      chmodSync(join(directory, name), 0o600);
    }
  });

  it('is allowed above the directory of the state', () => {
    const parent = temporaryDirectory();
    chmodSync(parent, 0o1777);
    void openState(join(parent, 'state'));
    expect(modeOf(join(parent, 'state'))).toBe('700');
  });

  it.skipIf(!isRoot)('is refused: a directory, a link or a file of another user', () => {
    const directory = temporaryDirectory();
    chownSync(directory, 12_345, 12_345);
    expect(() => fileState(directory)).toThrow(stateError(/belongs to another user \(uid 12345\)/));
    chownSync(directory, 0, 0);
    const link = join(temporaryDirectory(), 'link');
    symlinkSync(directory, link);
    lchownSync(link, 12_345, 12_345);
    expect(() => fileState(link)).toThrow(stateError(/is a symbolic link of another user \(uid 12345\)/));
    const file = join(directory, 'state.db');
    writeFileSync(file, '', { mode: 0o600 });
    chownSync(file, 12_345, 12_345);
    expect(() => fileState(directory)).toThrow(stateError(/state\.db belongs to another user \(uid 12345\)/));
  });
});

describe('another kind of file in the place of one of ours', () => {
  const PLANTED: Readonly<Record<string, (path: string, victim: string) => void>> = {
    'a symbolic link': (path, victim) => symlinkSync(victim, path),
    'a hard link': (path, victim) => linkSync(victim, path),
    'a FIFO': (path) => void execFileSync('mkfifo', [path]),
    'a directory': (path) => void mkdirSync(path),
  };
  const kinds = Object.keys(PLANTED).filter((kind) => hasModes || kind === 'a directory');

  it.each(kinds.flatMap((kind) => ['state.db', 'state.db-wal', 'state.db-shm'].map((name) => [kind, name])))(
    '%s as %s is refused with its path, and nothing is written through it',
    async (kind = '', name = '') => {
      const directory = temporaryDirectory();
      const path = join(directory, name);
      const victim = join(temporaryDirectory(), 'victim');
      writeFileSync(victim, 'not to be changed');
      PLANTED[kind]?.(path, victim);
      expect(() => fileState(directory)).toThrow(
        stateError(new RegExp(`${name} (?:is ${kind}, not a file|has a second name .*); remove it`)),
      );
      expect(readFileSync(victim, 'utf8')).toBe('not to be changed');
      rmSync(path, { recursive: true });
      const state = openState(directory);
      await state.mark('events:s', ['1'], handled, new ManualClock());
      expect(await recalled(state, 'events:s', ['1'], new ManualClock())).toEqual(['1']);
    },
  );

  it.skipIf(!hasModes)('a socket as state.db is refused', async () => {
    const path = join(temporaryDirectory(), 'state.db');
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    expect(() => fileState(path)).toThrow(stateError(/state\.db is a socket, not a file; remove it/));
    expect(lstatSync(path).isSocket()).toBe(true);
  });
});
