import type { Menu, Price } from 'opendelivery-client/menu';
import type { Cart, CartLine } from './cart.js';
import { byId, element } from './element.js';
import { nameOf } from './offer-card.js';
import { Stepper } from './stepper.js';
import type { Texts } from './texts.js';

/** The cart beside the menu, and the bar that leads to it on a narrow screen. */
export class CartView {
  readonly #menu: Menu;
  readonly #cart: Cart;
  readonly #texts: Texts;
  /** The elements of the lines by id, so that a change of a quantity keeps the focus. */
  readonly #lines = new Map<number, LineView>();

  constructor(menu: Menu, cart: Cart, texts: Texts) {
    this.#menu = menu;
    this.#cart = cart;
    this.#texts = texts;
  }

  /** Shows the cart with its price at an instant. */
  update(at: number): void {
    const { lines, count } = this.#cart;
    this.#updateLines(lines);
    const { price, faults = [] } = this.#cart.quote(at);
    const texts = new Set(faults.map((fault) => this.#texts.fault(fault, this.#menu, at)));
    const isEmpty = count === 0;
    byId('cart-empty').hidden = !isEmpty;
    byId('cart-sum').hidden = isEmpty;
    byId('cart-faults').replaceChildren(
      ...(isEmpty ? [] : [...texts].map((textContent) => element('li', { textContent }))),
    );
    const total = price?.total ?? this.#cart.subtotal;
    byId('total').textContent = total ? this.#texts.money(total) : '–';
    const saving = price && price.saving.value > 0 ? `You save ${this.#texts.money(price.saving)}` : '';
    byId('saving').textContent = saving;
    byId('checkout').setAttribute('aria-disabled', String(!price));
    byId('cart-bar').hidden = isEmpty;
    const items = count === 1 ? '1 item' : `${count} items`;
    byId('cart-bar').textContent = total ? `${items} · ${this.#texts.money(total)}` : items;
  }

  #updateLines(lines: readonly CartLine[]): void {
    for (const [id, view] of this.#lines) {
      if (lines.some((line) => line.id === id)) continue;
      const hadFocus = view.element.contains(document.activeElement);
      view.element.remove();
      this.#lines.delete(id);
      if (hadFocus) byId('cart-title').focus();
    }
    for (const line of lines) {
      let view = this.#lines.get(line.id);
      if (!view) {
        view = new LineView(line, this.#menu, this.#texts, (quantity) => {
          this.#cart.setQuantity(line.id, quantity);
          byId('announcement').textContent = '';
          this.update(Date.now());
        });
        this.#lines.set(line.id, view);
        byId('cart-lines').append(view.element);
      }
      view.update(line, this.#cart.quoteOne(line.selection).price);
    }
  }
}

/** One line of the cart: the offer, the chosen options, the quantity and the price. */
class LineView {
  readonly element: HTMLElement;
  readonly #texts: Texts;
  readonly #stepper: Stepper;
  readonly #value = element('strong');
  readonly #parts = element('ul');
  readonly #details = element(
    'details',
    {},
    element('summary', { textContent: 'Price details' }),
    this.#parts,
  );

  constructor({ selection }: CartLine, menu: Menu, texts: Texts, onChange: (quantity: number) => void) {
    this.#texts = texts;
    const offer = menu.find('offer', selection.offerId);
    const name = offer ? nameOf(offer) : selection.offerId;
    const options = (selection.options ?? []).map(({ groupId, optionId, quantity = 1 }) => {
      const group = menu.find('optionGroup', groupId);
      const option = group?.options.find(({ id }) => id === optionId);
      return `${quantity > 1 ? `${quantity} × ` : ''}${option?.item?.name ?? optionId}`;
    });
    this.#stepper = new Stepper({ label: name, value: selection.quantity, min: 0, onChange });
    this.element = element(
      'li',
      {},
      element('h3', { textContent: name }),
      this.#value,
      options.length > 0 && element('p', { className: 'quiet', textContent: options.join(', ') }),
      options.length > 0 && this.#details,
      this.#stepper.element,
    );
  }

  update({ selection }: CartLine, price: Price | undefined): void {
    this.#stepper.value = selection.quantity;
    this.#value.textContent = price ? this.#texts.money(price.total) : '–';
    const currency = price?.total.currency ?? '';
    this.#parts.replaceChildren(
      ...(price?.lines ?? []).map(({ kind, name, quantity, value }) => {
        const text = `${quantity > 1 ? `${quantity} × ` : ''}${KINDS[kind] ?? ''}${name ?? ''}`;
        const amount = element('span', { textContent: this.#texts.money({ value, currency }) });
        return element('li', {}, element('span', { textContent: text }), amount);
      }),
    );
  }
}

/** What the line of a price says before its name. */
const KINDS: Readonly<Record<string, string>> = { MAX: 'Dearest: ', AVG: 'Average of the options' };
