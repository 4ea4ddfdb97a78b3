import type { OfferPrice } from 'opendelivery-client/menu';
import { element } from './element.js';
import type { Texts } from './texts.js';

/** A price, and the price before a discount. */
export function priceTag(price: OfferPrice, texts: Texts, prefix = ''): HTMLElement {
  const { value, originalValue = value, currency } = price;
  return element(
    'span',
    { className: 'price' },
    element('span', { textContent: `${prefix}${texts.money({ value, currency })}` }),
    originalValue > value &&
      element(
        's',
        {},
        element('span', { className: 'visually-hidden', textContent: ', instead of ' }),
        texts.money({ value: originalValue, currency }),
      ),
  );
}
