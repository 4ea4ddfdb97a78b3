import { expect, it } from 'vitest';
import { murmur128 } from '../../src/fleet/murmur128.js';

const hexOf = (words: readonly number[]) => words.map((word) => word.toString(16).padStart(8, '0')).join('');

it('murmur128 returns what the reference implementation in C returns for the bytes of the code units', () => {
  expect(hexOf(murmur128(''))).toBe('0'.repeat(32));
  const text = 'I will not buy this record, it is scratched.';
  expect(hexOf(murmur128(Buffer.from(text).toString('utf16le')))).toBe('a0a9683b25ac5e40d9af2895890dddf5');
  // As SMHasher verifies an implementation: the hash of the hashes of the bytes 0, 1, 2 … of every (even) length.
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const hashes = Array.from({ length: 128 }, (_, index) =>
    murmur128(bytes.toString('utf16le', 0, 2 * index)),
  );
  const all = Buffer.from(Uint32Array.from(hashes.flat()).buffer);
  expect(hexOf(murmur128(all.toString('utf16le')))).toBe('afc864250ab4fa6de24be059fc479b40');
});
