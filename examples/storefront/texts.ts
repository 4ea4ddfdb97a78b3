import type { CartFault, Menu, Money, ResolvedOptionGroup, Unavailability } from 'opendelivery-client/menu';

/** The words that customers read. Translate this file, and set `lang` of the page for the formats. */
export class Texts {
  readonly #locale: string;
  readonly #timeZone: string | undefined;
  readonly #currencies = new Map<string, Intl.NumberFormat>();

  /** @param timeZone - the store's; times are shown in it. */
  constructor(locale: string, timeZone: string | undefined) {
    this.#locale = locale;
    this.#timeZone = timeZone;
  }

  /** An amount in its own currency, such as `R$70.50`. */
  money({ value, currency }: Money): string {
    // A hub may send a currency that does not exist. The price is shown all the same.
    if (!/^[A-Za-z]{3}$/.test(currency)) return `${value.toFixed(2)} ${currency}`;
    let format = this.#currencies.get(currency);
    if (!format) {
      format = new Intl.NumberFormat(this.#locale, { style: 'currency', currency });
      this.#currencies.set(currency, format);
    }
    return format.format(value);
  }

  /** An instant as a day of the week and a time: `Tue 18:00`. */
  dayAndTime(at: number): string {
    return new Intl.DateTimeFormat(this.#locale, {
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone: this.#timeZone,
    }).format(at);
  }

  service(type: string | undefined): string {
    return (type !== undefined && SERVICES[type]) || 'Order';
  }

  /** Why an offer cannot be ordered, in two or three words. */
  unavailable(why: Unavailability): string {
    switch (causeOf(why).reason) {
      case 'hours':
      case 'holiday':
        return 'Not at this time';
      case 'dates':
        return 'Not today';
      default:
        return 'Sold out';
    }
  }

  /** How many options of a group a customer chooses, and what they cost together. */
  rule({ minPermitted: min = 0, maxPermitted: max, priceMethod }: ResolvedOptionGroup): string {
    const several = (max ?? Number.POSITIVE_INFINITY) > 1;
    return `${countRule(min, max)}${(several && PRICE_RULES[priceMethod]) || ''}`;
  }

  /** What a customer must change before this cart can be ordered at an instant. */
  fault(fault: CartFault, menu: Menu, at: number): string {
    const { code, offerId, groupId, message } = fault;
    const group = groupId === undefined ? undefined : menu.find('optionGroup', groupId);
    const offer = offerId === undefined ? undefined : menu.find('offer', offerId);
    const why = offer && menu.whyUnavailable(offer, at);
    const isStoreClosed = why !== undefined && isOfStore(why);
    const name = offer?.item.name ?? 'This item';
    const { minOrderValue } = menu.merchant.basicInfo;
    switch (code) {
      case 'too_few_options':
        return `${group?.name}: choose at least ${group?.minPermitted}.`;
      case 'too_many_options':
        return `${group?.name}: choose at most ${group?.maxPermitted}.`;
      case 'unavailable_offer':
      case 'unknown_offer':
        return isStoreClosed ? 'The store is closed.' : `${name} is sold out.`;
      case 'unavailable_group':
      case 'unavailable_option':
      case 'unknown_group':
      case 'unknown_option':
        return `${name}: a chosen option is sold out.`;
      case 'closed':
        return isStoreClosed ? 'The store is closed.' : `${name} cannot be ordered at this time.`;
      case 'below_minimum':
        return `The minimum order is ${minOrderValue ? this.money(minOrderValue) : 'not reached'}.`;
      default:
        // The message of the fault explains what is wrong with the menu or with this program.
        return `${name}: ${message}.`;
    }
  }
}

const SERVICES: Readonly<Record<string, string>> = {
  DELIVERY: 'Delivery',
  TAKEOUT: 'Takeout',
  INDOOR: 'Eat in',
};

const PRICE_RULES: Readonly<Record<string, string>> = {
  MAX: ' · you pay for the dearest',
  AVG: ' · you pay the average price',
};

function countRule(min: number, max: number | undefined): string {
  if (max === undefined) return min > 0 ? `Choose at least ${min}` : 'Optional';
  if (min <= 0) return `Optional, up to ${max}`;
  return min >= max ? `Choose ${min}` : `Choose ${min} to ${max}`;
}

/** Whether the store or its services are the cause, and not a single offer. */
export const isOfStore = (why: Unavailability): boolean =>
  ['merchant', 'service'].includes(causeOf(why).kind);

/** The entry at the end of the chain: an offer may be unavailable because its category is. */
function causeOf(why: Unavailability): Unavailability {
  return why.reason === 'parent' ? causeOf(why.because) : why;
}
