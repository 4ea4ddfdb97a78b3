import { statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeChunks, encodeLines, MAX_LINE_BYTES, readLines } from '../../../src/state/file/lines.js';
import { decodeRecord, type JournalRecord } from '../../../src/state/file/records.js';
import { temporaryDirectory } from './support.js';

describe('readLines', () => {
  it('returns every line, wherever the blocks end, and undefined for one that is too long', async () => {
    const path = join(temporaryDirectory(), 'lines');
    const contents = ['', 'a', 'é'.repeat(700_000), 'x'.repeat(3_000_000), '😀'.repeat(500_000), '', 'last'];
    writeFileSync(path, contents.join('\n'));
    const file = await open(path, 'r');
    onTestFinished(() => file.close());
    const lines: (string | undefined)[] = [];
    expect(await readLines(file, (line) => void lines.push(line), 2_500_000)).toBe(statSync(path).size);
    expect(lines.map((line) => line?.length)).toEqual(
      contents.map(({ length }) => (length === 3e6 ? undefined : length)),
    );
    expect(lines.filter((line) => line !== undefined)).toEqual(
      contents.filter(({ length }) => length !== 3e6),
    );
  });
});

describe('encodeLines', () => {
  const record = { kind: 'marks', mark: 1, key: 'k', until: 2, forMs: 1 } as const;

  it('splits ids that do not fit into one line, in their order', () => {
    const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(MAX_LINE_BYTES / 2.5));
    const lines = encodeLines({ ...record, ids })
      .split('\n')
      .slice(0, -1);
    const records = lines.map((line) => decodeRecord(line) as JournalRecord & { ids: readonly string[] });
    expect(records.map((each) => each.ids.length)).toEqual([2, 1]);
    expect(records.flatMap((each) => each.ids).every((id, index) => id === ids[index])).toBe(true);
  });

  it('throws for an id that does not fit, and encodeChunks leaves it out', () => {
    const tooLong = { ...record, ids: ['x'.repeat(MAX_LINE_BYTES)] };
    expect(() => encodeLines(tooLong)).toThrow(/cannot be stored; use a shorter id/);
    const chunks = [...encodeChunks([tooLong, { ...record, ids: ['a'] }])];
    expect(chunks.join('')).toBe(encodeLines({ ...record, ids: ['a'] }));
  });
});

it('encodeChunks joins many records to few strings', () => {
  const record = { kind: 'slot', key: 'k', id: 'a', until: 2, forMs: 1 } as const;
  const line = encodeLines(record);
  const chunks = [...encodeChunks(Array.from({ length: 5000 }, () => record))];
  expect(chunks.join('')).toBe(line.repeat(5000));
  expect(chunks.length).toBeLessThan(10);
});
