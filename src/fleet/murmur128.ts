const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

/** UTF-16 code units per block of 128 bits. */
const BLOCK = 8;

/** MurmurHash3 (x86, 128 bits, seed 0) of the UTF-16 code units of a string: four words of 32 bits. */
export function murmur128(text: string): readonly [number, number, number, number] {
  let h1 = 0;
  let h2 = 0;
  let h3 = 0;
  let h4 = 0;
  const { length } = text;
  let index = 0;
  for (; index + BLOCK <= length; index += BLOCK) {
    h1 ^= mix1(text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16));
    h1 = (Math.imul((rotate(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
    h2 ^= mix2(text.charCodeAt(index + 2) | (text.charCodeAt(index + 3) << 16));
    h2 = (Math.imul((rotate(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
    h3 ^= mix3(text.charCodeAt(index + 4) | (text.charCodeAt(index + 5) << 16));
    h3 = (Math.imul((rotate(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
    h4 ^= mix4(text.charCodeAt(index + 6) | (text.charCodeAt(index + 7) << 16));
    h4 = (Math.imul((rotate(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  // The last block, with zeros behind the end: a word of zeros changes nothing.
  h1 ^= mix1(word(text, index));
  h2 ^= mix2(word(text, index + 2));
  h3 ^= mix3(word(text, index + 4));
  h4 ^= mix4(word(text, index + 6));

  const bytes = 2 * length;
  h1 ^= bytes;
  h2 ^= bytes;
  h3 ^= bytes;
  h4 ^= bytes;
  h1 = (h1 + h2 + h3 + h4) | 0;
  h2 = (h2 + h1) | 0;
  h3 = (h3 + h1) | 0;
  h4 = (h4 + h1) | 0;
  h1 = finish(h1);
  h2 = finish(h2);
  h3 = finish(h3);
  h4 = finish(h4);
  h1 = (h1 + h2 + h3 + h4) | 0;
  return [h1 >>> 0, (h2 + h1) >>> 0, (h3 + h1) >>> 0, (h4 + h1) >>> 0];
}

const rotate = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits));

const mix1 = (word: number) => Math.imul(rotate(Math.imul(word, C1), 15), C2);
const mix2 = (word: number) => Math.imul(rotate(Math.imul(word, C2), 16), C3);
const mix3 = (word: number) => Math.imul(rotate(Math.imul(word, C3), 17), C4);
const mix4 = (word: number) => Math.imul(rotate(Math.imul(word, C4), 18), C1);

const unit = (text: string, index: number) => (index < text.length ? text.charCodeAt(index) : 0);

const word = (text: string, index: number) => unit(text, index) | (unit(text, index + 1) << 16);

function finish(given: number): number {
  let word = Math.imul(given ^ (given >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}
