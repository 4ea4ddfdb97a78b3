/** A pseudorandom number, at least 0 and less than 1, that depends only on the arguments. */
export function drawOf(...parts: ReadonlyArray<string | number>): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join('\u0000')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193);
  }
  // The finalizer of murmur3: without it, consecutive counts give similar numbers.
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  return (hash >>> 0) / 2 ** 32;
}

/** Shuffles an array in place; the same seed gives the same order. */
export function shuffle(items: unknown[], seed: number): void {
  for (let index = items.length - 1; index > 0; index -= 1) {
    const other = Math.floor(drawOf('shuffle', seed, index) * (index + 1));
    [items[index], items[other]] = [items[other], items[index]];
  }
}
