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

it('each 32-bit word of murmur128 distinguishes similar strings almost as well as chance does', () => {
  const count = 50_000;
  const words = Array.from({ length: 4 }, () => new Set<number>());
  for (let index = 0; index < count; index += 1) {
    hashOf(`0b4e9a56-3c1f-4f5e-8f5a-${String(index).padStart(12, '0')}#k3v9x1`).forEach((word, at) => {
      words[at]?.add(word);
    });
  }
  // By chance, 0.3 of 50,000 random words occur twice.
  for (const { size } of words) expect(size).toBeGreaterThan(count - 5);
});

it('murmur128 distinguishes every length, every unit and every seed', () => {
  const hashes = new Set<string>();
  let count = 0;
  const add = (text: string, seed?: Int32Array) => {
    hashes.add(hexOf(hashOf(text, seed)));
    count += 1;
  };
  for (let length = 0; length < 40; length += 1) {
    add('\0'.repeat(length));
    for (let at = 0; at < length; at += 1) {
      for (const unit of ['\u0001', '\u0100', '\ud800'])
        add(`${'\0'.repeat(at)}${unit}${'\0'.repeat(length - at - 1)}`);
    }
  }
  for (let word = 0; word < 4; word += 1) {
    const seed = new Int32Array(4);
    seed[word] = 1;
    add('', seed);
    add('a', seed);
  }
  expect(hashes.size).toBe(count);
});

it('murmur128 can write its result into the array of its seed', () => {
  const hash = hashOf('key');
  const expected = hexOf(hashOf('id', hash));
  murmur128('id', hash, hash, 0);
  expect(hexOf(hash)).toBe(expected);
});
