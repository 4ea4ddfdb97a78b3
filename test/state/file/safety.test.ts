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
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { type FileState, fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { readLines } from '../../../src/state/file/lines.js';
import { encodeRecord, isPartialRecord } from '../../../src/state/file/records.js';
import { HANDLED } from '../../../src/state/port.js';
import { recalled } from '../recalled.js';
import { child, temporaryDirectory } from './support.js';

const DAY_MS = 86_400_000;
const isRoot = process.geteuid?.() === 0;
const hasModes = process.geteuid !== undefined;

function open(directory: string): FileState {
  const state = fileState(directory);
  onTestFinished(() => state.close());
  return state;
}

/** What the process is warned of from now on. */
function warnings(): string[] {
  const messages: string[] = [];
  const note = (warning: Error & { code?: string }) => {
    if (warning.code === 'OPENDELIVERY_STATE') messages.push(`${warning.name}: ${warning.message}`);
  };
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  return messages;
}

const refusal = (words: RegExp) =>
  expect.objectContaining({ code: 'state', message: expect.stringMatching(words) });

/** A directory in which events 1 to 5 were remembered, and the process then ended. */
async function written(): Promise<{ directory: string; journal: string }> {
  const directory = temporaryDirectory();
  const state = fileState(directory);
  for (const id of ['1', '2', '3', '4', '5']) await state.remember('s', [id], DAY_MS, new ManualClock());
  await state.close();
  return { directory, journal: join(directory, 'journal') };
}

async function idsIn(directory: string): Promise<readonly string[]> {
  const state = fileState(directory);
  try {
    return await recalled(state, 's', ['1', '2', '3', '4', '5'], new ManualClock());
  } finally {
    await state.close();
  }
}

describe.skipIf(!hasModes)('a directory that other users can write to', () => {
  it.each([0o777, 0o1777, 0o770, 0o702])('(mode %o) is refused, with the remedy', (mode) => {
    const directory = join(temporaryDirectory(), 'state');
    mkdirSync(directory);
    chmodSync(directory, mode);
    expect(() => fileState(directory)).toThrow(
      refusal(new RegExp(`state can be written to by other users \\(mode ${mode.toString(8)}\\).*chmod 700`)),
    );
    expect(readdirSync(directory)).toEqual([]);
    chmodSync(directory, 0o755);
    void open(directory);
  });

  it('is no obstacle above the directory', async () => {
    const parent = temporaryDirectory();
    chmodSync(parent, 0o1777);
    await open(join(parent, 'state')).remember('s', ['1'], DAY_MS, new ManualClock());
    expect(statSync(join(parent, 'state')).mode & 0o777).toBe(0o700);
  });

  it('is refused where only the values are such', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const state = open(directory);
    await state.set('k', 'v', DAY_MS, clock);
    chmodSync(join(directory, 'values'), 0o733);
    await expect(state.get('k', clock)).rejects.toEqual(refusal(/values can be written to by other users/));
    await expect(state.set('k', 'w', DAY_MS, clock)).rejects.toEqual(refusal(/values can be written to/));
  });

  it.skipIf(!isRoot)('because it is theirs, or a link of theirs leads to it, is refused', () => {
    const directory = temporaryDirectory();
    chownSync(directory, 12_345, 12_345);
    expect(() => fileState(directory)).toThrow(refusal(/belongs to another user \(uid 12345\)/));
    chownSync(directory, 0, 0);
    const link = join(temporaryDirectory(), 'link');
    symlinkSync(directory, link);
    lchownSync(link, 12_345, 12_345);
    expect(() => fileState(link)).toThrow(refusal(/is a symbolic link of another user \(uid 12345\)/));
    lchownSync(link, 0, 0);
    void open(link);
  });
});

describe('something else in the place of a file of ours', () => {
  /** Puts it there, and returns what must not change. */
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
    writeFileSync(victim, 'of the user');
    PLANTED[kind]?.(path, victim);
    return {
      isUntouched: () => readFileSync(victim, 'utf8') === 'of the user' && lstatSync(victim).isFile(),
    };
  }

  it.each(kinds)('%s as journal is refused at once, named, and touched by nothing', async (kind) => {
    const { directory, journal } = await written();
    rmSync(journal);
    const { isUntouched } = plant(kind, journal);
    const clock = new ManualClock();
    const state = open(directory);
    const isRefused = refusal(
      /journal (?:is a (?:symbolic link|FIFO|directory), not a file|has a second name .*); remove it|journal has/,
    );
    await expect(recalled(state, 's', ['1'], clock)).rejects.toEqual(isRefused);
    await expect(state.reserve('q', { limit: 1, holdMs: 1000 }, clock)).rejects.toEqual(isRefused);
    expect(isUntouched()).toBe(true);
    rmSync(journal, { recursive: true });
    await state.remember('s', ['6'], DAY_MS, clock);
    expect(await recalled(state, 's', ['6'], clock)).toEqual(['6']);
  });

  it('a socket as journal is refused at once', async () => {
    const { directory, journal } = await written();
    rmSync(journal);
    const server = createServer().listen(journal);
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    await expect(idsIn(directory)).rejects.toEqual(refusal(/journal is a socket, not a file; remove it/));
  });

  it.each(kinds)('%s as a value is refused at once, and touched by nothing', async (kind) => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const state = open(directory);
    await state.set('k', 'v', DAY_MS, clock);
    const [name = ''] = readdirSync(join(directory, 'values'));
    const path = join(directory, 'values', name);
    rmSync(path);
    const { isUntouched } = plant(kind, path);
    await expect(state.get('k', clock)).rejects.toEqual(refusal(/not a file; remove it|has a second name/));
    await expect(state.delete('k', 'of the user', clock)).rejects.toEqual(refusal(/not a file|second name/));
    if (kind !== 'a directory') {
      // Put in its place, not written through it.
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
    expect(() => fileState(directory)).toThrow(refusal(/process-3\.lock is a .*, not a file; remove it/));
    expect(isUntouched()).toBe(true);
    expect(readdirSync(directory)).toEqual(['process-3.lock']);
  });

  it.each(kinds)('%s as sign of life, or in the way of a new file, is touched by nothing', async (kind) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { directory, journal } = await written();
    const planted = ['sign-of-life', 'journal.new', 'journal.damaged'].map((name) =>
      plant(kind, join(directory, name)),
    );
    writeFileSync(journal, `${readFileSync(journal, 'utf8')}damaged\n`);
    const messages = warnings();
    const state = open(directory);
    expect(await recalled(state, 's', ['1', '5'], new ManualClock())).toEqual(['1', '5']);
    vi.advanceTimersByTime(15_000);
    await state.remember('s', ['6'], DAY_MS, new ManualClock());
    for (const { isUntouched } of planted) expect(isUntouched()).toBe(true);
    expect(messages.join('\n')).toMatch(/a line of .*journal cannot be read/);
    if (kind === 'a directory') {
      expect(messages.join('\n')).toMatch(/could not be kept as .*journal\.damaged: .*EISDIR/);
      expect(messages.join('\n')).toMatch(/rewriting the journal in .* failed.* Until then it grows/);
    }
  });

  it('a link as directory of the values is refused, and nothing is written there', async () => {
    const directory = temporaryDirectory();
    const elsewhere = temporaryDirectory();
    symlinkSync(elsewhere, join(directory, 'values'));
    const state = open(directory);
    await expect(state.set('k', 'v', DAY_MS, new ManualClock())).rejects.toEqual(
      refusal(/values is a symbolic link, not a directory; remove it/),
    );
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('a link that is changed often keeps no dead lock alive', () => {
    const directory = temporaryDirectory();
    const lock = join(directory, 'process-7.lock');
    writeFileSync(lock, '');
    for (const path of [lock, directory]) utimesSync(path, new Date(0), new Date(0));
    const busy = join(temporaryDirectory(), 'busy');
    writeFileSync(busy, '');
    symlinkSync(busy, join(directory, 'sign-of-life'));
    execFileSync('touch', ['-h', '-d', '2001-01-01', join(directory, 'sign-of-life')]);
    void open(directory);
  });

  it.skipIf(!isRoot)('a file of another user is refused', async () => {
    const { directory, journal } = await written();
    chownSync(journal, 12_345, 12_345);
    await expect(idsIn(directory)).rejects.toEqual(refusal(/journal belongs to another user \(uid 12345\)/));
  });
});

describe('a journal of any size', () => {
  it('above 2 GiB is read: the records in front and behind, and what is between is reported', async () => {
    const { directory, journal } = await written();
    const messages = warnings();
    const size = 2 ** 31 + 4096;
    truncateSync(journal, size);
    const file = await openFile(journal, 'a');
    await file.write(
      `\n${encodeRecord({ kind: 'marks', mark: HANDLED, key: 's', ids: ['5'], until: 9e15, forMs: DAY_MS })}`,
    );
    await file.close();
    expect(await idsIn(directory)).toEqual(['1', '2', '3', '4', '5']);
    expect(messages).toEqual([
      expect.stringMatching(/^OpenDeliveryWarning: fileState: a line of .*journal cannot/),
    ]);
    expect(statSync(`${journal}.damaged`).size).toBeGreaterThan(size);
    expect(statSync(journal).size).toBeLessThan(4096);
  });

  it('is read line by line, wherever the pieces end; a line that is too long is not kept in memory', async () => {
    const path = join(temporaryDirectory(), 'lines');
    const texts = ['', 'a', 'é'.repeat(700_000), 'x'.repeat(3_000_000), '😀'.repeat(500_000), '', 'last'];
    writeFileSync(path, texts.join('\n'));
    const file = await openFile(path, 'r');
    onTestFinished(() => file.close());
    const lines: (string | undefined)[] = [];
    expect(await readLines(file, (line) => void lines.push(line), 2_500_000)).toBe(statSync(path).size);
    expect(lines.map((line) => line?.length)).toEqual(
      texts.map(({ length }) => (length === 3e6 ? undefined : length)),
    );
    expect(lines.filter((line) => line !== undefined)).toEqual(texts.filter(({ length }) => length !== 3e6));
  });

  it('keeps more ids at once than fit into one line, and refuses one that fits into none', async () => {
    const directory = temporaryDirectory();
    const clock = new ManualClock();
    const state = open(directory);
    const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(7_000_000));
    await state.remember('s', ids, DAY_MS, clock);
    await expect(state.remember('s', ['d'.repeat(17_000_000)], DAY_MS, clock)).rejects.toEqual(
      refusal(/an entry of more than 16777216 bytes cannot be stored/),
    );
    await state.close();
    const messages = warnings();
    for (let count = 0; count < 2; count += 1) {
      const again = fileState(directory);
      expect((await recalled(again, 's', ids, clock)).length).toBe(3);
      await again.close();
    }
    expect(messages).toEqual([]);
  });
});

describe('a journal whose end is damaged', () => {
  it.each<[string, (content: string) => string]>([
    ['zeros for its last record', (content) => `${content.slice(0, -60)}${'\0'.repeat(60)}`],
    ['nothing but zeros', (content) => '\0'.repeat(content.length)],
    ['text of another kind', (content) => `${content}hello`],
    ['a changed record that has lost its newline', (content) => content.replace('"5"', '"6"').slice(0, -1)],
    ['another byte for its last newline', (content) => `${content.slice(0, -1)}X`],
    ['another byte for a newline', (content) => content.replace(/\n(?=[^\n]+\n$)/, 'X').slice(0, -1)],
    ['a record of another version', (content) => `${content}2 0123abcd {"kind":"handled"`],
  ])('(%s, without a newline) is kept aside and reported', async (_what, damage) => {
    const { directory, journal } = await written();
    const damaged = damage(readFileSync(journal, 'utf8'));
    expect(damaged).not.toMatch(/\n$/);
    writeFileSync(journal, damaged);
    const messages = warnings();
    const known = await idsIn(directory);
    expect(['1', '2', '3'].every((id) => known.includes(id)) || damaged.startsWith('\0')).toBe(true);
    expect(readFileSync(`${journal}.damaged`, 'utf8')).toBe(damaged);
    expect(messages).toEqual([
      expect.stringMatching(/a line of .*journal cannot be read.*handled again.*kept as .*journal\.damaged$/),
    ]);
    // Once, and not at every start.
    expect(await idsIn(directory)).toEqual(known);
    expect(messages).toHaveLength(1);
    expect(statSync(journal).nlink).toBe(1);
  });

  it('by a crash, at any byte, is nothing to report', async () => {
    const { directory, journal } = await written();
    const content = readFileSync(journal);
    const messages = warnings();
    for (let length = 0; length <= content.length; length += 5) {
      writeFileSync(journal, content.subarray(0, length));
      await idsIn(directory);
      expect(readdirSync(directory)).not.toContain('journal.damaged');
    }
    expect(messages).toEqual([]);
  });

  it('is told from a record that broke off, whatever is in the record', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.string({ unit: 'binary' })),
        fc.nat(),
        fc.string({ unit: 'binary', minLength: 1 }),
        (key, ids, cut, garbage) => {
          const line = encodeRecord({ kind: 'marks', mark: HANDLED, key, ids, until: 1, forMs: 1 }).slice(
            0,
            -1,
          );
          const bytes = Buffer.from(line);
          expect(isPartialRecord(bytes.toString('utf8', 0, 1 + (cut % (bytes.length - 1))))).toBe(true);
          // Whole, and still not a record; or with something behind it.
          expect(isPartialRecord(line)).toBe(false);
          expect(isPartialRecord(line + garbage)).toBe(false);
          expect(isPartialRecord(`\0${line}`)).toBe(false);
        },
      ),
    );
  });

  it('and that a process left half put aside is opened all the same', async () => {
    const { directory, journal } = await written();
    linkSync(journal, `${journal}.damaged`);
    expect(await idsIn(directory)).toEqual(['1', '2', '3', '4', '5']);
    expect(readdirSync(directory)).not.toContain('journal.damaged');
  });
});

describe('a directory that is removed while it is in use', () => {
  const lost = refusal(/was taken over by another process, or removed; .*Restart this process/);

  async function expectLost(state: FileState): Promise<void> {
    const clock = new ManualClock();
    const calls: (() => unknown)[] = [
      () => state.get('k', clock),
      () => state.set('k', 'v', 1000, clock),
      () => state.delete('k', undefined, clock),
      () => state.reserve('q', { limit: 9, holdMs: 1000 }, clock),
      () => state.settle('q', 'id', 1000, clock),
      () => state.shut('q', 1000, clock),
      () => state.remember('s', ['x'], 1000, clock),
      () => recalled(state, 's', ['a'], clock),
    ];
    for (const call of calls) await expect(call()).rejects.toEqual(lost);
  }

  it.each<[string, (directory: string) => void]>([
    ['is not made again by what is written', () => {}],
    ['and made again is not used', (directory) => mkdirSync(directory, { mode: 0o700 })],
    [
      'and put in place from a backup is not used',
      (directory) => renameSync(`${directory}-backup`, directory),
    ],
  ])('%s: nothing is promised any more', async (_what, replace) => {
    const directory = join(temporaryDirectory(), 'state');
    const state = open(directory);
    await state.remember('s', ['a'], DAY_MS, new ManualClock());
    await state.set('k', 'v', DAY_MS, new ManualClock());
    execFileSync('cp', ['-a', directory, `${directory}-backup`]);
    rmSync(directory, { recursive: true });
    replace(directory);
    const before = existsSync(directory) ? readdirSync(directory, { recursive: true }) : 'nothing';
    await expectLost(state);
    await state.close();
    expect(existsSync(directory) ? readdirSync(directory, { recursive: true }) : 'nothing').toEqual(before);
  });

  it('and taken by another process is that one’s: neither its files nor its lock are touched', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const directory = join(temporaryDirectory(), 'state');
    const state = open(directory);
    await state.set('k', 'v', DAY_MS, new ManualClock());
    rmSync(directory, { recursive: true });
    const other = child('hold', directory);
    other.go();
    expect([await other.next(), await other.next()]).toEqual(['ready', 'held']);
    const files = readdirSync(directory);
    vi.advanceTimersByTime(15_000);
    await expectLost(state);
    await state.close();
    expect(readdirSync(directory)).toEqual(files);
    expect(() => fileState(directory)).toThrow(refusal(/is in use by process/));
    await other.end();
  });

  it('and made again in the same moment is the second state’s only, even if both locks look alike', async () => {
    const directory = join(temporaryDirectory(), 'state');
    const lock = join(directory, 'process-1.lock');
    const clock = new ManualClock();
    const first = open(directory);
    execFileSync('touch', ['-r', lock, `${directory}-date`]);
    rmSync(directory, { recursive: true });
    // A file system gives the number of a removed file to the next one, and dates both alike if that is fast.
    const second = open(directory);
    execFileSync('touch', ['-r', `${directory}-date`, lock]);
    await expect(first.remember('s', ['a'], 1000, clock)).rejects.toMatchObject({ code: 'state' });
    // Its lock is not removed by the first one, which gives its own back.
    await first.close();
    await second.remember('s', ['a'], 1000, clock);
    expect(readdirSync(directory)).toEqual(['journal', 'process-1.lock']);
  });

  it.each<[string, (journal: string) => void]>([
    ['removed', (journal) => rmSync(journal)],
    ['replaced', (journal) => writeFileSync(`${journal}-2`, '')],
  ])(
    'only its journal (%s) is written anew with all that was promised, and that is reported',
    async (how, spoil) => {
      const directory = temporaryDirectory();
      const journal = join(directory, 'journal');
      const clock = new ManualClock();
      const messages = warnings();
      const state = fileState(directory);
      await state.remember('s', ['1', '2'], DAY_MS, clock);
      spoil(journal);
      if (how === 'replaced') renameSync(`${journal}-2`, journal);
      await state.remember('s', ['3'], DAY_MS, clock);
      await state.close();
      expect(await idsIn(directory)).toEqual(['1', '2', '3']);
      expect(messages).toEqual([
        expect.stringMatching(/journal was removed or replaced while it was in use/),
      ]);
    },
  );
});
