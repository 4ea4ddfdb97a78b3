import { CartError, type CartFault } from '../errors/index.js';
import type { Merchant } from '../schemas/merchant.js';
import type { AvailabilityCalendar, Unavailability } from './availability.js';
import { readQuantity } from './chosen-options.js';
import { currencyOf, toAmount, toNumber } from './decimal.js';
import { truncated } from './entries.js';
import { type Price, type PricedOffer, priceOffer, toPrice } from './price.js';
import {
  type CartRequest,
  checkCart,
  checkSelection,
  type OfferSelection,
  type PriceRequest,
} from './selection.js';
import { type Instant, toEpochMs } from './zone.js';

/** See `Menu.price`. */
export function price(calendar: AvailabilityCalendar, request: PriceRequest): Price {
  checkSelection(request, 'request', ['at']);
  const faults: CartFault[] = [];
  const priced = priceOne(calendar, request, instantOf(request), [], faults);
  if (!priced || faults.length > 0) throw new CartError(faults);
  return toPrice([priced]);
}

/** See `Menu.priceCart`. */
export function priceCart(calendar: AvailabilityCalendar, cart: CartRequest): Price {
  checkCart(cart);
  const faults: CartFault[] = [];
  const at = instantOf(cart);
  const offers = cart.items.map((item, place) => priceOne(calendar, item, at, ['items', place], faults));
  const priced = offers.filter((each) => each !== undefined);
  if (offers.length === 0) faults.push({ code: 'empty', path: ['items'], message: 'the cart is empty' });
  faults.push(...cartFaults(priced, priced.length === offers.length, calendar.index.merchant));
  if (faults.length > 0) throw new CartError(faults);
  return toPrice(priced);
}

function priceOne(
  calendar: AvailabilityCalendar,
  selection: OfferSelection,
  at: number | undefined,
  path: readonly (string | number)[],
  faults: CartFault[],
): PricedOffer | undefined {
  const { offerId } = selection;
  const offer = calendar.index.offers.get(offerId);
  if (!offer) {
    const message = `the menu has no offer '${truncated(offerId)}'`;
    faults.push({ code: 'unknown_offer', path: [...path, 'offerId'], message });
    const report = (fault: CartFault) => void faults.push(fault);
    readQuantity(selection.quantity, [...path, 'quantity'], report);
    for (const [index, { quantity }] of (selection.options ?? []).entries())
      readQuantity(quantity, [...path, 'options', index, 'quantity'], report);
    return undefined;
  }
  const name = `'${truncated(offer.item.name ?? offerId)}' is not available`;
  const byStatus = calendar.whyUnavailable(offer, undefined);
  if (byStatus) {
    const message = `${name}: ${describeCause(byStatus)}`;
    faults.push({ code: 'unavailable_offer', path, offerId, message });
  }
  const byHours = at !== undefined && calendar[byStatus ? 'whyClosed' : 'whyUnavailable'](offer, at);
  if (byHours) {
    const message = `${name} at that time: ${describeCause(byHours)}`;
    faults.push({ code: 'closed', path, offerId, message });
  }
  return priceOffer(offer, selection, path, faults);
}

const instantOf = ({ at }: { readonly at?: Instant | undefined }) =>
  at === undefined ? undefined : toEpochMs('at', at);

/** @param isTotal - whether every offer has a price; otherwise the total is not known. */
function* cartFaults(
  priced: readonly PricedOffer[],
  isTotal: boolean,
  { basicInfo }: Merchant,
): Generator<CartFault> {
  const currencies = new Set(priced.map(({ currency }) => currency));
  if (currencies.size > 1) {
    const message = `the offers have different currencies: ${[...currencies].map(truncated).join(', ')}`;
    yield { code: 'currency_mismatch', path: ['items'], message };
    return;
  }
  const [currency = ''] = currencies;
  const minimum = toAmount(basicInfo?.minOrderValue?.value);
  if (minimum === undefined || minimum <= 0n || priced.length === 0) return;
  const total = priced.reduce((sum, each) => sum + each.total, 0n);
  const minimumCurrency = currencyOf(basicInfo?.minOrderValue);
  if (minimumCurrency !== currency) {
    // What is no code, such as R$, says no more than an amount that cannot be read.
    if (!/^[A-Z]{3}$/.test(minimumCurrency)) return;
    const message = `minOrderValue is in ${truncated(minimumCurrency)}, the offers are in ${truncated(currency)}`;
    yield { code: 'currency_mismatch', path: ['items'], message };
  } else if (isTotal && total < minimum) {
    const amounts = `${toNumber(total)} ${truncated(currency)} is less than ${toNumber(minimum)}`;
    yield { code: 'below_minimum', path: ['items'], message: `${amounts}, the store's minOrderValue` };
  }
}

/** The reason and the entry at the end of a chain of parents, such as `status of item 'pizza'`. */
function describeCause(why: Unavailability): string {
  let cause = why;
  while (cause.reason === 'parent') cause = cause.because;
  return `${cause.reason} of ${cause.kind} '${truncated(cause.id)}'`;
}
