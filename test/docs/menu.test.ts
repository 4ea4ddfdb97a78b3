import { CartError, diffMerchants, Menu } from 'opendelivery-client';
import { expect, it } from 'vitest';
import { stage } from '../support.js';

async function openMenu() {
  const store = stage();
  const { merchant } = await store.hub.merchant.get();
  const menu = new Menu(merchant, { timeZone: 'America/Sao_Paulo' });
  const [delivery, takeout] = menu.services;
  const [pizza] = delivery?.menu?.categories[0]?.offers ?? [];
  if (!delivery || !takeout || !pizza) throw new Error('the fixture has changed');
  return { ...store, menu, merchant, delivery, takeout, pizza };
}

it('says why an entry is not available', async () => {
  const { menu, pizza, delivery } = await openMenu();
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  // #region hours
  const noon = new Date('2026-01-05T12:00:00-03:00');
  let why = menu.whyUnavailable(pizza, noon);
  while (why?.reason === 'parent') why = why.because; // down to the entry that is the cause
  if (why) say(`closed: ${why.reason} of ${why.kind} ${why.id}`);

  const opensAt = menu.opensAt(delivery, noon); // epoch ms, or undefined
  if (opensAt !== undefined) say(`opens ${new Date(opensAt).toISOString()}`);
  // #endregion
  expect(said).toEqual([`closed: hours of offer ${pizza.id}`, 'opens 2026-01-05T20:00:00.000Z']);
});

it('prices a cart, and names everything that is wrong with it', async () => {
  const { menu, pizza } = await openMenu();
  const offerId = pizza.id;
  const [crust] = pizza.optionGroups;
  const [filled] = crust?.options ?? [];
  const groupId = crust?.id ?? '';
  const optionId = filled?.id ?? '';
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  // #region cart
  const cart = { items: [{ offerId, quantity: 2, options: [{ groupId, optionId, quantity: 1 }] }] };
  try {
    const { total, lines, saving } = menu.priceCart(cart);
    for (const { name, quantity, value } of lines) say(`${quantity} x ${name}: ${value}`);
    say(`total ${total.value} ${total.currency}, you save ${saving.value}`);
  } catch (error) {
    if (!(error instanceof CartError)) throw error;
    for (const { path, message } of error.faults) say(`${path.join('.')}: ${message}`);
  }
  // #endregion
  expect(said).toEqual(['2 x Margherita: 109.8', '2 x Filled crust: 19.8', 'total 129.6 BRL, you save 10']);
});

it('quotes a delivery', async () => {
  const { menu, delivery } = await openMenu();
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  // #region delivery
  const quote = menu.deliveryQuote(
    delivery,
    { latitude: -23.5613, longitude: -46.6912 },
    { radiusUnit: 'm' },
  );
  if (quote.delivers) say(`${quote.price?.value} in about ${quote.estimateDeliveryTime} minutes`);
  else say(`no delivery: ${quote.reason}`);
  // #endregion
  expect(said).toEqual(['7.9 in about 40 minutes']);
});

it('keeps a table in step with the menu', async () => {
  const { hub, mock, merchant } = await openMenu();
  const table = new Map(merchant.itemOffers.map((offer) => [offer.id, offer]));
  // #region updated
  hub.merchant.on('updated', ({ changes }) => {
    const { added, removed, changed } = changes.itemOffers;
    for (const { id } of removed) table.delete(id);
    for (const offer of added) table.set(offer.id, offer);
    for (const { id, after } of changed) table.set(id, after);
  });
  // #endregion
  mock.publishMerchant((document) => {
    document.itemOffers[0].status = 'UNAVAILABLE';
    document.itemOffers.pop();
  });
  const { merchant: current } = await hub.merchant.get({ fresh: true });
  expect([...table.values()]).toEqual(current.itemOffers);
  expect(diffMerchants(merchant, current).itemOffers.changed[0]?.paths).toEqual([['status']]);
});

it('serves the last copy while the hub fails', async () => {
  const { hub, mock, clock } = await openMenu();
  mock.faults.next('merchant', 503, 4);
  const reading = hub.merchant.get({ fresh: true });
  await clock.advance('5m');
  expect(await reading).toMatchObject({ stale: 'error', issues: [] });
});
