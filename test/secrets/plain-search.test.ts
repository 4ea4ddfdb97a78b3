import { expect, it } from 'vitest';
import { Budget } from '../../src/secrets/budget.js';
import { findPlain } from '../../src/secrets/plain-search.js';

function rangesOf(text: string, secret: string): number[] {
  const found: number[] = [];
  findPlain(text, secret, new Budget(text.length), found);
  return found;
}

it('findPlain finds every occurrence', () => {
  expect(rangesOf('a secret-key, secret-key', 'secret-key')).toEqual([2, 12, 14, 24]);
  expect(rangesOf('secret-ke', 'secret-key')).toEqual([]);
  expect(rangesOf('aaa', 'aa')).toEqual([0, 2, 1, 3]);
});

it('findPlain finds every occurrence in linear time if the secret and the text repeat one character', () => {
  const secret = `${'a'.repeat(500)}b`;
  const text = `${'a'.repeat(2000)}b-${secret}`;
  expect(rangesOf(text, secret)).toEqual([1500, 2001, 2002, 2503]);
  expect(rangesOf('a'.repeat(1000), 'a'.repeat(700))).toHaveLength(2 * 301);
});
