import { ConfigurationError } from 'opendelivery-client';
import { describe, expect, it } from 'vitest';
import { checkCart, checkSelection } from '../../src/menu/selection.js';

describe('a selection', () => {
  it('may have an offer, a quantity and options; their values are checked with the menu', () => {
    for (const selection of [
      {},
      { offerId: 'o', quantity: 0, options: [] },
      { offerId: 5, options: [{ groupId: 'g', optionId: 'o', quantity: -1 }] },
      { offerId: 'o', options: undefined },
    ]) {
      expect(() => checkSelection(selection, 'request')).not.toThrow();
    }
    expect(() => checkSelection({ at: 5 }, 'request', ['at'])).not.toThrow();
  });

  it.each<[unknown, string]>([
    [null, 'request: must be an object'],
    ['o', 'request: must be an object'],
    [{ quantiy: 2 }, 'request.quantiy: is unknown; the keys are offerId, quantity, options'],
    [{ at: 5 }, 'request.at: is unknown'],
    [{ options: null }, 'request.options: must be an array'],
    [{ options: [null] }, 'request.options[0]: must be an object'],
    [
      { options: [{}, { option: 'x' }] },
      'request.options[1].option: is unknown; the keys are groupId, optionId, quantity',
    ],
  ])('is refused as %j', (selection, message) => {
    expect(() => checkSelection(selection, 'request')).toThrow(ConfigurationError);
    expect(() => checkSelection(selection, 'request')).toThrow(message);
  });
});

describe('a cart', () => {
  it.each<[unknown, string]>([
    [null, 'cart: must be an object'],
    [{}, 'cart.items: must be an array'],
    [{ items: [], now: 1 }, 'cart.now: is unknown; the keys are items, at'],
    [{ items: [{}, { at: 5 }] }, 'cart.items[1].at: is unknown'],
    [{ items: [{ options: [5] }] }, 'cart.items[0].options[0]: must be an object'],
  ])('is refused as %j', (cart, message) => {
    expect(() => checkCart(cart)).toThrow(message);
  });

  it('may be empty; that is a fault, not a wrong shape', () => {
    expect(() => checkCart({ items: [], at: 5 })).not.toThrow();
  });
});
