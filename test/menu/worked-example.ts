import type { Merchant, PriceRequest } from 'opendelivery-client/menu';
import { brl, documentOf, type Part } from './documents.js';

/** The groups of the example: what each option costs, by `priceMethod`. */
const GROUPS = [
  ['AVG', 5],
  ['AVG', 10],
  ['MAX', 15],
  ['MAX', 35],
  ['SUM', 3],
] as const;

/** The worked example of the standard: 25 + (5 + 10) / 2 + 35 + 3 = 70.5. */
export function workedExample(): { merchant: Merchant; request: PriceRequest } {
  const optionGroups = GROUPS.map(
    ([priceMethod, price], at): Part => ({
      id: `g${at}`,
      index: at,
      name: `Group ${at}`,
      minPermitted: 0,
      maxPermitted: 1,
      priceMethod,
      options: [{ id: `o${at}`, itemId: 'extra', price: brl(price), maxPermitted: 1 }],
    }),
  );
  const merchant = documentOf({
    services: [{ id: 'takeout', serviceType: 'TAKEOUT', menuId: 'menu' }],
    menus: [{ id: 'menu', categoryId: ['dishes'] }],
    categories: [{ id: 'dishes', itemOfferId: ['dish'] }],
    itemOffers: [
      { id: 'dish', itemId: 'item', price: brl(25), optionGroupsId: optionGroups.map(({ id }) => id) },
    ],
    items: [
      { id: 'item', name: 'Dish' },
      { id: 'extra', name: 'Extra' },
    ],
    optionGroups,
  });
  const options = GROUPS.map((_, at) => ({ groupId: `g${at}`, optionId: `o${at}` }));
  return { merchant, request: { offerId: 'dish', options } };
}
