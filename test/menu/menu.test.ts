import { type EntryKind, Menu } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { brl, documentOf, issuesOf, known, type Part, type Pizzeria, pizzeria, sold } from './documents.js';

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
      const menu = new Menu(
        documentOf({
          services: [{ id: 's', menuId: 'm' }],
          menus: [{ id: 'm', ...('categoryId' in lists && { categoryId: lists.categoryId }) }],
          categories: [{ id: 'c', ...lists }, { id: 'd' }],
          itemOffers: [one.offer, two.offer],
          items: [one.item, two.item],
        }),
      );
      const ids = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id).join();
      const below = known(menu.services[0]?.menu).categories;
      return `${ids(below)} > ${ids(known(menu.find('category', 'c')).offers)}`;
    };
    expect(idsOf({})).toBe('c,d > one,two');
    expect(idsOf({ categoryId: null, itemOfferId: null })).toBe('c,d > one,two');
    expect(idsOf({ categoryId: [], itemOfferId: [] })).toBe(' > ');
    expect(idsOf({ categoryId: 'd', itemOfferId: 'two' })).toBe('d > two');
    expect(idsOf({ categoryId: ['d', 'd'], itemOfferId: ['two', 'one', 'two'] })).toBe('d > two,one');
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

  it('report every entry that no other entry refers to', () => {
    const named = pizzeria();
    const spare = { id: 'spare' };
    named.menus.push({ ...spare, categoryId: [] });
    named.categories.push({ ...spare, itemOfferId: [] });
    named.itemOffers.push({ ...spare, itemId: 'pizza', price: brl(1) });
    for (const list of [named.items, named.optionGroups, named.availabilities]) list.push(spare);
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
    const twice = new Menu(documentOf({ optionGroups: [{ id: 'crust', options }] }));
    expect(twice.find('optionGroup', 'crust')?.options.map(({ price }) => price?.value)).toEqual([9]);
    expect(changed(({ availabilities }) => availabilities.push({ ...first(availabilities) }))).toEqual([
      'duplicate availabilities.1.id',
    ]);
  });

  it('report a group that requires more options than are available', () => {
    const group = (more: Part) => changed(({ optionGroups }) => Object.assign(first(optionGroups), more));
    const issue = ['unsatisfiable optionGroups.0.minPermitted'];
    const option = (id: string, more: Part = {}) => ({ id, itemId: 'filled', maxPermitted: 1, ...more });
    const two = [option('a'), option('b')];
    for (const satisfiable of [
      { minPermitted: 2 },
      { minPermitted: 2, options: two },
      // A negative maxPermitted counts as 0.
      { minPermitted: 1, options: [option('a'), option('b', { maxPermitted: -5 })] },
      { minPermitted: 9, maxPermitted: 9, options: [{ id: 'a', itemId: 'filled' }] },
    ])
      expect(group(satisfiable)).toEqual([]);
    for (const unsatisfiable of [
      { minPermitted: 3, maxPermitted: 3 },
      { minPermitted: 2, maxPermitted: 1 },
      { minPermitted: 3, maxPermitted: 9, options: two },
      { minPermitted: 2, options: [option('a'), option('b', { status: 'UNAVAILABLE' })] },
    ])
      expect(group(unsatisfiable)).toEqual(issue);
    const gone = changed(({ optionGroups, items }) => {
      Object.assign(first(optionGroups), { minPermitted: 1 });
      Object.assign(known(items[1]), { status: 'UNAVAILABLE' });
    });
    expect(gone).toEqual(issue);
  });
});
