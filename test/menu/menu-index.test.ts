import { describe, expect, it } from 'vitest';
import { MenuIndex } from '../../src/menu/menu-index.js';
import { documentOf, pizzeria } from './documents.js';

const indexOf = (size: number) =>
  new MenuIndex(documentOf({ categories: Array.from({ length: size }, (_, at) => ({ id: `c${at}` })) }));

describe('the index of a menu', () => {
  it.each([2, 8, 9, 20])('links each of %i ids once, without unknown ids', (size) => {
    const index = indexOf(size);
    const ids = Array.from({ length: size }, (_, at) => `c${at}`);
    const linked = index.categories.linked([...ids, 'unknown', ...ids]);
    expect(linked.map(({ id }) => id)).toEqual(ids);
    expect(linked[0]).toBe(index.categories.get('c0'));
  });

  it('links all entries without ids, in one shared array', () => {
    const index = indexOf(3);
    const linked = index.categories.linked(undefined);
    expect(linked).toHaveLength(3);
    expect(index.categories.linked(undefined)).toBe(linked);
    expect(index.categories.linked([])).toEqual([]);
  });

  it('resolves an entry by its identity, or by its kind and id', () => {
    const document = pizzeria();
    const index = new MenuIndex(documentOf(document));
    const offer = index.find('offer', 'margherita');
    expect(index.resolve(document.itemOffers[0] as object)).toBe(offer);
    expect(index.resolve({ kind: 'offer', id: 'margherita' })).toBe(offer);
    expect(index.resolve({ id: 'margherita' })).toBeUndefined();
    expect(index.resolve({ kind: 'offer', id: 'unknown' })).toBeUndefined();
  });
});
