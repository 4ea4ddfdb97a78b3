import type { Menu, ResolvedItem, ResolvedOffer } from 'opendelivery-client/menu';
import { element } from './element.js';
import { priceTag } from './price-tag.js';
import { isOfStore, type Texts } from './texts.js';

export const nameOf = ({ item }: ResolvedOffer): string => item.name ?? 'Item without a name';

/** One offer of the menu: its button adds it, or opens the dialog in which its options are chosen. */
export class OfferCard {
  readonly element: HTMLElement;
  readonly #offer: ResolvedOffer;
  readonly #menu: Menu;
  readonly #texts: Texts;
  readonly #button: HTMLButtonElement;
  readonly #badge = element('span', { className: 'badge' });

  constructor(offer: ResolvedOffer, menu: Menu, texts: Texts, onChoose: (offer: ResolvedOffer) => void) {
    this.#offer = offer;
    this.#menu = menu;
    this.#texts = texts;
    const { item, optionGroups } = offer;
    const mustChoose = optionGroups.some(({ minPermitted = 0 }) => minPermitted > 0);
    this.#button = element(
      'button',
      { type: 'button', onclick: () => onChoose(offer) },
      optionGroups.length > 0 ? 'Choose' : 'Add',
      element('span', { className: 'visually-hidden', textContent: ` ${nameOf(offer)}` }),
    );
    this.element = element(
      'article',
      { className: 'offer' },
      element('h3', { textContent: nameOf(offer) }),
      item.description !== undefined && element('p', { className: 'quiet', textContent: item.description }),
      element('p', {}, priceTag(offer.price, texts, mustChoose ? 'from ' : ''), ' ', this.#badge),
      this.#button,
      picture(item, 'THUMB'),
    );
  }

  /** Shows whether the offer can be ordered at an instant. A closed store is shown once, in the header. */
  update(at: number): void {
    const why = this.#menu.whyUnavailable(this.#offer, at);
    const text = why && !isOfStore(why) ? this.#texts.unavailable(why) : undefined;
    this.#badge.textContent = text ?? '';
    this.#badge.hidden = text === undefined;
    this.#button.hidden = text !== undefined;
    this.element.classList.toggle('unavailable', text !== undefined);
  }
}

/** The picture of an item in one of its two sizes, if it has any; it disappears if it cannot be loaded. */
export function picture({ pictures }: ResolvedItem, size: 'MAIN' | 'THUMB'): HTMLElement | undefined {
  const { URL: src } = pictures.find(({ type }) => type === size) ?? pictures[0] ?? {};
  if (src === undefined) return undefined;
  const image = element('img', { alt: '', loading: 'lazy', referrerPolicy: 'no-referrer', src });
  image.onerror = () => image.remove();
  return image;
}
