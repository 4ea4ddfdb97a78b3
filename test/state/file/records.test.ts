import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checksumOf,
  decodeRecord,
  encodeRecord,
  isPartialRecord,
  type JournalRecord,
} from '../../../src/state/file/records.js';
import { HANDLED } from '../../../src/state/port.js';
import { anyCharacter } from '../../strings.js';

const expiry = { key: 'k', until: 2000, forMs: 1000 };
const RECORDS: readonly JournalRecord[] = [
  { kind: 'slot', id: 'a\nb', ...expiry },
  { kind: 'shut', ...expiry },
  { kind: 'fence', fence: 7, ...expiry },
  { kind: 'marks', ids: ['1', '\u2028'], mark: HANDLED, ...expiry },
  { kind: 'entries', entries: 'AAAA', ...expiry },
];

/** A line with a correct checksum around any JSON. */
function lineOf(json: string): string {
  return `1 ${checksumOf(json)} ${json}`;
}

describe('a record', () => {
  it.each(RECORDS)('$kind is the same after encoding and decoding', (record) => {
    const line = encodeRecord(record);
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(decodeRecord(line.slice(0, -1))).toEqual(record);
  });

  it('of release 0.1.0 is read as marks of handled ids', () => {
    const old = lineOf(JSON.stringify({ kind: 'handled', ids: ['a'], ...expiry }));
    expect(decodeRecord(old)).toEqual({ kind: 'marks', mark: HANDLED, ids: ['a'], ...expiry });
  });

  it.each([
    'null',
    '[]',
    '{}',
    '{"kind":"slot","key":"k","until":1,"forMs":1}',
    '{"kind":"shut","key":"k","until":null,"forMs":1}',
    '{"kind":"shut","key":7,"until":1,"forMs":1}',
    '{"kind":"fence","key":"k","until":1,"forMs":1,"fence":1.5}',
    '{"kind":"marks","key":"k","until":1,"forMs":1,"ids":[1],"mark":1}',
    '{"kind":"marks","key":"k","until":1,"forMs":1,"ids":["1"]}',
    '{"kind":"entries","key":"","until":1,"forMs":1,"entries":[]}',
    '{"kind":"other","key":"k","until":1,"forMs":1}',
    '{"kind":',
  ])('is not %s', (json) => {
    expect(decodeRecord(lineOf(json))).toBeUndefined();
  });

  it('is not a line with a changed byte', () => {
    const line = encodeRecord({ kind: 'shut', ...expiry }).slice(0, -1);
    for (let index = 0; index < line.length; index += 1) {
      const changed = `${line.slice(0, index)}\u0001${line.slice(index + 1)}`;
      expect(decodeRecord(changed)).toBeUndefined();
    }
  });
});

describe('isPartialRecord', () => {
  it('is true for every beginning of a record, and false for a complete or damaged one', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.string({ unit: anyCharacter })),
        fc.nat(),
        fc.string({ unit: anyCharacter, minLength: 1 }),
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
});
