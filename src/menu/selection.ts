import { ConfigurationError } from '../errors/index.js';
import type { Instant } from './zone.js';

/** One option that a customer has chosen. */
export interface OptionSelection {
  /** Id of the option group. */
  readonly groupId: string;
  /** The id of the option. */
  readonly optionId: string;
  /** An integer of at least 1. Default: 1. */
  readonly quantity?: number | undefined;
}

/** One offer that a customer has put into the cart. */
export interface OfferSelection {
  /** The id of the offer. */
  readonly offerId: string;
  /** An integer of at least 1. Default: 1. */
  readonly quantity?: number | undefined;
  /** Default: no options. */
  readonly options?: readonly OptionSelection[] | undefined;
}

/** One offer to price. */
export interface PriceRequest extends OfferSelection {
  /** If present, the offer must be available at this instant. Default: hours are not checked. */
  readonly at?: Instant | undefined;
}

/** A cart to price. */
export interface CartRequest {
  /** The offers in the cart. */
  readonly items: readonly OfferSelection[];
  /** If present, every offer must be available at this instant. Default: hours are not checked. */
  readonly at?: Instant | undefined;
}

const OFFER_KEYS: ReadonlySet<string> = new Set(['offerId', 'quantity', 'options']);
const OPTION_KEYS: ReadonlySet<string> = new Set(['groupId', 'optionId', 'quantity']);

/**
 * Checks the shape of a selection. A wrong shape is a mistake of the program,
 * not of the customer, so it is not a fault of the cart.
 *
 * @param name - name of the argument, for messages.
 * @param moreKeys - keys that are allowed beside those of an `OfferSelection`.
 * @throws {ConfigurationError} a key is unknown, or a value is not an object or array.
 */
export function checkSelection(selection: unknown, name: string, moreKeys: readonly string[] = []): void {
  checkKeys(selection, name, new Set([...OFFER_KEYS, ...moreKeys]));
  const { options } = selection as { options?: unknown };
  if (options === undefined) return;
  if (!Array.isArray(options)) throw new ConfigurationError(`${name}.options`, 'must be an array');
  options.forEach((option: unknown, index) => {
    checkKeys(option, `${name}.options[${index}]`, OPTION_KEYS);
  });
}

/** @throws {ConfigurationError} as `checkSelection`. */
export function checkCart(cart: unknown): void {
  checkKeys(cart, 'cart', new Set(['items', 'at']));
  const { items } = cart as { items?: unknown };
  if (!Array.isArray(items)) throw new ConfigurationError('cart.items', 'must be an array');
  items.forEach((item: unknown, index) => {
    checkSelection(item, `cart.items[${index}]`);
  });
}

/** @throws {ConfigurationError} a key is unknown, or the value is not an object. */
export function checkKeys(value: unknown, name: string, known: ReadonlySet<string>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigurationError(name, 'must be an object');
  }
  for (const key of Object.keys(value)) {
    if (!known.has(key)) {
      throw new ConfigurationError(`${name}.${key}`, `is unknown; the keys are ${[...known].join(', ')}`);
    }
  }
}
