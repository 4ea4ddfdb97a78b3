import { describe, expect, it } from 'vitest';
import { decodeCopy, encodeCopy } from '../../src/merchant/stored-copy.js';

const COPY = { fetchedAt: 1_767_614_400_000, text: '{"id":"m","items":[]}\n' };
const RECORD = encodeCopy('merchant:key', COPY);

describe('a stored copy', () => {
  it('is decoded as it was encoded', () => {
    expect(decodeCopy('merchant:key', RECORD)).toEqual(COPY);
    expect(decodeCopy('k', encodeCopy('k', { fetchedAt: 0, text: '' }))).toEqual({ fetchedAt: 0, text: '' });
  });

  it('is refused under the key of another store', () => {
    expect(decodeCopy('merchant:other', RECORD)).toBeUndefined();
  });

  it.each<[string, string]>([
    ['empty', ''],
    ['without a line break', RECORD.replaceAll('\n', '')],
    ['incomplete', RECORD.slice(0, -1)],
    ['longer', `${RECORD} `],
    ['with another date', RECORD.replace('1767614400000', '1767614400001')],
    ['with another text', RECORD.replace('"m"', '"n"')],
    ['without a checksum', `${COPY.fetchedAt}\n${COPY.text}`],
    ['another kind of record', '{"value":"token","obtainedAt":1}'],
  ])('is refused if the record is %s', (_what, record) => {
    expect(decodeCopy('merchant:key', record)).toBeUndefined();
  });
});
