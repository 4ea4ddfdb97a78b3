import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { recalled } from '../recalled.js';
import {
  DAY_MS,
  idsIn,
  openState,
  stateError,
  stateWarnings,
  temporaryDirectory,
  writtenDirectory,
} from './support.js';

const isRoot = process.geteuid?.() === 0;
const hasModes = process.geteuid !== undefined;

describe.skipIf(!hasModes)('a directory that other users can write to', () => {
  it.each([0o777, 0o1777, 0o770, 0o702])('(mode %o) is refused, and the message says what to do', (mode) => {
    const directory = join(temporaryDirectory(), 'state');
    mkdirSync(directory);
    chmodSync(directory, mode);
    expect(() => fileState(directory)).toThrow(
      stateError(
        new RegExp(`state can be written to by other users \\(mode ${mode.toString(8)}\\).*chmod 700`),
      ),
    );
    expect(readdirSync(directory)).toEqual([]);
    chmodSync(directory, 0o755);
    void openState(directory);
  });

  it('is allowed above the directory of the state', async () => {
    const parent = temporaryDirectory();
    chmodSync(parent, 0o1777);
    await openState(join(parent, 'state')).remember('s', ['1'], DAY_MS, new ManualClock());
    expect(statSync(join(parent, 'state')).mode & 0o777).toBe(0o700);
  });

  it('is refused when it is the directory of the values', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const state = openState(directory);
    await state.set('k', 'v', DAY_MS, clock);
    chmodSync(join(directory, 'values'), 0o733);
    await expect(state.get('k', clock)).rejects.toEqual(
      stateError(/values can be written to by other users/),
    );
    await expect(state.set('k', 'w', DAY_MS, clock)).rejects.toEqual(stateError(/values can be written to/));
  });

  it.skipIf(!isRoot)('because another user owns it, or owns a link to it, is refused', () => {
    const directory = temporaryDirectory();
    chownSync(directory, 12_345, 12_345);
    expect(() => fileState(directory)).toThrow(stateError(/belongs to another user \(uid 12345\)/));
    chownSync(directory, 0, 0);
    const link = join(temporaryDirectory(), 'link');
    symlinkSync(directory, link);
    lchownSync(link, 12_345, 12_345);
    expect(() => fileState(link)).toThrow(stateError(/is a symbolic link of another user \(uid 12345\)/));
    lchownSync(link, 0, 0);
    void openState(link);
  });
});

describe('another kind of file in the place of one of ours', () => {
  /** Creates it, pointing to a victim that must not change. */
  const PLANTED: Readonly<Record<string, (path: string, victim: string) => void>> = {
    'a symbolic link': (path, victim) => symlinkSync(victim, path),
    'a hard link': (path, victim) => linkSync(victim, path),
    'a FIFO': (path) => void execFileSync('mkfifo', [path]),
    'a directory': (path) => void mkdirSync(path),
    ...(existsSync('/dev/zero')
      ? { 'a symbolic link to a device': (path) => symlinkSync('/dev/zero', path) }
      : {}),
  };
  const kinds = Object.keys(PLANTED).filter((kind) => hasModes || kind === 'a directory');

  function plant(kind: string, path: string): { isUntouched: () => boolean } {
    const victim = join(temporaryDirectory(), 'victim');
    writeFileSync(victim, 'not to be changed');
    PLANTED[kind]?.(path, victim);
    return {
      isUntouched: () => readFileSync(victim, 'utf8') === 'not to be changed' && lstatSync(victim).isFile(),
    };
  }

  it.each(kinds)(
    '%s as journal is refused at once with its path, and nothing is written through it',
    async (kind) => {
      const { directory, journal } = await writtenDirectory();
      rmSync(journal);
      const { isUntouched } = plant(kind, journal);
      const clock = new ManualClock();
      const state = openState(directory);
      const isRefused = stateError(
        /journal (?:is a (?:symbolic link|FIFO|directory), not a file|has a second name .*); remove it|journal has/,
      );
      await expect(recalled(state, 's', ['1'], clock)).rejects.toEqual(isRefused);
      await expect(state.reserve('q', { limit: 1, holdMs: 1000 }, clock)).rejects.toEqual(isRefused);
      expect(isUntouched()).toBe(true);
      rmSync(journal, { recursive: true });
      await state.remember('s', ['6'], DAY_MS, clock);
      expect(await recalled(state, 's', ['6'], clock)).toEqual(['6']);
    },
  );

  it('a socket as journal is refused at once', async () => {
    const { directory, journal } = await writtenDirectory();
    rmSync(journal);
    const server = createServer().listen(journal);
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    await expect(idsIn(directory)).rejects.toEqual(stateError(/journal is a socket, not a file; remove it/));
  });

  it.each(kinds)('%s as a value is refused at once, and nothing is written through it', async (kind) => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const state = openState(directory);
    await state.set('k', 'v', DAY_MS, clock);
    const [name = ''] = readdirSync(join(directory, 'values'));
    const path = join(directory, 'values', name);
    rmSync(path);
    const { isUntouched } = plant(kind, path);
    await expect(state.get('k', clock)).rejects.toEqual(
      stateError(/not a file; remove it|has a second name/),
    );
    await expect(state.delete('k', 'not to be changed', clock)).rejects.toEqual(
      stateError(/not a file|second name/),
    );
    if (kind !== 'a directory') {
      // The new file replaces it; nothing is written through it.
      await state.set('k', 'w', DAY_MS, clock);
      expect(await state.get('k', clock)).toBe('w');
    }
    expect(isUntouched()).toBe(true);
  });

  it.each(
    ['a symbolic link', 'a FIFO', 'a directory', 'a symbolic link to a device'].filter((kind) =>
      kinds.includes(kind),
    ),
  )('%s as lock is refused at once', (kind) => {
    const directory = temporaryDirectory();
    const { isUntouched } = plant(kind, join(directory, 'process-3.lock'));
    expect(() => fileState(directory)).toThrow(stateError(/process-3\.lock is a .*, not a file; remove it/));
    expect(isUntouched()).toBe(true);
    expect(readdirSync(directory)).toEqual(['process-3.lock']);
  });

  it.each(kinds)('%s as heartbeat, or in the place of a new file, is not written through', async (kind) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { directory, journal } = await writtenDirectory();
    const planted = ['sign-of-life', 'journal.new', 'journal.damaged'].map((name) =>
      plant(kind, join(directory, name)),
    );
    writeFileSync(journal, `${readFileSync(journal, 'utf8')}damaged\n`);
    const messages = stateWarnings();
    const state = openState(directory);
    expect(await recalled(state, 's', ['1', '5'], new ManualClock())).toEqual(['1', '5']);
    vi.advanceTimersByTime(15_000);
    await state.remember('s', ['6'], DAY_MS, new ManualClock());
    for (const { isUntouched } of planted) expect(isUntouched()).toBe(true);
    expect(messages.join('\n')).toMatch(/a line of .*journal cannot be read/);
    if (kind === 'a directory') {
      expect(messages.join('\n')).toMatch(/could not be kept as .*journal\.damaged: .*EISDIR/);
      expect(messages.join('\n')).toMatch(
        /rewriting the journal in .* failed.* The journal grows until this is fixed/,
      );
    }
  });

  it('a link as directory of the values is refused, and nothing is written through it', async () => {
    const directory = temporaryDirectory();
    const elsewhere = temporaryDirectory();
    symlinkSync(elsewhere, join(directory, 'values'));
    const state = openState(directory);
    await expect(state.set('k', 'v', DAY_MS, new ManualClock())).rejects.toEqual(
      stateError(/values is a symbolic link, not a directory; remove it/),
    );
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('a link as heartbeat does not keep a dead lock alive, however often its target changes', () => {
    const directory = temporaryDirectory();
    const lock = join(directory, 'process-7.lock');
    const heartbeat = join(directory, 'sign-of-life');
    const busy = join(temporaryDirectory(), 'busy');
    writeFileSync(lock, '');
    utimesSync(lock, new Date(0), new Date(0));
    for (const path of [heartbeat, busy]) writeFileSync(path, '.');
    expect(() => fileState(directory)).toThrow(
      stateError(/is in use by a process that cannot be identified/),
    );
    rmSync(heartbeat);
    symlinkSync(busy, heartbeat);
    lutimesSync(heartbeat, new Date(0), new Date(0));
    expect(() => openState(directory)).not.toThrow();
    expect(existsSync(lock)).toBe(false);
  });

  it.skipIf(!isRoot)('a file of another user is refused', async () => {
    const { directory, journal } = await writtenDirectory();
    chownSync(journal, 12_345, 12_345);
    await expect(idsIn(directory)).rejects.toEqual(
      stateError(/journal belongs to another user \(uid 12345\)/),
    );
  });
});
