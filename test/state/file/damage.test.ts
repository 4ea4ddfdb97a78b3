import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileState, isHubError } from 'opendelivery-client';
import { ManualClock } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { findDriver } from '../../../src/state/sqlite/driver.js';
import { some } from '../../runs.js';
import { recalled } from '../calls.js';
import { DAY_MS, idsFrom, openAnother, openState, stateError, temporaryDirectory } from './support.js';

const START = '2026-01-05T12:00:00Z';
const IDS = idsFrom(0, 2000);
const KEPT = { handled: true, forMs: DAY_MS } as const;

const bytesOf = (path: string) => readFileSync(path).toString('base64');

/**
 * A directory with two thousand marks, as a killed process leaves it.
 *
 * @param isInLog - whether they are still in the log only.
 */
async function written(isInLog = false): Promise<{ directory: string; file: string; clock: ManualClock }> {
  const original = temporaryDirectory();
  const clock = new ManualClock(START);
  const state = openState(original);
  await state.mark('events:s', IDS, KEPT, clock);
  if (!isInLog) {
    const database = findDriver().open(join(original, 'state.db'));
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    database.close();
  }
  const directory = temporaryDirectory();
  for (const name of ['state.db', 'state.db-wal']) copyFileSync(join(original, name), join(directory, name));
  await state.close();
  return { directory, file: join(directory, 'state.db'), clock };
}

function overwrite(path: string, position: number, bytes: Buffer): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, position);
  closeSync(file);
}

describe('a file that is not a database of fileState', () => {
  it.each([
    ['text', 'not a database, but longer than the header of one: '.repeat(10)],
    ['two bytes', '{}'],
  ])('is refused and left as it was: %s', (_what, text) => {
    const file = join(temporaryDirectory(), 'hub.db');
    writeFileSync(file, text, { mode: 0o644 });
    expect(() => fileState(file)).toThrow(
      stateError(/hub\.db failed: the file is not a database, or its beginning is damaged; move it away/),
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  it.each([
    [
      'of another program',
      'CREATE TABLE orders (id)',
      /is a database of another program; give fileState another path/,
    ],
    ['with a version of another program', 'PRAGMA user_version = 7', /is a database of another program/],
    [
      'of a newer version',
      `PRAGMA application_id = ${0x4f444c56}; PRAGMA user_version = 9`,
      /was written by a newer version of opendelivery-client \(tables 9, this version knows 1\); install that version again/,
    ],
  ])('is refused and left as it was: one %s', (_what, sql, words) => {
    const file = join(temporaryDirectory(), 'hub.db');
    const database = findDriver().open(file);
    database.exec(sql);
    database.close();
    const before = bytesOf(file);
    expect(() => fileState(file)).toThrow(stateError(words));
    expect(bytesOf(file)).toBe(before);
  });

  it('may be empty', async () => {
    const file = join(temporaryDirectory(), 'hub.db');
    writeFileSync(file, '', { mode: 0o600 });
    const clock = new ManualClock();
    const state = openState(file);
    await state.mark('events:s', ['1'], KEPT, clock);
    expect(await recalled(state, 'events:s', ['1'], clock)).toEqual(['1']);
  });
});

describe('a damaged database', () => {
  /** The number of marks that are left, or the error. */
  async function outcome(directory: string, clock: ManualClock): Promise<number | string> {
    try {
      const state = openAnother(directory);
      return (await recalled(state, 'events:s', IDS, clock)).length;
    } catch (error) {
      return isHubError(error) && error.code === 'state' ? error.message : `not a StateError: ${error}`;
    }
  }

  it('that was cut is an error that says what to do, or works', async () => {
    const { directory, file, clock } = await written();
    const { size } = statSync(file);
    const whole = readFileSync(file);
    for (const left of some([0.1, 0.3, 0.5, 0.7, 0.9, 0.999], 2)) {
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
      writeFileSync(file, whole, { mode: 0o600 });
      truncateSync(file, Math.floor(size * left));
      expect([left, await outcome(directory, clock)]).toEqual([
        left,
        expect.stringMatching(/is damaged; move it away/),
      ]);
    }
  });

  it('of which any page was overwritten is an error that says what to do, or has only marks that were made', async () => {
    const { file } = await written();
    const whole = readFileSync(file);
    const pages = whole.length / 4096;
    const seen = new Set<string>();
    for (const page of some(
      Array.from({ length: pages }, (_, index) => index),
      8,
    )) {
      const directory = temporaryDirectory();
      const copy = join(directory, 'state.db');
      writeFileSync(copy, whole, { mode: 0o600 });
      overwrite(copy, page * 4096, Buffer.alloc(4096, page % 2 ? 0xa5 : 0));
      const found = await outcome(directory, new ManualClock(START));
      seen.add(typeof found === 'number' ? 'marks' : found.replace(/\/\S+/g, '…'));
      if (typeof found === 'string') expect(found).toMatch(/damaged; move it away/);
      else expect(found).toBeLessThanOrEqual(IDS.length);
    }
    expect([...seen].join('\n')).toMatch(/the file is damaged; move it away/);
  });

  it.each([
    ['cut', (log: string) => truncateSync(log, Math.floor(statSync(log).size / 2))],
    [
      'overwritten in the middle',
      (log: string) => overwrite(log, Math.floor(statSync(log).size / 2), Buffer.alloc(5000, 7)),
    ],
    ['overwritten at its beginning', (log: string) => overwrite(log, 0, Buffer.alloc(5000, 7))],
    ['removed', (log: string) => rmSync(log)],
  ])('with a log that was %s loses at most what was in it, and works', async (_how, damage) => {
    const { directory, file, clock } = await written(true);
    damage(`${file}-wal`);
    const found = await outcome(directory, clock);
    expect(found).toBeLessThanOrEqual(IDS.length);
    const state = openState(directory);
    await state.mark('events:s', ['later'], KEPT, clock);
    expect(await recalled(state, 'events:s', ['later'], clock)).toEqual(['later']);
  });

  it.each([
    ['the file was removed', (file: string) => rmSync(file)],
    [
      'the file was replaced',
      (file: string) => writeFileSync(`${file}.new`, '') ?? renameSync(`${file}.new`, file),
    ],
    ['the log was removed', (file: string) => rmSync(`${file}-wal`)],
    ['the index of the log was removed', (file: string) => rmSync(`${file}-shm`)],
    ['the directory was removed', (file: string) => rmSync(join(file, '..'), { recursive: true })],
  ])('rejects every call after %s while it was open', async (_what, damage) => {
    const file = join(temporaryDirectory(), 'below', 'hub.db');
    const clock = new ManualClock();
    const state = openState(file);
    await state.mark('events:s', ['1'], KEPT, clock);
    damage(file);
    const words = stateError(/was removed or replaced while it was open; end the process and start it again/);
    const calls = [
      () => state.get('k', clock),
      () => state.set('k', 'v', { forMs: 1000 }, clock),
      () => state.mark('events:s', ['2'], KEPT, clock),
      () => state.recall('events:s', ['2'], { handledMs: 1, attemptedMs: 1 }, clock),
      () => state.reserve('q', { limit: 1, holdMs: 1 }, clock),
      () => state.lease('q', { holder: 'a', leaseMs: 1 }, clock),
    ];
    for (const call of calls) expect(call).toThrow(words);
  });
});
