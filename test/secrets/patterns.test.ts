import { describe, expect, it } from 'vitest';
import {
  BEGINS_ESCAPE,
  BEGINS_SECRET,
  compilePatterns,
  mayBeginWith,
  mayBeginWithPair,
  type Patterns,
} from '../../src/secrets/patterns.js';

const patternsOf = (...secrets: string[]) => compilePatterns(secrets) as Patterns;
const codeOf = (character: string) => character.charCodeAt(0);

describe('compilePatterns', () => {
  it('sorts the trimmed secrets, each once', () => {
    expect(patternsOf('b-key', ' a-key ', 'a-key').sorted).toEqual(['a-key', 'b-key']);
    expect(compilePatterns(['', ' '])?.sorted).toEqual([' ']);
    expect(compilePatterns([''])).toBeUndefined();
  });

  it('adds the form in which a lone surrogate is sent', () => {
    expect(patternsOf('a\ud800').sorted).toEqual(['a\ud800', 'a\ufffd']);
  });

  it('knows with which characters a secret and an escape begin', () => {
    const patterns = patternsOf('key', 'long-key', '秘密');
    expect(mayBeginWith(patterns, codeOf('k'))).toBe(true);
    expect(mayBeginWith(patterns, codeOf('e'))).toBe(false);
    expect(mayBeginWith(patterns, codeOf('秘'))).toBe(true);
    expect(mayBeginWithPair(patterns, codeOf('k'), codeOf('e'))).toBe(true);
    expect(mayBeginWithPair(patterns, codeOf('l'), codeOf('o'))).toBe(true);
    expect(mayBeginWithPair(patterns, codeOf('k'), codeOf('y'))).toBe(false);
    expect(patterns.classes[codeOf('k')]).toBe(BEGINS_SECRET | 4);
    for (const begins of '%\\&') expect((patterns.classes[codeOf(begins)] ?? 0) & BEGINS_ESCAPE).toBeTruthy();
    expect((patterns.classes[codeOf('+')] ?? 0) & BEGINS_ESCAPE).toBe(0);
    expect((patternsOf('a key').classes[codeOf('+')] ?? 0) & BEGINS_ESCAPE).toBeTruthy();
  });

  it('searches only secrets of four characters and more in base64 and hex', () => {
    expect(patternsOf('key', 'long-key').encoded?.sorted).toEqual(['long-key']);
    expect(patternsOf('key').encoded).toBeUndefined();
    const long = patternsOf('long-key');
    expect(long.encoded).toBe(long);
  });

  it.each([
    ['key', '[secret]'],
    ['[x', '***'],
    ['s', '***'],
    ['[*', '•••'],
    ['[*•█▒', '…'],
  ])('a secret %j has the mask %s', (secret, mask) => {
    expect(patternsOf(secret).mask).toBe(mask);
  });
});
