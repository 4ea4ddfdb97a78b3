import * as fc from 'fast-check';
import { type EntryKind, Menu } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { brl, documentOf, known, type Part, type Pizzeria, pizzeria, sold } from './documents.js';

const issuesOf = (parts: object) =>
  new Menu(documentOf(parts)).issues.map(({ code, path }) => `${code} ${path.join('.')}`);

describe('a menu', () => {
  it('links services, menus, categories, offers, items, groups, options and their items', () => {
    const menu = new Menu(documentOf(pizzeria()));
    const offer = known(menu.services[0]?.menu?.categories[0]?.offers[0]);
    expect(offer).toMatchObject({ kind: 'offer', id: 'margherita', price: { value: 40 } });
    expect(offer.item).toMatchObject({ kind: 'item', name: 'Margherita' });
    const option = known(offer.optionGroups[0]?.options[0]);
    expect(option).toMatchObject({ kind: 'option', id: 'cheese', item: { name: 'Filled crust' } });
    expect(menu.issues).toEqual([]);
  });

  it('returns the same object for an entry on every path to it', () => {
    const document = pizzeria();
    const menu = new Menu(documentOf(document));
    const offer = menu.find('offer', 'margherita');
    expect(menu.find('category', 'pizzas')?.offers[0]).toBe(offer);
    expect(offer?.item).toBe(menu.find('item', 'pizza'));
    expect(menu.find('option', 'cheese')?.item).toBe(menu.find('item', 'filled'));
    expect(offer?.source).toBe(document.itemOffers[0]);
    expect(JSON.parse(JSON.stringify(offer))).toEqual(document.itemOffers[0]);
    expect(menu.find('offer', 'pizza')).toBeUndefined();
    expect(() => menu.find('topping' as EntryKind, 'x')).toThrow(/kind/);
  });

  it('reads an absent or null array of ids as all entries, an empty one as none, and a single id as an array of it', () => {
    const [one, two] = [sold('one', 1), sold('two', 2)];
    const idsOf = (lists: Part) => {
      const categories = [{ id: 'c', ...lists }, { id: 'd' }];
      const menu = new Menu(
        documentOf({
          services: [{ id: 's', menuId: 'm' }],
          menus: [{ id: 'm', ...('categoryId' in lists && { categoryId: lists.categoryId }) }],
          categories,
          itemOffers: [one.offer, two.offer],
          items: [one.item, two.item],
        }),
      );
      const below = known(menu.services[0]?.menu).categories;
      return [below.map(({ id }) => id), menu.find('category', 'c')?.offers.map(({ id }) => id)];
    };
    expect(idsOf({})).toEqual([
      ['c', 'd'],
      ['one', 'two'],
    ]);
    expect(idsOf({ categoryId: null, itemOfferId: null })).toEqual([
      ['c', 'd'],
      ['one', 'two'],
    ]);
    expect(idsOf({ categoryId: [], itemOfferId: [] })).toEqual([[], []]);
    expect(idsOf({ categoryId: 'd', itemOfferId: 'two' })).toEqual([['d'], ['two']]);
    expect(idsOf({ categoryId: ['d', 'd'], itemOfferId: ['two', 'one', 'two'] })).toEqual([
      ['d'],
      ['two', 'one'],
    ]);
  });

  it('returns the default of the standard for a field that is absent or null', () => {
    const document = pizzeria();
    Object.assign(known(document.optionGroups[0]), { priceMethod: null, status: null });
    const menu = new Menu(documentOf(document));
    expect(menu.find('offer', 'margherita')?.status).toBe('AVAILABLE');
    expect(menu.find('item', 'pizza')?.status).toBe('AVAILABLE');
    expect(menu.find('optionGroup', 'crust')).toMatchObject({ status: 'AVAILABLE', priceMethod: 'SUM' });
  });

  it('returns image as picture only if there are no images', () => {
    const picturesOf = (more: Part) =>
      new Menu(documentOf({ items: [{ id: 'i', ...more }] })).find('item', 'i')?.pictures;
    const main = { URL: 'https://img.example/main.png', type: 'MAIN' };
    const thumb = { URL: 'https://img.example/thumb.png', type: 'THUMB' };
    expect(picturesOf({ image: { URL: 'x' }, images: [main, thumb] })).toEqual([main, thumb]);
    expect(picturesOf({ image: { URL: 'x' }, images: [thumb] })).toEqual([thumb]);
    expect(picturesOf({ image: { URL: 'x' }, images: [] })).toEqual([{ URL: 'x', type: 'MAIN' }]);
    expect(picturesOf({ image: { URL: 'x' } })).toEqual([{ URL: 'x', type: 'MAIN' }]);
    expect(picturesOf({ image: 'x', images: [null, 'y'] })).toEqual([]);
    expect(picturesOf({})).toEqual([]);
  });
});

describe('issues', () => {
  const changed = (change: (document: Pizzeria) => void) => {
    const document = pizzeria();
    change(document);
    return issuesOf(document);
  };
  const first = (list: Part[]) => known(list[0]);

  it('report every dangling reference with its path', () => {
    expect(changed(({ services }) => (first(services).menuId = 'x'))).toEqual([
      'dangling services.0.menuId',
      'orphan menus.0',
    ]);
    expect(changed(({ menus }) => (first(menus).categoryId = ['pizzas', 'x']))).toEqual([
      'dangling menus.0.categoryId.1',
    ]);
    expect(changed(({ categories }) => (first(categories).itemOfferId = ['x', 'margherita']))).toEqual([
      'dangling categories.0.itemOfferId.0',
    ]);
    expect(changed(({ categories }) => (first(categories).availabilityId = ['x']))).toEqual([
      'dangling categories.0.availabilityId.0',
    ]);
    expect(changed(({ itemOffers }) => (first(itemOffers).itemId = 'x'))).toEqual([
      'dangling itemOffers.0.itemId',
      'orphan items.0',
    ]);
    expect(changed(({ itemOffers }) => delete first(itemOffers).itemId)).toEqual([
      'dangling itemOffers.0.itemId',
      'orphan items.0',
    ]);
    expect(changed(({ itemOffers }) => (first(itemOffers).optionGroupsId = ['crust', 'x']))).toEqual([
      'dangling itemOffers.0.optionGroupsId.1',
    ]);
    expect(changed(({ itemOffers }) => (first(itemOffers).availabilityId = ['x']))).toEqual([
      'dangling itemOffers.0.availabilityId.0',
    ]);
    const options = [{ id: 'cheese', itemId: 'x' }];
    expect(changed(({ optionGroups }) => (first(optionGroups).options = options))).toEqual([
      'dangling optionGroups.0.options.0.itemId',
      'orphan items.1',
    ]);
  });

  it('report every entry that no other entry refers to', () => {
    const named = pizzeria();
    const spare: [keyof Pizzeria & string, Part][] = [
      ['menus', { id: 'spare', categoryId: [] }],
      ['categories', { id: 'spare', itemOfferId: [] }],
      ['itemOffers', { id: 'spare', itemId: 'pizza', price: brl(1) }],
      ['items', { id: 'spare' }],
      ['optionGroups', { id: 'spare', options: [] }],
      ['availabilities', { id: 'spare', hours: [] }],
    ];
    for (const [name, entry] of spare) (named[name] as Part[]).push(entry);
    expect(issuesOf(named)).toEqual([
      'orphan menus.1',
      'orphan categories.1',
      'orphan itemOffers.1',
      'orphan items.2',
      'orphan optionGroups.1',
      'orphan availabilities.1',
    ]);
    for (const list of [named.menus, named.categories]) {
      delete first(list).categoryId;
      delete first(list).itemOfferId;
    }
    expect(issuesOf(named)).not.toContain('orphan categories.1');
    expect(issuesOf(named)).not.toContain('orphan itemOffers.1');
  });

  it('report a duplicate id, and the first entry is used', () => {
    for (const name of ['services', 'menus', 'categories', 'itemOffers', 'items', 'optionGroups'] as const) {
      const document = pizzeria();
      document[name].push({ ...document[name][0], name: 'second', status: 'UNAVAILABLE' });
      expect(issuesOf(document)).toEqual([`duplicate ${name}.${document[name].length - 1}.id`]);
      const menu = new Menu(documentOf(document));
      const kind = { itemOffers: 'offer', items: 'item', categories: 'category' }[name as string] ?? name;
      const found = menu.find(kind.replace(/s$/, '') as EntryKind, first(document[name]).id as string);
      expect(found?.source).toBe(document[name][0]);
    }
    const options = [
      { id: 'cheese', itemId: 'filled', price: brl(9) },
      { id: 'cheese', itemId: 'filled', price: brl(1) },
    ];
    expect(changed(({ optionGroups }) => (first(optionGroups).options = options))).toEqual([
      'duplicate optionGroups.0.options.1.id',
    ]);
    const twice = new Menu(documentOf({ optionGroups: [{ id: 'crust', options }] })).find(
      'optionGroup',
      'crust',
    );
    expect(twice?.options.map(({ price }) => price?.value)).toEqual([9]);
    expect(changed(({ availabilities }) => availabilities.push({ ...first(availabilities) }))).toEqual([
      'duplicate availabilities.1.id',
    ]);
  });

  it('report a group that requires more options than are available', () => {
    const group = (more: Part) => changed(({ optionGroups }) => Object.assign(first(optionGroups), more));
    const issue = ['unsatisfiable optionGroups.0.minPermitted'];
    const option = (id: string, more: Part = {}) => ({ id, itemId: 'filled', maxPermitted: 1, ...more });
    expect(group({ minPermitted: 2 })).toEqual([]);
    expect(group({ minPermitted: 3, maxPermitted: 3 })).toEqual(issue);
    expect(group({ minPermitted: 2, maxPermitted: 1 })).toEqual(issue);
    const two = [option('a'), option('b')];
    expect(group({ minPermitted: 2, options: two })).toEqual([]);
    expect(group({ minPermitted: 3, maxPermitted: 9, options: two })).toEqual(issue);
    expect(
      group({ minPermitted: 2, options: [option('a'), option('b', { status: 'UNAVAILABLE' })] }),
    ).toEqual(issue);
    // A negative maxPermitted counts as 0.
    expect(group({ minPermitted: 1, options: [option('a'), option('b', { maxPermitted: -5 })] })).toEqual([]);
    expect(group({ minPermitted: 9, maxPermitted: 9, options: [{ id: 'a', itemId: 'filled' }] })).toEqual([]);
    const gone = changed(({ optionGroups, items }) => {
      Object.assign(first(optionGroups), { minPermitted: 1 });
      Object.assign(known(items[1]), { status: 'UNAVAILABLE' });
    });
    expect(gone).toEqual(issue);
  });
});

/** Every link of a menu. */
function linksIn(menu: Menu, document: Pizzeria): string[] {
  const all = <Kind extends EntryKind>(kind: Kind, list: Part[]) =>
    list.flatMap(({ id }) => menu.find(kind, id as string) ?? []);
  return [
    ...all('service', document.services).flatMap(({ id, menu: to }) =>
      to ? `service ${id} > ${to.id}` : [],
    ),
    ...all('menu', document.menus).flatMap(({ id, categories }) =>
      categories.map((to) => `menu ${id} > ${to.id}`),
    ),
    ...all('category', document.categories).flatMap(({ id, offers }) =>
      offers.map((to) => `category ${id} > ${to.id}`),
    ),
    ...all('offer', document.itemOffers).flatMap(({ id, item, optionGroups }) => [
      `offer ${id} > ${item.id}`,
      ...optionGroups.map((to) => `offer ${id} > ${to.id}`),
    ]),
    ...all('optionGroup', document.optionGroups).flatMap(({ id, options }) =>
      options.map((to) => `group ${id} > ${to.id} > ${to.item?.id ?? 'nothing'}`),
    ),
  ].sort();
}

describe('any menu', () => {
  const count = (name: string, least: number, most: number) =>
    fc
      .integer({ min: least, max: most })
      .map((size) => Array.from({ length: size }, (_, at) => `${name}${at}`));
  const anyMenu = fc
    .record({
      menus: count('m', 1, 2),
      categories: count('c', 1, 3),
      offers: count('o', 1, 5),
      items: count('i', 1, 5),
      groups: count('g', 1, 3),
    })
    .chain(({ menus, categories, offers, items, groups }) => {
      const id = (...ids: string[]) => fc.constantFrom(...ids);
      const some = (ids: string[]) => fc.subarray(ids);
      const each = (ids: string[], of: (one: string) => fc.Arbitrary<Part>) => fc.tuple(...ids.map(of));
      const index = fc.integer({ min: 0, max: 3 });
      return fc.record({
        services: each(['s0', 's1'], (one) => fc.record({ id: fc.constant(one), menuId: id(...menus) })),
        menus: each(menus, (one) => fc.record({ id: fc.constant(one), categoryId: some(categories) })),
        categories: each(categories, (one) =>
          fc.record({ id: fc.constant(one), index, itemOfferId: some(offers) }),
        ),
        itemOffers: each(offers, (one) =>
          fc.record({ id: fc.constant(one), index, itemId: id(...items), optionGroupsId: some(groups) }),
        ),
        items: each(items, (one) => fc.record({ id: fc.constant(one) })),
        optionGroups: each(groups, (one) =>
          fc.record({
            id: fc.constant(one),
            options: each([`${one}a`, `${one}b`], (option) =>
              fc.record({ id: fc.constant(option), index, itemId: id(...items) }),
            ),
          }),
        ),
        availabilities: fc.constant([]),
      });
    })
    .map((document) => document as unknown as Pizzeria);

  /** The places of all ids that entries refer to. */
  const referencesOf = (document: Pizzeria) => {
    const places: { holder: Part; key: string | number; owner: string }[] = [];
    const visit = (entry: Part) => {
      for (const [key, value] of Object.entries(entry)) {
        const owner = String(entry.id);
        if (key === 'options') (value as Part[]).forEach(visit);
        else if (Array.isArray(value))
          for (const at of value.keys()) places.push({ holder: value as never, key: at, owner });
        else if (/Id$/.test(key)) places.push({ holder: entry, key, owner });
      }
    };
    for (const list of Object.values(document)) (list as Part[]).forEach(visit);
    return places;
  };

  it('loses no other link if one reference is broken, and reports that reference', () => {
    fc.assert(
      fc.property(anyMenu, fc.nat(), (document, pick) => {
        const whole = linksIn(new Menu(documentOf(document)), document);
        const broken = structuredClone(document);
        const places = referencesOf(broken);
        const { holder, key, owner } = known(places[pick % places.length]);
        const was = String(holder[key]);
        holder[key] = 'nowhere';
        const menu = new Menu(documentOf(broken));
        const left = linksIn(menu, broken);
        const lost = whole.filter((link) => !left.includes(link));
        const isOfItem = key === 'itemId' && owner.startsWith('o');
        // An offer without its item is left out, and only its own links are lost.
        for (const link of lost)
          expect(isOfItem ? link.split(' ').includes(owner) : link.includes(`${owner} > ${was}`)).toBe(true);
        const dangling = menu.issues.filter(({ code }) => code === 'dangling');
        expect(dangling).toHaveLength(1);
      }),
      { seed: 2, numRuns: runs(300) },
    );
  });
});
