import { CartError, ConfigurationError, diffMerchants, Menu, type Merchant } from 'opendelivery-client';
import { Menu as MenuOfStorefront } from 'opendelivery-client/menu';
import { describe, expect, it } from 'vitest';
import { runs, some } from '../runs.js';
import { brl, documentOf, EVERY_DAY, faultsOf, hoursOn, known, type Part, pizzeria } from './documents.js';
import { workedExample } from './worked-example.js';

const AT = Date.UTC(2026, 0, 5, 20);

/** Calls `price`. A `CartError` is a valid result too. */
function priced(price: () => unknown): void {
  try {
    price();
  } catch (error) {
    if (!(error instanceof CartError)) throw error;
  }
}

/** Calls every method for every entry of a menu; returns the ids of the entries. */
function visitAll(document: unknown): string[] {
  const menu = new Menu(document as Merchant, { timeZone: 'America/Sao_Paulo' });
  const seen: string[] = [];
  const look = (entry: { readonly id: string }) => {
    seen.push(entry.id);
    menu.isAvailable(entry, AT);
    JSON.stringify(entry);
  };
  for (const service of menu.services) {
    look(service);
    menu.opensAt(service, AT);
    menu.deliveryQuote(service, { latitude: 0, longitude: 0 }, { radiusUnit: 'km' });
    if (service.menu) look(service.menu);
    for (const category of service.menu?.categories ?? []) {
      look(category);
      for (const offer of category.offers) {
        look(offer);
        look(offer.item);
        for (const { URL } of offer.item.pictures) URL.toString();
        priced(() => menu.price({ offerId: offer.id, at: AT }));
        for (const group of offer.optionGroups) {
          look(group);
          for (const option of group.options) {
            look(option);
            const options = [{ groupId: group.id, optionId: option.id }];
            priced(() => menu.priceCart({ items: [{ offerId: offer.id, options }] }));
          }
        }
      }
    }
  }
  for (const { message } of menu.issues) expect(message.length).toBeLessThan(200);
  return seen;
}

const BAD: readonly unknown[] = [
  null,
  undefined,
  'text',
  '',
  5,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  {},
  [],
  [null],
  [[]],
  { toString: 1 },
  [{ toString: 1 }],
  { length: 3 },
  '__proto__',
  ['__proto__', 'constructor', 'toString'],
];

/** Every place in a JSON value. */
function* placesIn(value: unknown, path: (string | number)[] = []): Generator<(string | number)[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value))
    yield* placesIn(Reflect.get(value, key), [...path, Array.isArray(value) ? Number(key) : key]);
}

function put(document: object, path: readonly (string | number)[], value: unknown): void {
  const holder = path.slice(0, -1).reduce<object>((at, key) => Reflect.get(at, key) as object, document);
  Reflect.set(holder, path.at(-1) as string, value);
}

describe('a document that was not read by the lenient reader', () => {
  it.each([
    ['the entry', Menu],
    ['./menu', MenuOfStorefront],
  ])('is refused by %s if it is something else', (_entry, AMenu) => {
    const others = [null, undefined, 'text', 5, true, [], [pizzeria()], () => {}, {}, { title: 'not found' }];
    for (const document of others) {
      const make = () => new AMenu(document as never);
      expect(make).toThrow(ConfigurationError);
      expect(make).toThrow(/^merchant: must be a merchant document/);
    }
    const snapshot = { merchant: pizzeria(), lastUpdate: '2026-01-05T12:00:00Z', issues: [], stale: false };
    expect(() => new AMenu(snapshot as never)).toThrow(
      'merchant: must be the document: new Menu(snapshot.merchant)',
    );
    expect(new AMenu({ items: [] } as never).services).toEqual([]);
  });

  it('never causes an error, with any value in any one place', () => {
    const whole = { ...pizzeria(), id: 'm', status: 'AVAILABLE', basicInfo: { minOrderValue: brl(1) } };
    const places = [...placesIn(whole)];
    expect(places.length).toBeGreaterThan(100);
    const cases = places.flatMap((path) => BAD.map((bad) => ({ path, bad })));
    // Every eleventh case still has every place and every value.
    expect(BAD.length % 11).not.toBe(0);
    for (const { path, bad } of some(cases, 11)) {
      const document = structuredClone(whole);
      put(document, path, structuredClone(bad));
      try {
        visitAll(document);
        diffMerchants(documentOf(whole), documentOf(document));
        diffMerchants(documentOf(document), documentOf(whole));
      } catch (error) {
        expect.unreachable(`${path.join('.')} as ${JSON.stringify(bad) ?? bad}: ${String(error)}`);
      }
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('keeps its other entries if one is not an entry, and reports an issue', () => {
    const unreadable = { code: 'unreadable', against: 'sense' };
    for (const name of ['services', 'menus', 'categories', 'itemOffers', 'items', 'optionGroups'] as const) {
      for (const bad of [null, 'text', 5, [], {}, { id: 5 }, { id: null }]) {
        const document = pizzeria();
        document[name].unshift(bad as Part);
        expect(visitAll(document)).toEqual(visitAll(pizzeria()));
        const message = 'not an object with a string id';
        expect(new Menu(documentOf(document)).issues).toContainEqual({
          ...unreadable,
          path: [name, 0],
          message,
        });
      }
      for (const bad of ['text', 5, true, {}]) {
        const { issues } = new Menu(documentOf({ ...pizzeria(), [name]: bad }));
        expect(issues).toContainEqual({ ...unreadable, path: [name], message: 'not an array' });
      }
    }
  });

  it('has no limits where limits are not numbers', () => {
    for (const limit of [null, Number.NaN, Number.POSITIVE_INFINITY, 'x', {}]) {
      const document = pizzeria();
      Object.assign(known(document.optionGroups[0]), {
        minPermitted: limit,
        maxPermitted: limit,
        options: [{ id: 'cheese', price: brl(9), maxPermitted: limit }],
      });
      const options = [{ groupId: 'crust', optionId: 'cheese', quantity: 9 }];
      const { total } = new Menu(documentOf(document)).price({ offerId: 'margherita', options });
      expect(total.value).toBe(121);
    }
  });

  it('reports an unusable price when the offer is priced', () => {
    for (const value of ['NaN', '1e400', '-1e400', '-5', '"12"', 'null', '[]', '{}', 'true']) {
      const document = pizzeria();
      const price = value === 'NaN' ? { value: Number.NaN } : (JSON.parse(`{"value":${value}}`) as Part);
      Object.assign(known(document.itemOffers[0]), { price });
      const menu = new Menu(documentOf(document));
      expect(faultsOf(() => menu.price({ offerId: 'margherita' })).map(({ code }) => code)).toEqual([
        'unusable_price',
      ]);
    }
  });
});

describe('ids and keys that every object inherits', () => {
  it('are treated like other ids and keys', () => {
    for (const id of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '']) {
      const text = JSON.stringify(pizzeria()).replaceAll(
        /"(?:delivery|menu|pizzas|margherita|pizza|crust|cheese|evenings)"/g,
        JSON.stringify(id),
      );
      const document = JSON.parse(text) as Merchant;
      const menu = new Menu(document, { timeZone: 'UTC' });
      expect(menu.issues).toEqual([]);
      expect(visitAll(document)).toHaveLength(7);
      const options = [{ groupId: id, optionId: id }];
      expect(menu.price({ offerId: id, options }).total.value).toBe(49);
      expect(diffMerchants(documentOf({}), document).itemOffers.added).toHaveLength(1);
      expect(diffMerchants(document, documentOf({})).itemOffers.removed).toHaveLength(1);
    }
    for (const id of ['__proto__', 'constructor', 'toString']) {
      const menu = new Menu(documentOf(pizzeria()));
      expect(menu.find('offer', id)).toBeUndefined();
      expect(faultsOf(() => menu.price({ offerId: id })).map(({ code }) => code)).toEqual(['unknown_offer']);
    }
  });

  it('do not pollute prototypes', () => {
    const evil = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},';
    const text = JSON.stringify(pizzeria()).replaceAll('{', evil).replaceAll(',}', '}');
    const document = JSON.parse(text) as Merchant;
    expect(visitAll(document)).toEqual(visitAll(pizzeria()));
    expect(diffMerchants(documentOf(pizzeria()), document).items.changed[0]?.paths).toContainEqual([
      '__proto__',
    ]);
    expect(({} as Part).polluted).toBeUndefined();
  });

  it('are reported as unknown in a selection', () => {
    const menu = new Menu(documentOf(pizzeria()));
    const others: unknown[] = [
      undefined,
      null,
      5,
      {},
      { toString: 1 },
      [],
      Symbol('x'),
      'x'.repeat(1_000_000),
    ];
    for (const id of others as string[]) {
      const choosing = (groupId: string) =>
        faultsOf(() => menu.price({ offerId: 'margherita', options: [{ groupId, optionId: id }] }));
      const faults = [...faultsOf(() => menu.price({ offerId: id })), ...choosing(id), ...choosing('crust')];
      expect(faults.map(({ code }) => code)).toEqual(['unknown_offer', 'unknown_group', 'unknown_option']);
      for (const { message } of faults) expect(message.length).toBeLessThan(200);
    }
  });
});

describe('a large document', () => {
  const long = 'x'.repeat(1_000_000);

  it('keeps strings of a million characters, and truncates them in messages', () => {
    const text = JSON.stringify(pizzeria()).replaceAll(
      /"(?:margherita|Margherita|BRL|evenings|08:00:00|SUM)"/g,
      `"${long}"`,
    );
    const document = JSON.parse(text) as Merchant;
    expect(visitAll(document)).toContain(long);
    const menu = new Menu(document, { timeZone: 'UTC' });
    const options = [{ groupId: 'crust', optionId: 'cheese' }];
    const faults = faultsOf(() => menu.price({ offerId: long, options }));
    expect(faults.map(({ code }) => code)).toEqual(['unknown_price_method']);
    for (const { message } of faults) expect(message.length).toBeLessThan(300);
    Object.assign(document.itemOffers[0] as object, { status: 'UNAVAILABLE' });
    for (const { message } of faultsOf(() => menu.price({ offerId: long })))
      expect(message.length).toBeLessThan(300);
  });

  it('of very many items is linked, read, compared and priced', () => {
    const size = runs(100_000, 10);
    const ids = Array.from({ length: size }, (_, at) => `o${at}`);
    const make = (value: number): Merchant =>
      documentOf({
        services: [
          { id: 's', menuId: 'm', serviceHours: { weekHours: [hoursOn(EVERY_DAY, '08:00', '22:00')] } },
        ],
        menus: [{ id: 'm' }],
        // A thousand categories, each with all offers.
        categories: Array.from({ length: 1000 }, (_, at) => ({ id: `c${at}`, index: at })),
        itemOffers: ids.map((id, at) => ({
          id,
          itemId: `i${at}`,
          index: -at,
          price: brl(at % 1000 ? 1 : value),
        })),
        items: ids.map((_, at) => ({ id: `i${at}`, name: 'x' })),
      });
    const document = make(1);
    const menu = new Menu(document, { timeZone: 'America/Sao_Paulo' });
    const [category, ...others] = known(menu.services[0]?.menu).categories;
    expect(category?.offers[0]?.id).toBe(`o${size - 1}`);
    for (const other of others) expect(other.offers).toBe(category?.offers);
    expect(menu.issues).toEqual([]);
    expect(menu.isAvailable(known(menu.find('offer', `o${size - 7}`)), AT)).toBe(true);
    expect(menu.price({ offerId: 'o5' }).total.value).toBe(1);
    const { changed, moved } = diffMerchants(document, make(2)).itemOffers;
    expect([changed.length, moved.length]).toEqual([size / 1000, 0]);
  });

  it('may have unknown fields nested ten thousand levels deep, and cyclic references', {
    tags: 'slow',
  }, () => {
    const deep = (bottom: number) =>
      JSON.parse(`${'{"a":['.repeat(10_000)}${bottom}${']}'.repeat(10_000)}`) as unknown;
    const make = (bottom: number) => {
      const document = pizzeria();
      for (const list of [document.items, document.categories, document.services])
        Object.assign(known(list[0]), { extra: deep(bottom) });
      return { ...document, extra: deep(bottom) };
    };
    expect(new Menu(documentOf(make(1))).services[0]?.menu?.categories[0]?.offers).toHaveLength(1);
    expect(new Menu(documentOf(make(1))).issues).toEqual([]);
    const changes = diffMerchants(documentOf(make(1)), documentOf(make(2)));
    expect(changes.items.changed[0]?.paths).toHaveLength(1);
    expect(changes.root).toEqual(['extra']);
    const circle = pizzeria();
    circle.categories.push({ id: 'below', parentId: 'pizzas', categoryId: ['pizzas'], itemOfferId: [] });
    Object.assign(known(circle.categories[0]), { parentId: 'below', categoryId: ['below'] });
    Object.assign(known(circle.menus[0]), { categoryId: ['pizzas', 'below'] });
    expect(visitAll(circle)).toEqual([...visitAll(pizzeria()), 'below']);
    expect(new Menu(documentOf(circle)).issues).toEqual([]);
  });
});

it('lists 200,000 issues at most', { tags: 'slow' }, () => {
  const items = Array(201_000).fill({ id: 'a' });
  expect(new Menu({ ...workedExample().merchant, items } as never).issues).toHaveLength(200_000);
});
