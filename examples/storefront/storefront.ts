/** A storefront in the browser: it shows the menu of `menu.json` and prices a cart. No part of it talks to a hub. */
import { Menu, type Merchant, type OfferSelection, type ResolvedOffer } from 'opendelivery-client/menu';
import { Cart } from './cart.js';
import { CartView } from './cart-view.js';
import { byId } from './element.js';
import { MenuView } from './menu-view.js';
import { nameOf } from './offer-card.js';
import { OfferDialog } from './offer-dialog.js';
import { StoreHeader } from './store-header.js';
import { Texts } from './texts.js';

/** How often the page looks whether the store has opened or closed. */
const REFRESH_MS = 30_000;

/** The page says where its menu is and in which time zone the store is. */
const { menu: url = 'menu.json', timeZone } = byId('storefront').dataset;

async function load(): Promise<Merchant> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP status ${response.status}`);
  return response.json();
}

function show(merchant: Merchant): void {
  const menu = new Menu(merchant, timeZone === undefined ? {} : { timeZone });
  const texts = new Texts(document.documentElement.lang, timeZone);
  const cart = new Cart(menu);
  let [service] = menu.services;

  const update = () => {
    const now = Date.now();
    header.update(service, now);
    menuView.update(now);
    cartView.update(now);
  };
  const add = (selection: OfferSelection) => {
    cart.add(selection);
    update();
    const offer = menu.find('offer', selection.offerId);
    byId('announcement').textContent = offer ? `${nameOf(offer)} is in your order.` : '';
  };
  const choose = (offer: ResolvedOffer) => {
    if (offer.optionGroups.length === 0) return add({ offerId: offer.id });
    new OfferDialog(offer, { menu, cart, texts, at: Date.now(), onAdd: add }).open();
  };
  const header = new StoreHeader(menu, texts, (chosen) => {
    service = chosen;
    menuView.show(service);
    update();
  });
  const menuView = new MenuView(menu, texts, choose);
  const cartView = new CartView(menu, cart, texts);
  byId('checkout').onclick = () => {
    const { price } = cart.quote(Date.now());
    // Here a shop asks for the address and the payment.
    if (price) byId('announcement').textContent = `You would now pay ${texts.money(price.total)}.`;
  };
  menuView.show(service);
  update();
  byId('storefront').hidden = false;
  byId('loading').hidden = true;
  setInterval(update, REFRESH_MS);
  document.addEventListener('visibilitychange', update);
}

load()
  .then(show)
  .catch((error: unknown) => {
    console.error(error);
    byId('loading').textContent = 'The menu cannot be loaded. Please try again later.';
  });
