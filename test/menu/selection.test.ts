import { CartError, ConfigurationError, Menu } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { documentOf, pizzeria } from './documents.js';

const menu = new Menu(documentOf(pizzeria()));

describe('a price request', () => {
  it.each<[unknown, string]>([
    [null, 'request: must be an object'],
    ['o', 'request: must be an object'],
    [[], 'request: must be an object'],
    [{ offerId: 'margherita', at: 'now' }, 'at: must be epoch ms or a valid Date'],
    [{ quantiy: 2 }, 'request.quantiy: is unknown; the keys are offerId, quantity, options'],
    [{ options: null }, 'request.options: must be an array'],
    [{ options: [null] }, 'request.options[0]: must be an object'],
    [{ options: [[]] }, 'request.options[0]: must be an object'],
    [
      { options: [{}, { option: 'x' }] },
      'request.options[1].option: is unknown; the keys are groupId, optionId, quantity',
    ],
  ])('is refused as %j', (request, message) => {
    expect(() => menu.price(request as never)).toThrow(ConfigurationError);
    expect(() => menu.price(request as never)).toThrow(message);
  });

  it.each([{}, { offerId: 'o', quantity: 0, options: [] }, { offerId: 5 }, { offerId: 'o', at: 5 }])(
    'is %j: its shape is right, and its values are faults of the cart',
    (request) => {
      expect(() => menu.price(request as never)).toThrow(CartError);
    },
  );
});

describe('a cart', () => {
  it.each<[unknown, string]>([
    [null, 'cart: must be an object'],
    [{}, 'cart.items: must be an array'],
    [{ items: 'x' }, 'cart.items: must be an array'],
    [{ items: [], now: 1 }, 'cart.now: is unknown; the keys are items, at'],
    [{ items: [{}, { at: 5 }] }, 'cart.items[1].at: is unknown'],
    [{ items: [{ options: [5] }] }, 'cart.items[0].options[0]: must be an object'],
  ])('is refused as %j', (cart, message) => {
    expect(() => menu.priceCart(cart as never)).toThrow(ConfigurationError);
    expect(() => menu.priceCart(cart as never)).toThrow(message);
  });

  it('that is empty has a fault, not a wrong shape', () => {
    expect(() => menu.priceCart({ items: [] })).toThrow(CartError);
  });
});
