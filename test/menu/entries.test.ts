import { describe, expect, it } from 'vitest';
import { arrayOf, isEntry, sortByIndex, uniqueById } from '../../src/menu/entries.js';
import { truncated } from '../../src/menu/truncated.js';

describe('the entries of an array', () => {
  it('are none if the value is not an array', () => {
    const array = [1];
    expect(arrayOf(array)).toBe(array);
    for (const value of [undefined, null, 'text', 5, {}, { length: 3 }]) expect(arrayOf(value)).toEqual([]);
  });

  it('are objects with a string id', () => {
    expect(isEntry({ id: '' })).toBe(true);
    for (const value of [null, undefined, 'x', {}, { id: 5 }, { id: null }])
      expect(isEntry(value)).toBe(false);
  });

  it('are unique by id: the first is used, and a valid array is not copied', () => {
    const valid = [{ id: 'a' }, { id: 'b' }];
    expect(uniqueById(valid)).toBe(valid);
    const [first, second] = [
      { id: 'a', name: 'first' },
      { id: 'a', name: 'second' },
    ];
    expect(uniqueById([first, { id: 'b' }, second] as { id: string }[])).toEqual([first, { id: 'b' }]);
    expect(uniqueById([null, { id: 5 }, { id: 'a' }] as never)).toEqual([{ id: 'a' }]);
    expect(uniqueById(undefined)).toEqual([]);
  });

  it('are sorted by index in place: equal ones keep their order, those without one come last', () => {
    const entries = [
      { id: 'none' },
      { id: 'b', index: 1 },
      { id: 'a', index: 1 },
      { id: 'first', index: -1 },
    ];
    expect(sortByIndex(entries)).toBe(entries);
    expect(entries.map(({ id }) => id)).toEqual(['first', 'b', 'a', 'none']);
  });
});

describe('a truncated value', () => {
  it.each<[unknown, string]>([
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(81), `${'x'.repeat(80)}…`],
    [5, '5'],
    [undefined, 'undefined'],
    [null, 'null'],
    [Symbol('x'), 'Symbol(x)'],
    [['x'], 'an array'],
    [{ toString: 1 }, 'an object'],
  ])('%#', (value, text) => {
    expect(truncated(value)).toBe(text);
  });
});
