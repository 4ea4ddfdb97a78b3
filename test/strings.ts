import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any character, as the `unit` of `fc.string`. The unit `binary` means the same, and fast-check first builds a table
 * of all million characters for it, which takes a second in every process.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - SURROGATES.count }).map(
  (at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count),
  (text) => {
    const point = typeof text === 'string' ? (text.codePointAt(0) ?? 0) : 0;
    if (typeof text !== 'string' || text !== String.fromCodePoint(point))
      throw new Error('not one character');
    return point < SURROGATES.first ? point : point - SURROGATES.count;
  },
);
