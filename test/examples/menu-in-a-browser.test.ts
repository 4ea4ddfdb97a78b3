import { createMockHub } from 'opendelivery-client/testing';
import { expect, it } from 'vitest';
import { priceInBrowser } from '../../examples/menu-in-a-browser.js';

it('examples/menu-in-a-browser.ts prices a cart, or says what is wrong with it', async () => {
  const merchant = createMockHub().merchant();
  const url = `data:application/json,${encodeURIComponent(JSON.stringify(merchant))}`;
  const [{ id: offerId }] = merchant.itemOffers as [{ id: string }];
  // Intl writes a space that does not break.
  expect(await priceInBrowser(url, { items: [{ offerId, quantity: 2 }] })).toBe('R$\u00a0109,80');
  expect(await priceInBrowser(url, { items: [] })).toBe('the cart is empty');
});
