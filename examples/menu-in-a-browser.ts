import { CartError, type CartRequest, Menu, type Merchant } from 'opendelivery-client/menu';

/** Prices a cart in the browser. `menuUrl` is where your server sends the `merchant` of `hub.merchant.get()` as JSON. */
export async function priceInBrowser(menuUrl: string, cart: CartRequest, locale = 'pt-BR'): Promise<string> {
  const response = await fetch(menuUrl);
  const merchant = (await response.json()) as Merchant;
  const menu = new Menu(merchant, { timeZone: 'America/Sao_Paulo' });
  try {
    const { value, currency } = menu.priceCart(cart).total;
    return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(value);
  } catch (error) {
    if (!(error instanceof CartError)) throw error;
    return error.faults.map(({ message }) => message).join('; ');
  }
}
