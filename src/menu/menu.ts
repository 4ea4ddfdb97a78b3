import { CartError, type CartFault, ConfigurationError, type Issue } from '../errors.js';
import type { Merchant } from '../schemas/merchant.js';
import { AvailabilityCalendar, type Unavailability } from './availability.js';
import { amountOf, numberOf } from './decimal.js';
import { type Coordinates, type DeliveryOptions, type DeliveryQuote, quoteDelivery } from './delivery.js';
import { type Instant, instantMs } from './instant.js';
import { lint } from './lint.js';
import { MenuIndex } from './menu-index.js';
import { currencyOf, type Price, type Priced, priceOffer } from './price.js';
import type { EntryKind, ResolvedEntry, ResolvedKinds, ResolvedService } from './resolved.js';
import {
  type CartRequest,
  checkCart,
  checkSelection,
  type OfferSelection,
  type PriceRequest,
} from './selection.js';
import { shown } from './shown.js';
import { namedZone } from './zone.js';

export interface MenuOptions {
  /**
   * The store's IANA zone, such as `'America/Sao_Paulo'`: what hours without a
   * zone of their own are read in. Hours with an offset or `Z` keep it.
   */
  readonly timeZone?: string;
}

/** One document is linked once, however many menus are made of it. */
const indexes = new WeakMap<Merchant, MenuIndex>();

/**
 * A merchant document as a customer sees it: services → menus → categories →
 * offers → items → option groups → options, linked by id and sorted by `index`.
 *
 * Making one costs nothing; the document is linked at the first question.
 *
 * @see Spec §2.2–2.10
 */
export class Menu {
  readonly merchant: Merchant;
  readonly #timeZone: string | undefined;
  #calendar: AvailabilityCalendar | undefined;
  #issues: readonly Issue[] | undefined;
  #entries: Map<object, ResolvedEntry> | undefined;

  /** @throws {ConfigurationError} the document is no object, or an option is wrong. */
  constructor(merchant: Merchant, options: MenuOptions = {}) {
    if (typeof merchant !== 'object' || merchant === null || Array.isArray(merchant)) {
      throw new ConfigurationError('merchant', 'must be a merchant document, as hub.merchant.get() gives it');
    }
    for (const key of Object.keys(options)) {
      if (key !== 'timeZone') throw new ConfigurationError(key, 'is no option of Menu; there is timeZone');
    }
    if (options.timeZone !== undefined) namedZone(options.timeZone);
    this.merchant = merchant;
    this.#timeZone = options.timeZone;
  }

  /** In the document's order. */
  get services(): readonly ResolvedService[] {
    return [...this.#index().services.values()];
  }

  /** What is wrong between the entries: dangling references, orphans, duplicates, hours nobody can read. */
  get issues(): readonly Issue[] {
    this.#issues ??= [...lint(this.#index()), ...this.#when().issues()];
    return this.#issues;
  }

  /** The entry of a kind with an id; undefined where the menu has none. An option's id is looked for in all groups. */
  find<Kind extends EntryKind>(kind: Kind, id: string): ResolvedKinds[Kind] | undefined {
    return this.#lookUp(kind, id) as ResolvedKinds[Kind] | undefined;
  }

  /**
   * Whether an entry can be had at an instant, by its status, dates and hours
   * and those of what it belongs to.
   *
   * @param entry - of this menu, or of its document.
   * @throws {ConfigurationError} the entry is of another document; or hours carry no zone and no `timeZone` is named.
   */
  isAvailable(entry: object, at: Instant): boolean {
    return this.whyUnavailable(entry, at) === undefined;
  }

  /** Why an entry cannot be had at an instant; undefined where it can. Throws as `isAvailable`. */
  whyUnavailable(entry: object, at: Instant): Unavailability | undefined {
    return this.#when().why(this.#entryOf(entry), instantMs('at', at));
  }

  /**
   * The next instant at which a service is open, `from` where it is open then;
   * undefined where it is not within a year, or closed by its status.
   *
   * @returns epoch ms.
   */
  opensAt(service: object, from: Instant): number | undefined {
    return this.#when().opensAt(this.#serviceOf(service), instantMs('from', from));
  }

  /**
   * What an offer with its options costs.
   *
   * @throws {CartError} it cannot be had so; `faults` says everything that is wrong.
   * @throws {ConfigurationError} a key is misspelt.
   */
  price(request: PriceRequest): Price {
    checkSelection(request, 'request', ['at']);
    const faults: CartFault[] = [];
    const at = request.at === undefined ? undefined : instantMs('at', request.at);
    const priced = this.#priceOne(request, at, [], faults);
    if (!priced || faults.length > 0) throw new CartError(faults);
    return told([priced]);
  }

  /**
   * What a cart costs; it has to reach the store's `minOrderValue` (Spec §2.3).
   *
   * @throws as `price`.
   */
  priceCart(cart: CartRequest): Price {
    checkCart(cart);
    const faults: CartFault[] = [];
    const at = cart.at === undefined ? undefined : instantMs('at', cart.at);
    const priced = cart.items.map((item, index) => this.#priceOne(item, at, ['items', index], faults));
    const whole = priced.filter((each) => each !== undefined);
    if (cart.items.length === 0)
      faults.push({ code: 'empty', path: ['items'], message: 'the cart is empty' });
    if (whole.length === priced.length) faults.push(...cartFaults(whole, this.merchant));
    if (faults.length > 0) throw new CartError(faults);
    return told(whole);
  }

  /**
   * Whether a service delivers to a place, for how much and how soon.
   *
   * @throws {ConfigurationError} it delivers by radius, and `radiusUnit` is not named.
   */
  deliveryQuote(service: object, to: Coordinates, options: DeliveryOptions = {}): DeliveryQuote {
    return quoteDelivery(this.#serviceOf(service), to, options);
  }

  #priceOne(
    selection: OfferSelection,
    at: number | undefined,
    path: readonly (string | number)[],
    faults: CartFault[],
  ): Priced | undefined {
    const { offerId } = selection;
    const offer = this.#index().offers.get(offerId);
    if (!offer) {
      const message = `the menu has no offer '${shown(offerId)}'`;
      faults.push({ code: 'unknown_offer', path: [...path, 'offerId'], message });
      return undefined;
    }
    const closed = this.#when().why(offer, undefined);
    if (closed) {
      const message = `'${shown(offer.item.name ?? offerId)}' is not available (${spoken(closed)})`;
      faults.push({ code: 'unavailable_offer', path, offerId, message });
    } else if (at !== undefined) {
      const why = this.#when().why(offer, at);
      if (why) {
        const message = `'${shown(offer.item.name ?? offerId)}' cannot be had then (${spoken(why)})`;
        faults.push({ code: 'closed', path, offerId, message });
      }
    }
    return priceOffer(offer, selection, path, faults);
  }

  #index(): MenuIndex {
    const known = indexes.get(this.merchant);
    if (known) return known;
    const index = new MenuIndex(this.merchant);
    indexes.set(this.merchant, index);
    return index;
  }

  #when(): AvailabilityCalendar {
    const zone = this.#timeZone === undefined ? undefined : namedZone(this.#timeZone);
    this.#calendar ??= new AvailabilityCalendar(this.#index(), zone);
    return this.#calendar;
  }

  #lookUp(kind: EntryKind, id: string): ResolvedEntry | undefined {
    const { services, menus, categories, offers, items, optionGroups } = this.#index();
    switch (kind) {
      case 'service':
        return services.get(id);
      case 'menu':
        return menus.get(id);
      case 'category':
        return categories.get(id);
      case 'offer':
        return offers.get(id);
      case 'item':
        return items.get(id);
      case 'optionGroup':
        return optionGroups.get(id);
      case 'option':
        for (const { options } of optionGroups.values()) {
          const option = options.find((each) => each.id === id);
          if (option) return option;
        }
        return undefined;
      default:
        throw new ConfigurationError('kind', `'${shown(kind)}' is no kind of entry`);
    }
  }

  /** The resolved entry for what the caller holds: itself, one of the same id, or its entry in the document. */
  #entryOf(entry: object): ResolvedEntry {
    const { kind, id } = (entry ?? {}) as Partial<ResolvedEntry>;
    const known = this.#byIdentity().get(entry) ?? (kind && id !== undefined && this.#lookUp(kind, id));
    if (known) return known;
    throw new ConfigurationError('entry', 'is not of this menu, or was left out of it; see menu.issues');
  }

  #serviceOf(service: object): ResolvedService {
    const entry = this.#entryOf(service);
    if (entry.kind === 'service') return entry;
    throw new ConfigurationError('service', `must be a service, not ${entry.kind} '${shown(entry.id)}'`);
  }

  #byIdentity(): Map<object, ResolvedEntry> {
    if (this.#entries) return this.#entries;
    const entries = new Map<object, ResolvedEntry>();
    this.#entries = entries;
    const { services, menus, categories, offers, items, optionGroups } = this.#index();
    for (const each of [services, menus, categories, offers, items, optionGroups]) {
      for (const entry of each.values()) entries.set(entry, entry).set(entry.source, entry);
    }
    for (const { options } of optionGroups.values()) {
      for (const option of options) entries.set(option, option).set(option.source, option);
    }
    return entries;
  }
}

/** Faults of a cart as a whole. */
function* cartFaults(priced: readonly Priced[], { basicInfo }: Merchant): Generator<CartFault> {
  const currencies = new Set(priced.map(({ currency }) => currency));
  if (currencies.size > 1) {
    const message = `its offers are priced in ${[...currencies].map(shown).join(' and ')}`;
    yield { code: 'currency_mismatch', path: ['items'], message };
    return;
  }
  const [currency = ''] = currencies;
  const minimum = basicInfo?.minOrderValue;
  const least = amountOf(minimum?.value);
  if (least === undefined || priced.length === 0) return;
  const total = priced.reduce((sum, each) => sum + each.total, 0n);
  if (currencyOf(minimum) !== currency) {
    const message = `the store's minimum is in ${shown(currencyOf(minimum))}, the offers are in ${shown(currency)}`;
    yield { code: 'currency_mismatch', path: ['items'], message };
  } else if (total < least) {
    const message = `${numberOf(total)} ${shown(currency)} is less than the store's minimum of ${numberOf(least)}`;
    yield { code: 'below_minimum', path: ['items'], message };
  }
}

function told(priced: readonly Priced[]): Price {
  const sum = (of: 'total' | 'original') => priced.reduce((all, each) => all + each[of], 0n);
  const currency = priced[0]?.currency ?? 'BRL';
  const total = sum('total');
  return {
    total: { value: numberOf(total), currency },
    lines: priced.flatMap(({ lines }) => lines),
    saving: { value: numberOf(sum('original') - total), currency },
  };
}

/** A reason in a few words, down to the entry that is the cause. */
function spoken(why: Unavailability): string {
  let cause = why;
  while (cause.reason === 'parent') cause = cause.because;
  return `${cause.reason} of ${cause.kind} ${shown(cause.id)}`;
}
