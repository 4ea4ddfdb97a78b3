import * as fc from 'fast-check';
import {
  type CollectionChanges,
  ConfigurationError,
  diffMerchants,
  type Merchant,
  type MerchantEvents,
} from 'opendelivery-client';
import type { Json } from 'opendelivery-client/testing';
import { describe, expect, it } from 'vitest';
import { documentOf, known, type Part, pizzeria } from '../menu/documents.js';
import { runs } from '../runs.js';
import { COLLECTIONS } from '../schemas/support.js';
import { stage } from '../support.js';

const itemsOf = (before: unknown, after: unknown) =>
  diffMerchants(documentOf({ items: before }), documentOf({ items: after })).items;
const withIds = (ids: string) => [...ids].map((id) => ({ id }));
const NOTHING = { added: [], removed: [], changed: [], moved: [], order: undefined };

describe('the changes of a collection', () => {
  it('are empty between a document and its copy', () => {
    const changes = diffMerchants(documentOf(pizzeria()), documentOf(pizzeria()));
    for (const name of COLLECTIONS) expect(changes[name]).toEqual(NOTHING);
    expect(changes.root).toEqual([]);
  });

  it('list what was added, removed, changed and moved, per collection', () => {
    for (const name of COLLECTIONS) {
      const document = (list: Part[]) => documentOf({ ...pizzeria(), [name]: list });
      const [a, b, c, d] = [...'abcd'].map((id) => ({ id, index: 0 }));
      const other = { ...b, index: 1 };
      const changes = diffMerchants(
        document([known(a), known(b), known(c)]),
        document([known(d), other, known(a)]),
      );
      expect(changes[name]).toEqual({
        added: [d],
        removed: [c],
        changed: [{ id: 'b', before: b, after: other, paths: [['index']] }],
        moved: expect.toSatisfy((moved: string[]) => moved.length === 1) as string[],
        order: ['d', 'b', 'a'],
      });
      for (const rest of COLLECTIONS) if (rest !== name) expect(changes[rest]).toEqual(NOTHING);
    }
  });

  it('list the paths that differ: nested, added, removed and in arrays', () => {
    const before = { id: 'i', a: { b: [1, { c: 2 }], same: [1] }, gone: 1, none: undefined, list: [1, 2, 3] };
    const after = { id: 'i', list: [1, 9], a: { b: [1, { c: 3 }], same: [1] }, new: { x: 1 } };
    expect(itemsOf([before], [after]).changed[0]?.paths).toEqual([
      ['a', 'b', 1, 'c'],
      ['gone'],
      ['list', 1],
      ['list', 2],
      ['new'],
    ]);
  });

  it('include a change of type, but not the order of keys or NaN', () => {
    const pathsOf = (before: unknown, after: unknown) =>
      itemsOf([{ id: 'i', x: before }], [{ id: 'i', x: after }]).changed[0]?.paths;
    for (const [before, after] of [
      [[], {}],
      [null, {}],
      [1, '1'],
      [null, 0],
      [null, false],
      [[1], [[1]]],
      [{}, undefined],
    ])
      expect(pathsOf(before, after)?.[0]?.[0]).toBe('x');
    expect(pathsOf({ a: 1, b: 2 }, { b: 2, a: 1 })).toBeUndefined();
    expect(pathsOf(Number.NaN, Number.NaN)).toBeUndefined();
    expect(pathsOf(undefined, undefined)).toBeUndefined();
  });

  it('use the first of several entries with one id, as Menu does', () => {
    const [first, second] = [
      { id: 'a', name: 'first' },
      { id: 'a', name: 'second' },
    ];
    expect(itemsOf([first, second], [first])).toEqual(NOTHING);
    expect(itemsOf([first], [second, first]).changed[0]?.paths).toEqual([['name']]);
  });

  it('ignore values that are not entries', () => {
    for (const list of [null, 'text', 5, {}, [null, 1, 'x', [], {}, { id: 1 }, { id: null }]])
      expect(itemsOf(list, undefined)).toEqual(NOTHING);
  });

  it('of the root are its changed keys, without lastUpdate and TTL', () => {
    const before = documentOf({
      id: 'm',
      status: 'AVAILABLE',
      TTL: 500,
      lastUpdate: 'a',
      basicInfo: { name: 'x', a: 1 },
    });
    const after = documentOf({
      id: 'm',
      TTL: 600,
      lastUpdate: 'b',
      basicInfo: { name: 'y', a: 2 },
      extra: [1],
    });
    expect(diffMerchants(before, after).root).toEqual(['status', 'basicInfo', 'extra']);
  });

  it('cannot be computed for values that are not documents', () => {
    for (const document of [null, undefined, 'x', 5, []])
      for (const pair of [
        [document, documentOf({})],
        [documentOf({}), document],
      ])
        expect(() => diffMerchants(...(pair as [Merchant, Merchant]))).toThrow(ConfigurationError);
  });

  it('are found at every depth, with paths of at most 64 keys', () => {
    const nested = (depth: number, of: (level: number) => unknown) => {
      let value: unknown = 'bottom';
      for (let level = 0; level < depth; level += 1) value = { level: of(level), next: value };
      return [{ id: 'i', deep: value }];
    };
    expect(
      itemsOf(
        nested(10_000, () => 0),
        nested(10_000, () => 0),
      ),
    ).toEqual(NOTHING);
    const bottom = itemsOf(
      nested(10_000, () => 0),
      nested(10_000, (level) => (level === 3 ? 1 : 0)),
    );
    expect(bottom.changed[0]?.paths).toEqual([['deep', ...Array(63).fill('next')]]);
    const shallow = itemsOf(
      nested(20, () => 0),
      nested(20, (level) => (level === 0 ? 1 : 0)),
    );
    expect(shallow.changed[0]?.paths).toEqual([['deep', ...Array(19).fill('next'), 'level']]);
    const twice = { v: 1 };
    const under = (bottom: unknown) => {
      let value = bottom;
      for (let level = 0; level < 70; level += 1) value = { next: value };
      return [{ id: 'i', deep: value }];
    };
    for (const unlike of [
      { a: { v: 1 }, b: { v: 2 } },
      { a: { v: 2 }, b: { v: 1 } },
    ])
      expect(itemsOf(under({ a: twice, b: twice }), under(unlike)).changed).toHaveLength(1);
    const every = itemsOf(
      nested(10_000, () => 0),
      nested(10_000, () => 1),
    ).changed[0]?.paths;
    expect(every).toHaveLength(64);
    // `one` is compared with two different objects.
    const one = { v: 1 };
    const shared = [{ id: 'i', a: one, b: one }];
    expect(itemsOf(shared, [{ id: 'i', a: { v: 1 }, b: { v: 2 } }]).changed[0]?.paths).toEqual([['b', 'v']]);
  });

  it('are found in arrays of any length and in objects that contain themselves', { tags: 'slow' }, () => {
    const long = Array.from({ length: 300_000 }, (_, at) => at);
    const paths = itemsOf([{ id: 'i', long: [] }], [{ id: 'i', long }]).changed[0]?.paths;
    expect(paths).toHaveLength(300_000);
    expect(paths?.[299_999]).toEqual(['long', 299_999]);
    const cyclic = (name: string) => {
      const entry: Part = { id: 'i', parent: { id: 'p', name } };
      Object.assign(entry.parent as Part, { child: entry });
      return [entry];
    };
    expect(itemsOf(cyclic('a'), cyclic('a'))).toEqual(NOTHING);
    expect(itemsOf(cyclic('a'), cyclic('b')).changed[0]?.paths).toEqual([['parent', 'name']]);
    const ring = (length: number, name: string) => {
      const parts = Array.from({ length }, (): Part => ({ name }));
      parts.forEach((part, at) => {
        part.next = parts[(at + 1) % length];
      });
      return [{ id: 'i', ring: parts[0] }];
    };
    expect(itemsOf(ring(100, 'a'), ring(90, 'a'))).toEqual(NOTHING);
    expect(itemsOf(ring(100, 'a'), ring(90, 'b')).changed[0]?.paths).toContainEqual(['ring', 'name']);
  });

  it('are found under keys that every object inherits', () => {
    const entry = (text: string) => JSON.parse(`[{"id":"constructor",${text}}]`) as unknown;
    const before = entry('"__proto__":{"x":1},"toString":1');
    const after = entry('"__proto__":{"x":2},"hasOwnProperty":1');
    expect(itemsOf(before, after).changed).toMatchObject([
      { id: 'constructor', paths: [['__proto__', 'x'], ['toString'], ['hasOwnProperty']] },
    ]);
    expect(itemsOf(withIds(''), [{ id: '__proto__' }, { id: 'toString' }]).order).toEqual([
      '__proto__',
      'toString',
    ]);
    expect(({} as Part).x).toBeUndefined();
  });
});

/** Applies the changes as an application with a table of entries would. */
function applied<Entry extends { readonly id: string }>(
  table: readonly Entry[],
  { added, removed, changed, order }: CollectionChanges<Entry>,
): readonly Entry[] {
  const byId = new Map(table.map((entry) => [entry.id, entry]));
  for (const { id } of removed) byId.delete(id);
  for (const entry of added) byId.set(entry.id, entry);
  for (const { id, after } of changed) byId.set(id, after);
  return order ? order.map((id) => known(byId.get(id))) : [...byId.values()];
}

/** The length of the longest increasing subsequence, computed in the simplest way. */
function longestIncreasing(places: readonly number[]): number {
  const lengths: number[] = [];
  for (const [at, place] of places.entries()) {
    const before = lengths.filter((_, other) => (places[other] as number) < place && other < at);
    lengths.push(1 + Math.max(0, ...before));
  }
  return Math.max(0, ...lengths);
}

describe('any two documents', () => {
  const anyList = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom(...'abcdefghijkl'),
      name: fc.nat(2),
      nested: fc.jsonValue({ maxDepth: 2 }),
    }),
    { selector: ({ id }) => id, maxLength: 12 },
  );

  it('differ by changes that turn a table of one into a table of the other', () => {
    fc.assert(
      fc.property(anyList, anyList, (before, after) => {
        const changes = itemsOf(before, after);
        expect(applied(documentOf({ items: before }).items, changes)).toEqual(after);
        const places = after.flatMap(({ id }) => {
          const place = before.findIndex((entry) => entry.id === id);
          return place < 0 ? [] : [place];
        });
        expect(changes.moved).toHaveLength(places.length - longestIncreasing(places));
        const unmoved = changes.moved.length > 0 ? after.filter(({ id }) => !changes.moved.includes(id)) : [];
        const staying = unmoved
          .map(({ id }) => before.findIndex((entry) => entry.id === id))
          .filter((at) => at >= 0);
        expect(staying).toEqual([...staying].sort((one, other) => one - other));
        const same = before.filter((entry) =>
          after.some((other) => JSON.stringify(other) === JSON.stringify(entry)),
        );
        for (const { id } of changes.changed) expect(same.map((entry) => entry.id)).not.toContain(id);
      }),
      { seed: 5, numRuns: runs(400) },
    );
  });
});

describe('the event updated', () => {
  it('has the changes that an application needs to update its table', async () => {
    const { mock, hub } = stage();
    const updates: MerchantEvents['updated'][] = [];
    hub.merchant.on('updated', (event) => void updates.push(event));
    const { merchant: before } = await hub.merchant.get();
    mock.publishMerchant((merchant) => {
      const [first, second, third] = merchant.itemOffers as Json[];
      const dearer = { ...(first as Json), price: { value: 60, originalValue: 60, currency: 'BRL' } };
      return { ...merchant, itemOffers: [third, dearer, { ...second, id: 'another' }] as Json[] };
    });
    const { merchant: after } = await hub.merchant.get({ fresh: true });
    expect(updates).toHaveLength(1);
    const { changes, previous, current } = known(updates[0]);
    expect(previous.merchant).toBe(before);
    expect(current.merchant).toBe(after);
    expect(changes).toEqual(diffMerchants(before, after));
    expect(changes.itemOffers.changed[0]?.paths).toEqual([
      ['price', 'value'],
      ['price', 'originalValue'],
    ]);
    expect(changes.itemOffers).toMatchObject({ added: [{ id: 'another' }], moved: [expect.any(String)] });
    expect(applied(before.itemOffers, changes.itemOffers)).toEqual(after.itemOffers);
  });

  it('is emitted if only the order has changed', async () => {
    const { mock, hub } = stage();
    const updates: MerchantEvents['updated'][] = [];
    hub.merchant.on('updated', (event) => void updates.push(event));
    const { merchant: before } = await hub.merchant.get();
    mock.publishMerchant((merchant) => ({ ...merchant, items: [...(merchant.items as Json[])].reverse() }));
    const { merchant: after } = await hub.merchant.get({ fresh: true });
    expect(updates[0]?.changes.items.order).toEqual(before.items.map(({ id }) => id).reverse());
    expect(after).not.toBe(before);
  });
});
