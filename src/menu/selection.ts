import { ConfigurationError } from '../errors.js';
import type { Instant } from './instant.js';

/** One option of an offer, as a customer chooses it. */
export interface OptionSelection {
  readonly groupId: string;
  readonly optionId: string;
  /** A whole number of at least 1, the default. */
  readonly quantity?: number;
}

/** One offer as a customer puts it into the cart. */
export interface OfferSelection {
  readonly offerId: string;
  /** A whole number of at least 1, the default. */
  readonly quantity?: number;
  readonly options?: readonly OptionSelection[];
}

/** An offer to be priced; with `at`, it has to be within its hours too. */
export interface PriceRequest extends OfferSelection {
  readonly at?: Instant;
}

/** A whole cart to be priced. */
export interface CartRequest {
  readonly items: readonly OfferSelection[];
  /** With it, every offer has to be within its hours. */
  readonly at?: Instant;
}

const OFFER_KEYS: ReadonlySet<string> = new Set(['offerId', 'quantity', 'options']);
const OPTION_KEYS: ReadonlySet<string> = new Set(['groupId', 'optionId', 'quantity']);

/** @throws {ConfigurationError} a key is misspelt, or a list is none: a programmer's mistake, not a customer's. */
export function checkSelection(selection: unknown, name: string, more: readonly string[] = []): void {
  checkKeys(selection, name, new Set([...OFFER_KEYS, ...more]));
  const { options } = selection as { options?: unknown };
  if (options === undefined) return;
  if (!Array.isArray(options)) throw new ConfigurationError(`${name}.options`, 'must be a list');
  options.forEach((option: unknown, at) => {
    checkKeys(option, `${name}.options[${at}]`, OPTION_KEYS);
  });
}

/** @throws {ConfigurationError} as `checkSelection`. */
export function checkCart(cart: unknown): void {
  checkKeys(cart, 'cart', new Set(['items', 'at']));
  const { items } = cart as { items?: unknown };
  if (!Array.isArray(items)) throw new ConfigurationError('cart.items', 'must be a list');
  items.forEach((item: unknown, at) => {
    checkSelection(item, `cart.items[${at}]`);
  });
}

function checkKeys(value: unknown, name: string, known: ReadonlySet<string>): void {
  if (typeof value !== 'object' || value === null) throw new ConfigurationError(name, 'must be an object');
  for (const key of Object.keys(value)) {
    if (!known.has(key)) {
      throw new ConfigurationError(`${name}.${key}`, `is not known; there are ${[...known].join(', ')}`);
    }
  }
}
