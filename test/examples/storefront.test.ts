import { Menu, type Merchant } from 'opendelivery-client/menu';
import { describe, expect, it } from 'vitest';
import { Cart } from '../../examples/storefront/cart.js';
import document from '../../examples/storefront/public/menu.json' with { type: 'json' };
import { Texts } from '../../examples/storefront/texts.js';

const merchant = document as Merchant;
const timeZone = 'America/Sao_Paulo';
const menu = new Menu(merchant, { timeZone });
const texts = new Texts('en', timeZone);

/** A Tuesday at lunch, and the afternoon after it. */
const LUNCH = Date.parse('2026-05-05T12:00:00-03:00');
const AFTERNOON = Date.parse('2026-05-05T16:00:00-03:00');

/** The worked example of the standard, with the entries of the page's menu. */
const EXAMPLE = {
  offerId: 'pizza-of-two-halves',
  options: [
    { groupId: 'flavors', optionId: 'flavors-margherita' },
    { groupId: 'flavors', optionId: 'flavors-calabresa' },
    { groupId: 'crust', optionId: 'crust-requeijao' },
    { groupId: 'crust', optionId: 'crust-truffle' },
    { groupId: 'extras', optionId: 'extras-olives' },
  ],
};

describe('the cart of the storefront', () => {
  it('prices the worked example of the standard, and multiplies it', () => {
    const cart = new Cart(menu);
    cart.add(EXAMPLE);
    expect(cart.quote(LUNCH).price?.total).toEqual({ value: 70.5, currency: 'BRL' });
    cart.add({ ...EXAMPLE, quantity: 2 });
    expect(cart.lines).toHaveLength(1);
    expect([cart.count, cart.quote(LUNCH).price?.total.value]).toEqual([3, 211.5]);
  });

  it('keeps other options of an offer apart, and removes a line at 0', () => {
    const cart = new Cart(menu);
    cart.add(EXAMPLE);
    cart.add({ ...EXAMPLE, options: EXAMPLE.options.slice(1) });
    const [first, second] = cart.lines.map(({ id }) => id);
    expect(first).not.toBe(second);
    cart.setQuantity(first ?? 0, 0);
    expect(cart.lines.map(({ id }) => id)).toEqual([second]);
  });

  it('says why it cannot be ordered', () => {
    const cart = new Cart(menu);
    cart.add({ offerId: 'lunch' });
    cart.add({ offerId: 'pizza-of-two-halves' });
    const faults = cart.quote(AFTERNOON).faults?.map((fault) => texts.fault(fault, menu, AFTERNOON));
    expect(faults).toEqual([
      'Lunch of the day cannot be ordered at this time.',
      'The store is closed.',
      'Flavors: choose at least 1.',
    ]);
    expect(cart.subtotal).toBeUndefined();
    const small = new Cart(menu);
    small.add({ offerId: 'water' });
    expect(small.quote(LUNCH).faults?.map((fault) => texts.fault(fault, menu, LUNCH))).toEqual([
      'The minimum order is R$30.00.',
    ]);
    small.add({ offerId: 'guarana', quantity: 2 });
    expect(small.subtotal).toEqual({ value: 23, currency: 'BRL' });
  });
});

describe('the texts of the storefront', () => {
  it('write prices and times as the locale does', () => {
    const portuguese = new Texts('pt-BR', timeZone);
    expect(texts.money({ value: 1234.5, currency: 'BRL' })).toBe('R$1,234.50');
    expect(portuguese.money({ value: 1234.5, currency: 'BRL' })).toBe('R$\u00a01.234,50');
    expect(texts.money({ value: 1200, currency: 'JPY' })).toBe('¥1,200');
    expect(texts.money({ value: 1.5, currency: 'reais' })).toBe('1.50 reais');
    expect(texts.dayAndTime(AFTERNOON)).toBe('Tue 16:00');
  });

  it('say how many options to choose, and how they are priced', () => {
    const rules = menu.find('offer', 'pizza-of-two-halves')?.optionGroups.map((group) => texts.rule(group));
    expect(rules).toEqual([
      'Choose 1 to 2 · you pay the average price',
      'Optional, up to 2 · you pay for the dearest',
      'Optional, up to 3',
    ]);
  });

  it('say why an offer is not available', () => {
    const why = (id: string, at: number) => {
      const offer = menu.find('offer', id) ?? {};
      const reason = menu.whyUnavailable(offer, at);
      return reason && texts.unavailable(reason);
    };
    expect(why('lunch', LUNCH)).toBeUndefined();
    expect(why('lunch', AFTERNOON)).toBe('Not at this time');
    expect(why('marinara', LUNCH)).toBe('Sold out');
    expect(why('pudding', LUNCH)).toBe('Sold out');
  });
});

it('the menu of the storefront has one problem, to show where problems are shown', () => {
  expect(menu.issues).toEqual([
    {
      path: ['categories', 2, 'itemOfferId', 2],
      code: 'dangling',
      message: 'itemOffers has no entry with this id',
      against: 'sense',
    },
  ]);
});
