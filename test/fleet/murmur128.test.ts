import { expect, it } from 'vitest';
import { murmur128 } from '../../src/fleet/murmur128.js';

const ZEROS: Int32Array = new Int32Array(4);

function hashOf(text: string, seed = ZEROS): Int32Array {
  const hash = new Int32Array(4);
  murmur128(text, seed, hash, 0);
  return hash;
}

const hexOf = (hash: Int32Array) =>
  [...hash].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');

it('murmur128 returns what the reference implementation in C returns for the bytes of the code units', () => {
  expect(hexOf(hashOf(''))).toBe('0'.repeat(32));
  const text = 'I will not buy this record, it is scratched.';
  expect(hexOf(hashOf(Buffer.from(text).toString('utf16le')))).toBe('a0a9683b25ac5e40d9af2895890dddf5');
  // As SMHasher verifies an implementation: the hash of the hashes of the bytes 0, 1, 2 … of every (even) length.
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const hashes = Array.from({ length: 128 }, (_, index) => hashOf(bytes.toString('utf16le', 0, 2 * index)));
  const all = Buffer.concat(hashes.map(({ buffer }) => new Uint8Array(buffer)));
  expect(hexOf(hashOf(all.toString('utf16le')))).toBe('afc864250ab4fa6de24be059fc479b40');
});

it('murmur128 has another result with each word of its seed', () => {
  const seeds = [0, 1, 2, 3].map((word) => ZEROS.with(word, 1));
  const hashes = ['', 'a'].flatMap((text) => [ZEROS, ...seeds].map((seed) => hexOf(hashOf(text, seed))));
  expect(new Set(hashes).size).toBe(10);
});

it('murmur128 can write its result into the array of its seed', () => {
  const hash = hashOf('key');
  const expected = hexOf(hashOf('id', hash));
  murmur128('id', hash, hash, 0);
  expect(hexOf(hash)).toBe(expected);
});
