import { expect, it } from 'vitest';
import { decodeEntries, encodeEntries } from '../../../src/state/file/entries-format.js';

const entries = {
  scores: new Float64Array([86_400_000 * 2048 + 2047, 2049, 2 ** 52 + 1]),
  hashes: new Int32Array([1, -2, 3, -4, 0x7fffffff, -0x80000000, 0, 5, 9, 8, 7, 6]),
};

it('entries are the same after encoding and decoding', () => {
  expect(decodeEntries(encodeEntries(entries))).toEqual(entries);
  const none = { scores: new Float64Array(), hashes: new Int32Array() };
  expect(decodeEntries(encodeEntries(none))).toEqual(none);
});

it('entries have 24 bytes each, scores first, little-endian', () => {
  const bytes = Buffer.from(encodeEntries(entries), 'base64');
  expect(bytes.length).toBe(72);
  expect(bytes.readDoubleLE(8)).toBe(2049);
  expect(bytes.readInt32LE(28)).toBe(-2);
});

it.each(['', 'AAAA', '!', encodeEntries(entries).slice(0, 20)])(
  '%j has no entry, and is not an error',
  (text) => {
    expect(decodeEntries(text).scores).toHaveLength(0);
  },
);
