import { HubError } from './hub-error.js';

/**
 * What is wrong with one part of a cart.
 *
 * - `unknown_offer`, `unknown_group`, `unknown_option`: the menu, the offer or the group has no entry with this id.
 * - `unavailable_offer`, `unavailable_group`, `unavailable_option`: its status, or that of an entry it belongs to, is UNAVAILABLE.
 * - `closed`: the given instant is outside its hours.
 * - `too_few_options`, `too_many_options`, `too_many_of_option`: outside `minPermitted` and `maxPermitted`.
 * - `invalid_quantity`: not a whole number of at least 1.
 * - `unusable_price`, `currency_mismatch`, `unknown_price_method`: no price can be computed from the document.
 * - `below_minimum`: the total is below the store's `minOrderValue`.
 * - `empty`: the cart is empty.
 */
export type CartFaultCode =
  | 'unknown_offer'
  | 'unknown_group'
  | 'unknown_option'
  | 'unavailable_offer'
  | 'unavailable_group'
  | 'unavailable_option'
  | 'closed'
  | 'too_few_options'
  | 'too_many_options'
  | 'too_many_of_option'
  | 'invalid_quantity'
  | 'unusable_price'
  | 'currency_mismatch'
  | 'unknown_price_method'
  | 'below_minimum'
  | 'empty';

/** One fault of a cart. */
export interface CartFault {
  /** The kind of fault, for your `switch`. */
  readonly code: CartFaultCode;
  /** Where the fault is: keys and indices from the root of your request. */
  readonly path: ReadonlyArray<string | number>;
  /** The fault in words. */
  readonly message: string;
  /** The id of the offer that has the fault. Absent: the whole cart has it. */
  readonly offerId?: string;
  /** The id of the option group that has the fault. Absent: it is not in a group. */
  readonly groupId?: string;
  /** The id of the option that has the fault. Absent: it is not in an option. */
  readonly optionId?: string;
}

/** A cart cannot be priced or ordered. Nothing was sent; show the `faults` to the customer. */
export class CartError extends HubError {
  /** @hidden */
  static override readonly name: string = 'CartError';
  readonly code = 'cart';
  /** All faults of the cart, at least one. */
  readonly faults: readonly CartFault[];

  constructor(faults: readonly CartFault[]) {
    const [first] = faults;
    const more = faults.length > 1 ? `, and ${faults.length - 1} more` : '';
    super(`the cart cannot be priced: ${first?.message ?? 'it is invalid'}${more}`);
    this.faults = faults;
  }
}
