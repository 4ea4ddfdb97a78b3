import type { Menu, ResolvedOffer, ResolvedService } from 'opendelivery-client/menu';
import { byId, element } from './element.js';
import { OfferCard } from './offer-card.js';
import type { Texts } from './texts.js';

/** The categories and offers of one service. */
export class MenuView {
  readonly #menu: Menu;
  readonly #texts: Texts;
  readonly #onChoose: (offer: ResolvedOffer) => void;
  #cards: OfferCard[] = [];

  constructor(menu: Menu, texts: Texts, onChoose: (offer: ResolvedOffer) => void) {
    this.#menu = menu;
    this.#texts = texts;
    this.#onChoose = onChoose;
    this.#showIssues();
  }

  /** Replaces the menu that is shown. */
  show(service: ResolvedService | undefined): void {
    this.#cards = [];
    const categories = service?.menu?.categories.filter(({ offers }) => offers.length > 0) ?? [];
    const sections = categories.map(({ id, name = 'Other', description, offers }) => {
      const cards = offers.map((offer) => new OfferCard(offer, this.#menu, this.#texts, this.#onChoose));
      this.#cards.push(...cards);
      const title = element('h2', { id: `category-${id}`, textContent: name });
      return element(
        'section',
        { 'aria-labelledby': title.id },
        title,
        description !== undefined && element('p', { className: 'quiet', textContent: description }),
        element('div', { className: 'offers' }, ...cards.map((card) => card.element)),
      );
    });
    byId('menu').replaceChildren(
      ...(sections.length > 0
        ? sections
        : [element('p', { textContent: 'There is nothing to order here.' })]),
    );
    byId('categories').replaceChildren(
      ...categories.map(({ id, name = 'Other' }) =>
        element('a', { href: `#category-${encodeURIComponent(id)}`, textContent: name }),
      ),
    );
  }

  /** Shows which offers can be ordered at an instant. */
  update(at: number): void {
    for (const card of this.#cards) card.update(at);
  }

  /** The problems of the document, for the store: an entry with a problem may be missing on the page. */
  #showIssues(): void {
    const { issues } = this.#menu;
    byId('issues').hidden = issues.length === 0;
    byId('issues-count').textContent =
      issues.length === 1 ? '1 problem in this menu' : `${issues.length} problems in this menu`;
    byId('issues-list').replaceChildren(
      ...issues.map(({ path, message }) =>
        element('li', {}, element('code', { textContent: path.join('.') }), ` ${message}`),
      ),
    );
  }
}
