import { describe, expect, it } from 'vitest';
import { Collection } from '../../src/menu/collection.js';

interface Source {
  readonly id: string;
  readonly name?: string;
}

/** A collection, and the ids that it has resolved. */
function collectionOf(array: unknown, isUsed: (source: Source) => boolean = () => true) {
  const resolved: string[] = [];
  const collection = new Collection<Source, { readonly source: Source }>({ array }, 'array', (source) => {
    resolved.push(source.id);
    return isUsed(source) ? { source } : undefined;
  });
  return { collection, resolved };
}

describe('a collection', () => {
  it('resolves only the entries that are asked for, each once', () => {
    const { collection, resolved } = collectionOf([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
    expect(collection.get('unknown')).toBeUndefined();
    expect(resolved).toEqual([]);
    const second = collection.get('b');
    expect(collection.get('b')).toBe(second);
    expect(resolved).toEqual(['b']);
    expect(collection.values().map(({ source }) => source.id)).toEqual(['a', 'b', 'c']);
    expect(collection.values()[1]).toBe(second);
    expect(resolved).toEqual(['b', 'a', 'c']);
  });

  it('uses the first entry of each id that can be resolved', () => {
    const named = (id: string, name: string) => ({ id, name });
    const array = [
      named('a', 'unusable'),
      named('b', '1'),
      named('a', '2'),
      null,
      named('a', '3'),
      named('b', '4'),
    ];
    const { collection } = collectionOf(array, ({ name }) => name !== 'unusable');
    expect(collection.get('a')?.source.name).toBe('2');
    expect(collection.values().map(({ source }) => source.name)).toEqual(['1', '2']);
  });

  it('finds the resolved entry of one of its own entries, and of no other object', () => {
    const own = { id: 'a' };
    const { collection } = collectionOf([own, { id: 'a', name: 'duplicate' }]);
    const resolved = collection.get('a');
    expect(collection.resolvedOf(own)).toBe(resolved);
    expect(collection.resolvedOf({ id: 'a' })).toBeUndefined();
    expect(collection.resolvedOf({})).toBeUndefined();
  });
});
