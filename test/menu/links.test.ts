import fc from 'fast-check';
import { Menu, type Merchant } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { documentOf, type Part } from './documents.js';

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
/** An id that may be missing. */
const optionalId = fc.option(id, { nil: undefined });
const ids = fc.option(fc.array(id, { maxLength: 12 }), { nil: undefined });
const index = fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined });
/** Values that are not entries. */
const other = fc.constantFrom(null, 'a', 5, {}, { id: 5 }, []);

/** Arrays with duplicate ids, dangling references and values that are not entries. */
const arrayOf = (fields: Record<string, fc.Arbitrary<unknown>>, maxLength = 8) =>
  fc.array(fc.oneof({ arbitrary: fc.record({ id, index, ...fields }), weight: 8 }, other), { maxLength });

const documents = fc.record({
  services: arrayOf({ menuId: optionalId }),
  menus: arrayOf({ categoryId: ids }),
  categories: arrayOf({ itemOfferId: ids, availabilityId: ids }),
  itemOffers: arrayOf({ itemId: optionalId, optionGroupsId: ids, availabilityId: ids }),
  items: arrayOf({ name: id }),
  optionGroups: arrayOf({ options: fc.option(arrayOf({ itemId: optionalId }, 4), { nil: undefined }) }),
  availabilities: arrayOf({}),
}) as fc.Arbitrary<Record<string, unknown[]>>;

/** The rules in their simplest form: every lookup is a scan. */
class Scans {
  readonly #document: Record<string, unknown[]>;

  constructor(document: Record<string, unknown[]>) {
    this.#document = document;
  }

  /** The used entries of a collection: of each id the first; offers only with an item. */
  all(name: string): Part[] {
    const entries = (this.#document[name] ?? []).filter(isEntry);
    return unique(name === 'itemOffers' ? entries.filter((each) => this.one('items', each.itemId)) : entries);
  }

  one(name: string, wanted: unknown): Part | undefined {
    return this.all(name).find((entry) => entry.id === wanted);
  }

  linked(wanted: unknown, name: string): Part[] {
    if (wanted === undefined) return sorted(this.all(name));
    const found = (wanted as unknown[])
      .map((each) => this.one(name, each))
      .filter((each) => each !== undefined);
    return sorted([...new Set(found)]);
  }

  options(group: Part): Part[] {
    return sorted(unique(((group.options ?? []) as unknown[]).filter(isEntry)));
  }
}

/** The collection to which each key refers. */
const REFERENCES = {
  menuId: 'menus',
  categoryId: 'categories',
  itemOfferId: 'itemOffers',
  itemId: 'items',
  optionGroupsId: 'optionGroups',
  availabilityId: 'availabilities',
} as const;

/** The path of every reference to an id that no entry has; an offer without an item counts. */
function danglingIn(document: Record<string, unknown[]>): string[] {
  const of = (entry: Part, path: string): string[] =>
    Object.entries(REFERENCES).flatMap(([key, to]) => {
      const isDangling = (id: unknown) =>
        !(document[to] ?? []).some((each) => isEntry(each) && each.id === id);
      const value = entry[key];
      if (Array.isArray(value))
        return value.flatMap((id, at) => (isDangling(id) ? `${path}.${key}.${at}` : []));
      const isMissing = value === undefined && key === 'itemId' && path.startsWith('itemOffers');
      return isMissing || (value !== undefined && isDangling(value)) ? `${path}.${key}` : [];
    });
  const each = (list: unknown, path: string): string[] => {
    const all = Array.isArray(list) ? list : [];
    return unique(all.filter(isEntry)).flatMap((entry) => {
      const own = `${path}.${all.indexOf(entry)}`;
      return [...of(entry, own), ...each(entry.options, `${own}.options`)];
    });
  };
  return Object.entries(document).flatMap(([name, list]) => each(list, name));
}

const isEntry = (value: unknown): value is Part => typeof (value as Part | null)?.id === 'string';

const unique = (entries: Part[]) =>
  entries.filter((entry, at) => entries.findIndex((each) => each.id === entry.id) === at);

const rankOf = (entry: Part) => (entry.index as number | undefined) ?? Number.MAX_VALUE;
const sorted = (entries: Part[]) => entries.toSorted((one, another) => rankOf(one) - rankOf(another));

const KINDS = {
  service: 'services',
  menu: 'menus',
  category: 'categories',
  offer: 'itemOffers',
  item: 'items',
  optionGroup: 'optionGroups',
} as const;

const sourcesOf = (entries: ReadonlyArray<{ readonly source: unknown }>) =>
  entries.map(({ source }) => source);

/** Like `toEqual`, but for identity: two entries may have equal content. */
const expectSame = (actual: readonly unknown[], expected: readonly unknown[]) => {
  expect(actual).toHaveLength(expected.length);
  for (const [at, each] of expected.entries()) expect(actual[at]).toBe(each);
};

describe('the links of a menu are those that scans of the document find', () => {
  it('from entry to entry', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const scans = new Scans(document);
        const { services } = new Menu(documentOf(document));
        expectSame(sourcesOf(services), scans.all('services'));
        for (const { menu, source } of services) {
          const wanted = scans.one('menus', source.menuId);
          expect(menu?.source).toBe(wanted);
          if (!menu || !wanted) continue;
          expectSame(sourcesOf(menu.categories), scans.linked(wanted.categoryId, 'categories'));
          for (const category of menu.categories) {
            expectSame(sourcesOf(category.offers), scans.linked(category.source.itemOfferId, 'itemOffers'));
            for (const { item, optionGroups, source: offer } of category.offers) {
              expect(item.source).toBe(scans.one('items', offer.itemId));
              const groups = scans.linked(offer.optionGroupsId ?? [], 'optionGroups');
              expectSame(sourcesOf(optionGroups), groups);
              for (const group of optionGroups) {
                expectSame(sourcesOf(group.options), scans.options(group.source));
                for (const option of group.options) {
                  expect(option.item?.source).toBe(scans.one('items', option.source.itemId));
                }
              }
            }
          }
        }
      }),
    );
  });

  it('by kind and id, in any order of the calls', () => {
    const kind = fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[]), 'option' as const);
    const calls = fc.array(fc.tuple(kind, fc.oneof(id, fc.constant('unknown'))), { maxLength: 20 });
    fc.assert(
      fc.property(documents, calls, (document, wanted) => {
        const scans = new Scans(document);
        const menu = new Menu(documentOf(document));
        for (const [each, wantedId] of wanted) {
          const found = menu.find(each, wantedId);
          const options = scans.all('optionGroups').flatMap((group) => scans.options(group));
          const expected =
            each === 'option'
              ? options.find((option) => option.id === wantedId)
              : scans.one(KINDS[each], wantedId);
          expect(found?.source).toBe(expected);
          expect(menu.find(each, wantedId)).toBe(found);
        }
      }),
    );
  });

  it('by an entry of the document: only those that are used are found', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const scans = new Scans(document);
        const menu = new Menu(document as unknown as Merchant);
        const isFound = (entry: object) => {
          try {
            menu.isAvailable(entry, 0);
            return true;
          } catch (error) {
            expect(error).toMatchObject({ code: 'configuration', option: 'entry' });
            return false;
          }
        };
        const groups = scans.all('optionGroups');
        const used = new Set([
          ...Object.values(KINDS).flatMap((name) => scans.all(name)),
          ...groups.flatMap((group) => scans.options(group)),
        ]);
        const everything = Object.values(document).flat().filter(isEntry);
        const options = everything.flatMap((entry) => (Array.isArray(entry.options) ? entry.options : []));
        for (const entry of [...everything, ...options.filter(isEntry)])
          expect(isFound(entry)).toBe(used.has(entry));
        for (const service of menu.services) expect(isFound(service)).toBe(true);
      }),
    );
  });

  it('and what a scan does not find is reported as dangling, and nothing else', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const { issues } = new Menu(documentOf(document));
        const dangling = issues.filter(({ code }) => code === 'dangling').map(({ path }) => path.join('.'));
        expect(dangling.sort()).toEqual(danglingIn(document).sort());
      }),
    );
  });
});
