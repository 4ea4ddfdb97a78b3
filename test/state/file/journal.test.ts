import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileState } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { Journal } from '../../../src/state/file/journal.js';
import { some } from '../../runs.js';
import { recalled } from '../recalled.js';
import { DAY_MS, idsIn, openState, stateWarnings, temporaryDirectory, writtenDirectory } from './support.js';

describe('a damaged journal', () => {
  it.each<[string, (content: string) => string]>([
    ['zeros instead of its last record', (content) => `${content.slice(0, -60)}${'\0'.repeat(60)}`],
    ['nothing but zeros', (content) => '\0'.repeat(content.length)],
    ['other text', (content) => `${content}hello`],
    ['a changed record without newline', (content) => content.replace('"5"', '"6"').slice(0, -1)],
    ['another byte instead of its last newline', (content) => `${content.slice(0, -1)}X`],
    ['another byte instead of a newline', (content) => content.replace(/\n(?=[^\n]+\n$)/, 'X').slice(0, -1)],
    ['a record of another version', (content) => `${content}2 0123abcd {"kind":"handled"`],
  ])('with %s, without a newline, is kept under a second name and reported', async (_what, damage) => {
    const { directory, journal } = await writtenDirectory();
    const damaged = damage(readFileSync(journal, 'utf8'));
    expect(damaged).not.toMatch(/\n$/);
    writeFileSync(journal, damaged);
    const messages = stateWarnings();
    const known = await idsIn(directory);
    expect(['1', '2', '3'].every((id) => known.includes(id)) || damaged.startsWith('\0')).toBe(true);
    expect(readFileSync(`${journal}.damaged`, 'utf8')).toBe(damaged);
    expect(messages).toEqual([
      expect.stringMatching(/a line of .*journal cannot be read.*handled again.*kept as .*journal\.damaged$/),
    ]);
    // Reported once, not at every start.
    expect(await idsIn(directory)).toEqual(known);
    expect(messages).toHaveLength(1);
    expect(statSync(journal).nlink).toBe(1);
  });

  it('is not reported if a crash cut it off, at any byte', async () => {
    const { directory, journal } = await writtenDirectory();
    const content = readFileSync(journal);
    const messages = stateWarnings();
    const lengths = Array.from({ length: Math.floor(content.length / 5) + 1 }, (_, at) => at * 5);
    for (const length of some(lengths)) {
      writeFileSync(journal, content.subarray(0, length));
      await idsIn(directory);
      expect(readdirSync(directory)).not.toContain('journal.damaged');
    }
    expect(messages).toEqual([]);
  });

  it('is opened if a process gave it a second name and died', async () => {
    const { directory, journal } = await writtenDirectory();
    linkSync(journal, `${journal}.damaged`);
    expect(await idsIn(directory)).toEqual(['1', '2', '3', '4', '5']);
    expect(readdirSync(directory)).not.toContain('journal.damaged');
  });

  it('that was cut off at any byte has lost the records after it only', async () => {
    const { directory, journal } = await writtenDirectory();
    const content = readFileSync(journal);
    const ends = [...content.entries()].filter(([, byte]) => byte === 0x0a).map(([index]) => index);
    expect(ends).toHaveLength(5);
    const lengths = Array.from({ length: Math.floor(content.length / 7) + 1 }, (_, at) => at * 7);
    for (const length of some(lengths)) {
      writeFileSync(journal, content.subarray(0, length));
      const whole = ends.filter((end) => end <= length).length;
      expect(await idsIn(directory)).toEqual(['1', '2', '3', '4', '5'].slice(0, whole));
      expect(readdirSync(directory)).not.toContain('journal.damaged');
    }
  });

  it('that was cut off is appended to after the broken line', async () => {
    const { directory, journal } = await writtenDirectory();
    const content = readFileSync(journal);
    writeFileSync(journal, content.subarray(0, content.length - 20));
    const state = fileState(directory);
    await state.remember('s', ['5'], DAY_MS, new ManualClock());
    await state.close();
    expect(await idsIn(directory)).toEqual(['1', '2', '3', '4', '5']);
  });

  it('has lost only the records in its damaged lines, and a copy is kept', async () => {
    const { directory, journal } = await writtenDirectory();
    const lines = readFileSync(journal, 'utf8').split('\n');
    const flipped = lines[1]?.replace('"2"', '"7"');
    const damaged = [lines[0], flipped, '\0'.repeat(100), lines[3], '{"kind":"handled"}', lines[4], ''];
    writeFileSync(journal, damaged.join('\n'));
    expect(await idsIn(directory)).toEqual(['1', '4', '5']);
    expect(readFileSync(`${journal}.damaged`, 'utf8')).toBe(damaged.join('\n'));
    expect(readFileSync(journal, 'utf8')).not.toContain('\0');
  });

  it.each([
    ['of other JSON', '{"__proto__":{"polluted":true}}\n[1,2]\nnull\n'],
    ['of zeros', '\0'.repeat(4096)],
    ['of another version', '2 00000000 {"kind":"handled","key":"s","until":9e15,"forMs":9e15,"ids":["1"]}\n'],
    ['of bytes that are not UTF-8', Buffer.from(Array.from({ length: 2048 }, (_, index) => index % 256))],
  ])('is empty if it is a file %s', async (_kind, content) => {
    const { directory, journal } = await writtenDirectory();
    writeFileSync(journal, content);
    expect(await idsIn(directory)).toEqual([]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('that is a directory makes every call reject until it is removed', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'journal'));
    const state = openState(directory);
    for (let count = 0; count < 2; count += 1)
      await expect(recalled(state, 's', [], new ManualClock())).rejects.toMatchObject({ code: 'state' });
    rmSync(join(directory, 'journal'), { recursive: true });
    expect(await recalled(state, 's', [], new ManualClock())).toEqual([]);
  });
});

describe('a journal that cannot be rewritten', () => {
  /** A directory in the place of the new file prevents a rewrite. */
  const preventRewrite = (directory: string) => mkdirSync(join(directory, 'journal.new'));

  it('is appended to, also after a line that was cut off', async () => {
    const { directory, journal } = await writtenDirectory();
    const content = readFileSync(journal);
    writeFileSync(journal, content.subarray(0, content.length - 20));
    preventRewrite(directory);
    const state = fileState(directory);
    await state.remember('s', ['5'], DAY_MS, new ManualClock());
    await state.close();
    expect(await idsIn(directory)).toEqual(['1', '2', '3', '4', '5']);
  });

  it('is not tried again for every record, and reported once', async () => {
    const directory = temporaryDirectory();
    preventRewrite(directory);
    const messages = stateWarnings();
    let attempts = 0;
    const journal = await Journal.open({
      directory,
      replay: () => {},
      records: () => {
        attempts += 1;
        return [];
      },
      throwIfLost: async () => {},
    });
    for (let count = 0; count < 50; count += 1)
      await journal.append({ kind: 'slot', key: 'k', id: 'x'.repeat(40_000), until: 2, forMs: 1 });
    await journal.close();
    // At opening, and after the first MiB.
    expect(attempts).toBe(2);
    expect(messages).toHaveLength(1);
  });
});

describe('a journal in use', () => {
  it('is written again with all records after it was missing and could not be replaced', async () => {
    const directory = temporaryDirectory();
    const journal = join(directory, 'journal');
    const clock = new ManualClock();
    const state = openState(directory);
    await state.remember('s', ['1'], DAY_MS, clock);
    rmSync(journal);
    mkdirSync(join(journal, 'in the way'), { recursive: true });
    await expect(state.remember('s', ['2'], DAY_MS, clock)).rejects.toMatchObject({ code: 'state' });
    rmSync(journal, { recursive: true });
    await state.remember('s', ['3'], DAY_MS, clock);
    await state.close();
    expect(await idsIn(directory)).toEqual(['1', '2', '3']);
  });

  it.each<[string, (journal: string) => void]>([
    ['removed', (journal) => rmSync(journal)],
    ['replaced', (journal) => writeFileSync(`${journal}-2`, '')],
  ])('is written again with all records after it was %s, and that is reported', async (how, spoil) => {
    const directory = temporaryDirectory();
    const journal = join(directory, 'journal');
    const clock = new ManualClock();
    const messages = stateWarnings();
    const state = fileState(directory);
    await state.remember('s', ['1', '2'], DAY_MS, clock);
    spoil(journal);
    if (how === 'replaced') renameSync(`${journal}-2`, journal);
    await state.remember('s', ['3'], DAY_MS, clock);
    await state.close();
    expect(await idsIn(directory)).toEqual(['1', '2', '3']);
    expect(messages).toEqual([expect.stringMatching(/journal was removed or replaced while it was in use/)]);
  });
});
