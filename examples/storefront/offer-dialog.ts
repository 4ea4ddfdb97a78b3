import type { Menu, OfferSelection, ResolvedOffer } from 'opendelivery-client/menu';
import type { Cart, Quote } from './cart.js';
import { byId, element } from './element.js';
import { nameOf, picture } from './offer-card.js';
import { OptionField } from './option-field.js';
import { Stepper } from './stepper.js';
import type { Texts } from './texts.js';

export interface OfferDialogOptions {
  readonly menu: Menu;
  readonly cart: Cart;
  readonly texts: Texts;
  readonly at: number;
  readonly onAdd: (selection: OfferSelection) => void;
}

/** Lets the customer choose the options and the quantity of an offer. */
export class OfferDialog {
  readonly #offer: ResolvedOffer;
  readonly #options: OfferDialogOptions;
  readonly #dialog: HTMLDialogElement;
  readonly #fields: ReadonlyMap<string, OptionField>;
  readonly #stepper: Stepper;
  readonly #price = element('span');
  readonly #faults = element('p', { className: 'fault', role: 'alert', hidden: true });

  constructor(offer: ResolvedOffer, options: OfferDialogOptions) {
    this.#offer = offer;
    this.#options = options;
    const { menu, at, texts } = options;
    const onChange = () => this.#update();
    const isSoldOut = (option: object) => !menu.isAvailable(option, at);
    this.#fields = new Map(
      offer.optionGroups
        .filter((group) => menu.isAvailable(group, at))
        .map((group) => [group.id, new OptionField(group, { texts, isSoldOut, onChange })]),
    );
    this.#stepper = new Stepper({ label: 'Quantity', value: 1, min: 1, onChange });
    this.#dialog = this.#render();
    this.#update();
  }

  open(): void {
    byId('dialogs').append(this.#dialog);
    this.#dialog.showModal();
  }

  #render(): HTMLDialogElement {
    const { item } = this.#offer;
    const title = element('h2', { id: 'offer-title', textContent: nameOf(this.#offer) });
    const close = element('button', {
      type: 'button',
      className: 'close',
      textContent: '×',
      'aria-label': 'Close',
    });
    const submit = element('button', { className: 'primary' }, 'Add ', this.#price);
    const form = element(
      'form',
      {},
      element('header', {}, title, close),
      element(
        'div',
        { className: 'choices' },
        picture(item, 'MAIN'),
        item.description !== undefined && element('p', { className: 'quiet', textContent: item.description }),
        ...[...this.#fields.values()].map((field) => field.element),
      ),
      element('footer', {}, this.#faults, this.#stepper.element, submit),
    );
    const dialog = element('dialog', { className: 'offer-dialog', 'aria-labelledby': title.id }, form);
    close.onclick = () => dialog.close();
    form.onsubmit = (event) => {
      event.preventDefault();
      this.#submit();
    };
    dialog.onclick = (event) => {
      // A click on the backdrop has the dialog itself as its target.
      if (event.target === dialog) dialog.close();
    };
    dialog.onclose = () => dialog.remove();
    return dialog;
  }

  get #selection(): OfferSelection {
    const options = [...this.#fields.values()].flatMap(({ selections }) => selections);
    return { offerId: this.#offer.id, quantity: this.#stepper.value, options };
  }

  #update(): void {
    const { price } = this.#options.cart.quoteOne(this.#selection);
    this.#price.textContent = price ? this.#options.texts.money(price.total) : '';
    this.#faults.hidden = true;
  }

  #submit(): void {
    const quote = this.#options.cart.quoteOne(this.#selection);
    if (quote.faults) {
      this.#show(quote.faults);
    } else {
      this.#options.onAdd(this.#selection);
      this.#dialog.close();
    }
  }

  /** Shows each fault at its group, and what concerns no group beside the button. */
  #show(faults: NonNullable<Quote['faults']>): void {
    const { menu, texts, at } = this.#options;
    const others: string[] = [];
    let first: OptionField | undefined;
    for (const fault of faults) {
      const field = fault.groupId === undefined ? undefined : this.#fields.get(fault.groupId);
      first ??= field;
      if (field) field.fault = texts.fault(fault, menu, at);
      else others.push(texts.fault(fault, menu, at));
    }
    this.#faults.textContent = others.join(' ');
    this.#faults.hidden = others.length === 0;
    first?.focus();
  }
}
