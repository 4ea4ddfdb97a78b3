import * as fc from 'fast-check';
import { Menu, type OfferSelection } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { runs } from '../runs.js';
import { brl, documentOf, EVERY_DAY, faultsOf, hoursOn, known, type Part, sold } from './documents.js';
import { workedExample } from './worked-example.js';

const group = (id: string, priceMethod: string | undefined, prices: readonly number[], more: Part = {}) => ({
  id,
  name: id,
  index: 0,
  ...(priceMethod && { priceMethod }),
  options: prices.map((value, at) => ({ id: `${id}${at}`, index: at, price: brl(value) })),
  ...more,
});

/** A menu with the offers `dish`, which has these groups, and `drink`, which has none. */
function menuOf(value: number, groups: readonly Part[] = [], more: Part = {}, document: Part = {}) {
  const dish = sold('dish', value, { optionGroupsId: groups.map(({ id }) => id), ...more });
  const drink = sold('drink', 5);
  return new Menu(
    documentOf({
      itemOffers: [dish.offer, drink.offer],
      items: [dish.item, drink.item],
      optionGroups: groups,
      ...document,
    }),
    { timeZone: 'UTC' },
  );
}

/** `a0`, `a1`, `b0`: the first option of group a, and so on. */
const pick = (...ids: readonly string[]) =>
  ids.map((optionId) => ({ groupId: optionId.slice(0, 1), optionId }));
const totalOf = (menu: Menu, ...ids: readonly string[]) =>
  menu.price({ offerId: 'dish', options: pick(...ids) }).total.value;
/** The faults of a price, each with its path. */
const codesOf = (price: () => unknown) =>
  faultsOf(price)
    .map(({ code, path }) => [code, ...path].join(' '))
    .join(', ');
const codesIn = (menu: Menu, ...ids: readonly string[]) => codesOf(() => totalOf(menu, ...ids));
const cartCodesIn = (menu: Menu, ...items: readonly OfferSelection[]) =>
  codesOf(() => menu.priceCart({ items }));

describe('the price of an offer', () => {
  it("is 70.5 in the standard's worked example", () => {
    const { merchant, request } = workedExample();
    const { total, lines, saving } = new Menu(merchant).price(request);
    expect(total).toEqual({ value: 70.5, currency: 'BRL' });
    expect(saving).toEqual({ value: 0, currency: 'BRL' });
    const each = { offerId: 'dish', quantity: 1 };
    const extra = { ...each, name: 'Extra' };
    expect(lines).toEqual([
      { ...each, kind: 'offer', groupIds: [], name: 'Dish', unitValue: 25, value: 25 },
      { ...extra, kind: 'SUM', groupIds: ['g4'], optionId: 'o4', unitValue: 3, value: 3 },
      { ...extra, kind: 'MAX', groupIds: ['g2', 'g3'], optionId: 'o3', unitValue: 35, value: 35 },
      { ...each, kind: 'AVG', groupIds: ['g0', 'g1'], unitValue: 7.5, value: 7.5 },
    ]);
  });

  it('uses the largest option of all MAX groups and the average of all AVG groups', () => {
    expect(totalOf(menuOf(0, [group('a', 'MAX', [40, 52, 44])]), 'a0', 'a1', 'a2')).toBe(52);
    expect(totalOf(menuOf(0, [group('a', 'AVG', [40, 52])]), 'a0', 'a1')).toBe(46);
    expect(totalOf(menuOf(0, [group('a', 'AVG', [40, 52]), group('b', 'AVG', [10])]), 'a0', 'a1', 'b0')).toBe(
      34,
    );
    expect(totalOf(menuOf(0, [group('a', 'MAX', [40, 52]), group('b', 'MAX', [60])]), 'a1', 'b0')).toBe(60);
    expect(totalOf(menuOf(7, [group('a', 'AVG', [40]), group('b', 'MAX', [60])]))).toBe(7);
  });

  it('is exact in cases where floats are not', () => {
    expect(totalOf(menuOf(0.1, [group('a', 'SUM', [0.2])]), 'a0')).toBe(0.3);
    expect(menuOf(1.0049).price({ offerId: 'dish', quantity: 3 }).total.value).toBe(3.0147);
    expect(menuOf(15.899999999999999).price({ offerId: 'dish', quantity: 10 }).total.value).toBe(159);
    expect(menuOf(0.00005).price({ offerId: 'dish' }).total.value).toBe(0.0001);
    expect(menuOf(0.00004999).price({ offerId: 'dish' }).total.value).toBe(0);
    expect(menuOf(0.00000009).price({ offerId: 'dish' }).total.value).toBe(0);
    expect(menuOf(1.99995).price({ offerId: 'dish' }).total.value).toBe(2);
    expect(menuOf(-0).price({ offerId: 'dish' }).total.value).toBe(0);
    expect(menuOf(999_999_999.9999).price({ offerId: 'dish' }).total.value).toBe(999_999_999.9999);
  });

  it('multiplies options by their quantity, and everything by the quantity of the offer', () => {
    const menu = menuOf(10, [group('a', 'SUM', [1.5, 2])]);
    const { total, lines } = menu.price({
      offerId: 'dish',
      quantity: 3,
      options: [{ groupId: 'a', optionId: 'a0', quantity: 2 }, ...pick('a1')],
    });
    expect(total.value).toBe(45);
    expect(lines.map(({ quantity, unitValue, value }) => [quantity, unitValue, value])).toEqual([
      [3, 10, 30],
      [6, 1.5, 9],
      [3, 2, 6],
    ]);
  });

  it('has the currency of the offer, or BRL if it has none', () => {
    const of = (price: Part) => menuOf(1, [], { price }).price({ offerId: 'dish' }).total;
    expect(of({ value: 1200, currency: 'CLP' })).toEqual({ value: 1200, currency: 'CLP' });
    expect(of({ value: 0.125, currency: 'KWD' })).toEqual({ value: 0.125, currency: 'KWD' });
    expect(of({ value: 3 })).toEqual({ value: 3, currency: 'BRL' });
    expect(of({ value: 3, currency: null })).toEqual({ value: 3, currency: 'BRL' });
  });

  it('uses SUM without a priceMethod, and 0 for an option without a price', () => {
    const options = [{ id: 'a0' }, { id: 'a1', price: null }, { id: 'a2', price: brl(2) }];
    expect(totalOf(menuOf(10, [{ id: 'a', options }]), 'a0', 'a1', 'a2')).toBe(12);
    expect(totalOf(menuOf(10, [{ id: 'a', priceMethod: null, options }]), 'a2')).toBe(12);
  });

  it('computes the saving in the same way', () => {
    const options = [
      { id: 'a0', price: brl(10, 12) },
      { id: 'a1', price: brl(4, 20) },
    ];
    const savingOf = (method: string, quantity = 1) =>
      menuOf(0, [{ id: 'a', priceMethod: method, options }], { price: brl(40, 45.5) }).price({
        offerId: 'dish',
        quantity,
        options: pick('a0', 'a1'),
      }).saving.value;
    expect([savingOf('SUM'), savingOf('MAX'), savingOf('AVG'), savingOf('SUM', 2)]).toEqual([
      23.5, 15.5, 14.5, 47,
    ]);
    const withoutDiscount = [brl(40, 39), brl(40, 0), brl(40, -1), brl(40), brl(40, Number.NaN)];
    for (const price of withoutDiscount)
      expect(menuOf(0, [], { price }).price({ offerId: 'dish' }).saving.value).toBe(0);
  });

  it('checks hours only with an instant, and statuses always', () => {
    const document = { availabilities: [{ id: 'a', hours: [hoursOn(EVERY_DAY, '10:00', '12:00')] }] };
    const menu = menuOf(10, [], { availabilityId: ['a'] }, document);
    const at = (hour: number) => Date.UTC(2026, 0, 5, hour);
    expect(menu.price({ offerId: 'dish' }).total.value).toBe(10);
    expect(menu.price({ offerId: 'dish', at: at(11) }).total.value).toBe(10);
    expect(codesOf(() => menu.price({ offerId: 'dish', at: new Date(at(13)) }))).toBe('closed');
    expect(codesOf(() => menu.priceCart({ items: [{ offerId: 'dish' }], at: at(13) }))).toBe(
      'closed items 0',
    );
    const off = menuOf(10, [], { status: 'UNAVAILABLE', availabilityId: ['a'] }, document);
    expect(codesOf(() => off.price({ offerId: 'dish' }))).toBe('unavailable_offer');
    expect(codesOf(() => off.price({ offerId: 'dish', at: at(11) }))).toBe('unavailable_offer');
    expect(codesOf(() => off.price({ offerId: 'dish', at: at(13) }))).toBe('unavailable_offer, closed');
  });

  it('tells hours from statuses in what the offer belongs to', () => {
    const off = { status: 'UNAVAILABLE' };
    const service = (id: string, startTime: string, endTime: string, more: Part) => ({
      id,
      menuId: 'm',
      serviceHours: { weekHours: [hoursOn(EVERY_DAY, startTime, endTime)] },
      ...more,
    });
    const codesAt = (hour: number, dish: Part, dinner: Part) => {
      const menu = menuOf(10, [], dish, {
        services: [service('lunch', '11:00', '15:00', {}), service('dinner', '18:00', '22:00', dinner)],
        menus: [{ id: 'm', name: 'm', categoryId: ['c'] }],
        categories: [{ id: 'c', index: 0, name: 'c', itemOfferId: ['dish'] }],
      });
      return codesOf(() => menu.price({ offerId: 'dish', at: Date.UTC(2026, 0, 5, hour) }));
    };
    expect(codesAt(19, {}, {})).toBe('');
    expect(codesAt(12, {}, off)).toBe('');
    expect(codesAt(19, {}, off)).toBe('closed');
    expect(codesAt(19, off, {})).toBe('unavailable_offer');
    expect(codesAt(16, off, {})).toBe('unavailable_offer, closed');
  });
});

describe('a cart with a fault', () => {
  const limited = group('a', 'SUM', [1, 2, 3], { minPermitted: 1, maxPermitted: 2 });

  it('may have too few or too many options of a group, or too many of one option', () => {
    const menu = menuOf(10, [limited]);
    expect(codesOf(() => menu.price({ offerId: 'dish' }))).toBe('too_few_options options');
    expect(totalOf(menu, 'a0')).toBe(11);
    expect(totalOf(menu, 'a0', 'a0')).toBe(12);
    expect(codesIn(menu, 'a0', 'a1', 'a2')).toBe('too_many_options options');
    const twice = { groupId: 'a', optionId: 'a0', quantity: 3 };
    expect(codesOf(() => menu.price({ offerId: 'dish', options: [twice] }))).toBe('too_many_options options');
    const [option] = limited.options;
    const one = menuOf(10, [{ ...limited, options: [{ ...option, maxPermitted: 1 }] }]);
    expect(totalOf(one, 'a0')).toBe(11);
    expect(codesIn(one, 'a0', 'a0')).toBe('too_many_of_option options 0');
    const any = menuOf(10, [
      group('a', 'SUM', [1]),
      { ...limited, id: 'b', options: one.find('optionGroup', 'a')?.source.options },
    ]);
    const path = [...pick('a0'), { groupId: 'b', optionId: 'a0', quantity: 2 }];
    expect(codesOf(() => any.price({ offerId: 'dish', options: path }))).toBe('too_many_of_option options 1');
  });

  it('may name entries that are unknown or unavailable', () => {
    const off = { status: 'Unavailable ' };
    const options = [
      { id: 'a0', price: brl(1), ...off },
      { id: 'a1', itemId: 'gone', price: brl(1) },
    ];
    const items = [{ id: 'item-dish' }, { id: 'item-drink' }, { id: 'gone', ...off }];
    const menu = menuOf(10, [{ id: 'a', options }], {}, { items });
    expect(codesIn(menu, 'a0')).toBe('unavailable_option options 0');
    expect(codesIn(menu, 'a1')).toBe('unavailable_option options 0');
    expect(codesIn(menu, 'a7', 'x0')).toBe('unknown_option options 0, unknown_group options 1');
    expect(codesOf(() => menu.price({ offerId: 'drink', options: pick('a1') }))).toBe(
      'unknown_group options 0',
    );
    expect(codesOf(() => menu.price({ offerId: 'x' }))).toBe('unknown_offer offerId');
    expect(codesIn(menuOf(10, [{ ...limited, ...off, minPermitted: 0 }]), 'a0')).toBe(
      'unavailable_group options',
    );
    expect(codesIn(menuOf(10, [group('a', 'MIN', [1])]), 'a0')).toBe('unknown_price_method options');
    expect(totalOf(menuOf(10, [group('a', 'MIN', [1])]))).toBe(10);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '2', null])(
    'may have the quantity %s',
    (quantity) => {
      const menu = menuOf(10, [limited]);
      const options = [{ groupId: 'a', optionId: 'a0', quantity: quantity as number }];
      const expected = 'invalid_quantity quantity, invalid_quantity options 0 quantity';
      expect(codesOf(() => menu.price({ offerId: 'dish', quantity: quantity as number, options }))).toBe(
        expected,
      );
      expect(codesOf(() => menu.price({ offerId: 'x', quantity: quantity as number, options }))).toBe(
        `unknown_offer offerId, ${expected}`,
      );
    },
  );

  it.each([-1, -0.0001, Number.NaN, Number.POSITIVE_INFINITY, 1e15, '5', null, undefined])(
    'may have an offer with the price %s',
    (value) => {
      const menu = menuOf(10, [group('a', 'SUM', [value as number])], { price: { value } });
      expect(codesIn(menu, 'a0')).toBe('unusable_price, unusable_price options 0');
    },
  );

  it('may mix currencies', () => {
    const price = { value: 1, currency: 'EUR' };
    const menu = menuOf(10, [{ id: 'a', options: [{ id: 'a0', price }] }]);
    expect(codesIn(menu, 'a0')).toBe('currency_mismatch options 0');
    const euro = menuOf(10, [], { price });
    const items = [{ offerId: 'dish' }, { offerId: 'drink' }];
    expect(cartCodesIn(euro, ...items)).toBe('currency_mismatch items');
    expect(cartCodesIn(euro, ...items, { offerId: 'x' })).toBe(
      'unknown_offer items 2 offerId, currency_mismatch items',
    );
  });

  it('lists every fault at once, each with its path', () => {
    const off = { status: 'UNAVAILABLE' };
    const groups = [
      { ...limited, options: [{ id: 'a0', price: { value: -1, currency: 'EUR' }, maxPermitted: 1, ...off }] },
      { ...group('b', 'MIN', [1]), ...off },
      group('c', 'SUM', [1], { minPermitted: 1, maxPermitted: 1 }),
    ];
    const menu = menuOf(-1, groups, off);
    const items: OfferSelection[] = [
      { offerId: 'x' },
      { offerId: 'drink', quantity: 0 },
      {
        offerId: 'dish',
        quantity: 0,
        options: [...pick('a0', 'a0', 'a0', 'a9', 'z0'), { groupId: 'b', optionId: 'b0', quantity: 0 }],
      },
    ];
    const faults = faultsOf(() => menu.priceCart({ items }));
    expect(faults.map(({ code, path }) => [code, ...path].join(' ')).sort()).toEqual(
      [
        'unknown_offer items 0 offerId',
        'invalid_quantity items 1 quantity',
        'unavailable_offer items 2',
        'invalid_quantity items 2 quantity',
        'unusable_price items 2',
        'unknown_option items 2 options 3',
        'unknown_group items 2 options 4',
        'invalid_quantity items 2 options 5 quantity',
        'unavailable_option items 2 options 0',
        'too_many_of_option items 2 options 0',
        'unusable_price items 2 options 0',
        'currency_mismatch items 2 options 0',
        'too_many_options items 2 options',
        'unavailable_group items 2 options',
        'unknown_price_method items 2 options',
        'too_few_options items 2 options',
      ].sort(),
    );
    const found = (wanted: string) => faults.find(({ code }) => code === wanted);
    expect(found('too_few_options')).toMatchObject({ offerId: 'dish', groupId: 'c' });
    expect(found('unavailable_option')).toMatchObject({
      offerId: 'dish',
      groupId: 'a',
      optionId: 'a0',
      message: "option 'a0' of group 'a' is not available",
    });
  });

  it('causes a HubError with the first fault and the number of others in its message', () => {
    const price = () => menuOf(10, [limited]).priceCart({ items: [{ offerId: 'dish' }, { offerId: 'x' }] });
    expect(price).toThrow(expect.objectContaining({ code: 'cart' }));
    expect(price).toThrow(/too few options of group 'a': 0, at least 1 required, and 1 more$/);
  });
});

describe('the price of a cart', () => {
  const withMinimum = (minOrderValue: unknown) => menuOf(10, [], {}, { basicInfo: { minOrderValue } });
  const items = [{ offerId: 'dish', quantity: 2 }, { offerId: 'drink' }];

  it('is the sum of its offers, with all their lines', () => {
    const { total, lines } = menuOf(10).priceCart({ items });
    expect(total).toEqual({ value: 25, currency: 'BRL' });
    expect(lines.map(({ offerId, value }) => [offerId, value])).toEqual([
      ['dish', 20],
      ['drink', 5],
    ]);
  });

  it('must reach minOrderValue', () => {
    expect(withMinimum(brl(25)).priceCart({ items }).total.value).toBe(25);
    expect(cartCodesIn(withMinimum(brl(25.0001)), ...items)).toBe('below_minimum items');
    expect(withMinimum(brl(100)).price({ offerId: 'dish' }).total.value).toBe(10);
    for (const minimum of [undefined, null, {}, 'x', brl(-1), brl(Number.NaN)])
      expect(withMinimum(minimum).priceCart({ items }).total.value).toBe(25);
    // The minimum is not checked if an offer has a fault.
    const withFault = (offer: OfferSelection) =>
      cartCodesIn(withMinimum(brl(25)), offer, { offerId: 'drink' });
    expect(withFault({ offerId: 'dish', quantity: 0 })).toBe('invalid_quantity items 0 quantity');
    expect(withFault({ offerId: 'dish', options: pick('x0') })).toBe('unknown_group items 0 options 0');
    expect(withFault({ offerId: 'x' })).toBe('unknown_offer items 0 offerId');
    expect(cartCodesIn(withMinimum({ value: 1, currency: 'USD' }), ...items)).toBe('currency_mismatch items');
  });

  it('cannot be computed for an empty cart', () => {
    expect(cartCodesIn(menuOf(10))).toBe('empty items');
    expect(cartCodesIn(withMinimum(brl(5)))).toBe('empty items');
  });
});

describe('any price', () => {
  const tenThousandths = fc.oneof(
    fc.integer({ min: 0, max: 99_999 }),
    fc.integer({ min: 0, max: 9_999_999 }),
  );
  const anyOption = fc.record({
    price: tenThousandths,
    more: fc.integer({ min: -500, max: 5000 }),
    quantity: fc.integer({ min: 0, max: 4 }),
  });
  const anyCase = fc.record({
    base: tenThousandths,
    quantity: fc.integer({ min: 1, max: 9 }),
    groups: fc.array(
      fc.record({
        method: fc.constantFrom('SUM', 'MAX', 'AVG'),
        options: fc.array(anyOption, { minLength: 1, maxLength: 4 }),
      }),
      { maxLength: 5 },
    ),
    shuffle: fc.infiniteStream(fc.nat()),
  });
  type Case = typeof anyCase extends fc.Arbitrary<infer Value> ? Value : never;

  const menuOfCase = ({ base, groups }: Case) =>
    menuOf(
      base / 10_000,
      groups.map(({ method, options }, at) => ({
        id: `g${at}`,
        index: at,
        priceMethod: method,
        options: options.map(({ price, more }, place) => ({
          id: `o${place}`,
          index: place,
          price: brl(price / 10_000, (price + more) / 10_000),
        })),
      })),
    );
  const chosenIn = ({ groups }: Case) =>
    groups.flatMap(({ options }, at) =>
      options.flatMap(({ quantity }, place) =>
        quantity > 0 ? [{ groupId: `g${at}`, optionId: `o${place}`, quantity }] : [],
      ),
    );

  /** The rule of the standard, computed in integers of ten-thousandths. */
  function reference({ base, quantity, groups }: Case, isOriginal = false): number {
    const prices = (method: string) =>
      groups
        .filter((each) => each.method === method)
        .flatMap(({ options }) =>
          options.flatMap(({ price, more, quantity: times }) =>
            Array<number>(times).fill(price + (isOriginal && more > 0 ? more : 0)),
          ),
        );
    const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
    const averaged = prices('AVG');
    const average =
      averaged.length === 0 ? 0 : Math.floor((2 * sum(averaged) + averaged.length) / (2 * averaged.length));
    return quantity * (base + sum(prices('SUM')) + Math.max(0, ...prices('MAX')) + average);
  }

  it('equals the integer computation in any order of the options, and the sum of its lines', () => {
    fc.assert(
      fc.property(anyCase, (drawn) => {
        const menu = menuOfCase(drawn);
        const { quantity } = drawn;
        const options = chosenIn(drawn);
        const price = menu.price({ offerId: 'dish', quantity, options });
        const expected = reference(drawn);
        expect(price.total.value).toBe(expected / 10_000);
        expect(price.saving.value).toBe((reference(drawn, true) - expected) / 10_000);
        const lines = price.lines.map(({ value }) => Math.round(value * 10_000));
        expect(price.lines.map(({ value }) => value)).toEqual(lines.map((value) => value / 10_000));
        expect(lines.reduce((all, value) => all + value, 0)).toBe(expected);
        for (const { value, unitValue, quantity: times } of price.lines) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(Math.round(unitValue * 10_000) * times).toBe(Math.round(value * 10_000));
        }
        const keys = new Map(options.map((each) => [each, known(drawn.shuffle.next().value as number)]));
        const shuffled = [...options].sort((one, other) => known(keys.get(one)) - known(keys.get(other)));
        expect(menu.price({ offerId: 'dish', quantity, options: shuffled })).toEqual(price);
        const cart = menu.priceCart({
          items: [{ offerId: 'dish', quantity, options }, { offerId: 'drink' }],
        });
        expect(cart.total.value).toBe((expected + 50_000) / 10_000);
      }),
      { seed: 4, numRuns: runs(400) },
    );
  });
});
