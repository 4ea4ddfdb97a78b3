/** A number of 0 to 1 that depends on the texts given and nothing else. */
export function drawOf(...parts: ReadonlyArray<string | number>): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join('\u0000')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193);
  }
  // Neighbouring counts must not give neighbouring draws (the finalizer of murmur3).
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  return (hash >>> 0) / 2 ** 32;
}
