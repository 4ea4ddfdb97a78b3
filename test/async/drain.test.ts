import { expect, it } from 'vitest';
import { drain } from '../../src/async/drain.js';
import { iteratorsStarted } from './iterators.js';

it('yields the first element until the set is empty, those added meanwhile included', () => {
  const set = new Set([1, 2, 3]);
  const seen: number[] = [];
  for (const element of drain(set)) {
    seen.push(element);
    set.delete(element);
    if (element === 2) set.add(4);
  }
  expect(seen).toEqual([1, 2, 3, 4]);
});

it('yields an element again as long as it is not deleted', () => {
  const set = new Set(['a', 'b']);
  const seen: string[] = [];
  for (const element of drain(set)) {
    seen.push(element);
    if (seen.length >= 3) set.delete(element);
  }
  expect(seen).toEqual(['a', 'a', 'a', 'b']);
});

it('skips an element that was deleted before its turn', () => {
  const set = new Set([1, 2, 3]);
  const seen: number[] = [];
  for (const element of drain(set)) {
    seen.push(element);
    set.delete(element);
    set.delete(2);
  }
  expect(seen).toEqual([1, 3]);
});

it('walks through the set once, however many elements it has: each new walk would pass all places that are empty again', () => {
  const walk = (size: number) => {
    const set = new Set(Array.from({ length: size }, (_, index) => index));
    for (const element of drain(set)) set.delete(element);
  };
  expect(iteratorsStarted(() => walk(1000))).toBe(1);
  expect(iteratorsStarted(() => walk(80_000))).toBe(1);
});
