/** Prices carts with the menu of the embedded mock hub: two with faults, then a valid one. */
import { CartError, type CartRequest, HubClient, Menu, type ResolvedOffer } from 'opendelivery-client';
import { createMockHub } from 'opendelivery-client/testing';

const mock = createMockHub();
await using hub = new HubClient({ baseUrl: mock.baseUrl, ...mock.credentials, fetch: mock.fetch });
const { merchant } = await hub.merchant.get();
const menu = new Menu(merchant, { timeZone: 'America/Sao_Paulo' });

const offers = menu.services[0]?.menu?.categories.flatMap((category) => category.offers) ?? [];
const named = (name: string) => offers.find((offer) => offer.item.name === name) as ResolvedOffer;
const pizza = named('Margherita');
const [crust] = pizza.optionGroups;
const [filled] = crust?.options ?? [];
const chosen = { groupId: crust?.id ?? '', optionId: filled?.id ?? '' };

show('a cart with many faults', {
  items: [
    { offerId: pizza.id, quantity: 0, options: [{ ...chosen, quantity: 2 }] },
    { offerId: 'an-offer-of-last-year' },
  ],
});
show('a cart below the minimum', { items: [{ offerId: named('Guaraná').id }] });
show('two pizzas with a filled crust and a drink', {
  items: [{ offerId: pizza.id, quantity: 2, options: [chosen] }, { offerId: named('Guaraná').id }],
});

function show(title: string, cart: CartRequest): void {
  console.log(`\n${title}`);
  try {
    const { lines, total, saving } = menu.priceCart(cart);
    for (const { quantity, name, unitValue, value } of lines) {
      console.log(`  ${quantity} x ${name ?? 'options'} at ${unitValue.toFixed(2)} = ${value.toFixed(2)}`);
    }
    console.log(`  total ${total.value.toFixed(2)} ${total.currency}, saving ${saving.value.toFixed(2)}`);
  } catch (error) {
    if (!(error instanceof CartError)) throw error;
    for (const { path, message } of error.faults) console.log(`  ${path.join('.')}: ${message}`);
  }
}
