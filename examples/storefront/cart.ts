import {
  CartError,
  type CartFault,
  type Menu,
  type Money,
  type OfferSelection,
  type Price,
} from 'opendelivery-client/menu';

/** One line of the cart. Its id stays the same while its quantity changes. */
export interface CartLine {
  readonly id: number;
  readonly selection: OfferSelection & { readonly quantity: number };
}

/** A price, or the reasons why it cannot be computed. */
export type Quote =
  | { readonly price: Price; readonly faults?: undefined }
  | { readonly price?: undefined; readonly faults: readonly CartFault[] };

/** What a customer has chosen. The menu computes every price. */
export class Cart {
  readonly #menu: Menu;
  #lines: readonly CartLine[] = [];
  #lastId = 0;

  constructor(menu: Menu) {
    this.#menu = menu;
  }

  get lines(): readonly CartLine[] {
    return this.#lines;
  }

  /** How many offers are in the cart. */
  get count(): number {
    return this.#lines.reduce((sum, { selection }) => sum + selection.quantity, 0);
  }

  /** Adds a selection; the same offer with the same options becomes one line. */
  add(selection: OfferSelection): void {
    const { quantity = 1, ...rest } = selection;
    const known = this.#lines.find((line) => keyOf(line.selection) === keyOf(selection));
    if (known) this.setQuantity(known.id, known.selection.quantity + quantity);
    else {
      this.#lastId += 1;
      this.#lines = [...this.#lines, { id: this.#lastId, selection: { ...rest, quantity } }];
    }
  }

  /** A quantity of 0 removes the line. */
  setQuantity(id: number, quantity: number): void {
    this.#lines = this.#lines.flatMap((line) => {
      if (line.id !== id) return [line];
      return quantity > 0 ? [{ id, selection: { ...line.selection, quantity } }] : [];
    });
  }

  /** The price of one selection, whether the store is open or not. */
  quoteOne(selection: OfferSelection): Quote {
    return quote(() => this.#menu.price(selection));
  }

  /** What the lines cost together, also if the cart cannot be ordered; undefined if a line has no price. */
  get subtotal(): Money | undefined {
    const prices = this.#lines.map(({ selection }) => this.quoteOne(selection).price?.total);
    const currencies = new Set(prices.map((price) => price?.currency));
    const [currency] = currencies;
    if (currency === undefined || currencies.size > 1) return undefined;
    // Prices have up to four decimal places; their sum as integers is exact.
    const sum = prices.reduce((total, price) => total + Math.round((price?.value ?? 0) * 10_000), 0);
    return { value: sum / 10_000, currency };
  }

  /** The price of the whole cart, if it can be ordered at an instant. */
  quote(at: number): Quote {
    return quote(() => this.#menu.priceCart({ items: this.#lines.map(({ selection }) => selection), at }));
  }
}

function quote(price: () => Price): Quote {
  try {
    return { price: price() };
  } catch (error) {
    if (error instanceof CartError) return { faults: error.faults };
    throw error;
  }
}

const keyOf = ({ offerId, options = [] }: OfferSelection): string =>
  JSON.stringify([
    offerId,
    options.map(({ groupId, optionId, quantity = 1 }) => [groupId, optionId, quantity]),
  ]);
