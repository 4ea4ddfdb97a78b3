import { ConfigurationError, type Issue } from '../errors/index.js';
import { MERCHANT_KEYS } from '../schemas/collections.js';
import type { Coordinates } from '../schemas/common.js';
import type { Merchant } from '../schemas/merchant.js';
import { AvailabilityCalendar, type Unavailability } from './availability.js';
import { price, priceCart } from './cart.js';
import { type DeliveryOptions, type DeliveryQuote, quoteDelivery } from './delivery.js';
import { truncated } from './entries.js';
import { lint } from './lint.js';
import { MenuIndex } from './menu-index.js';
import type { Price } from './price.js';
import type { EntryKind, ResolvedEntry, ResolvedKinds, ResolvedService } from './resolved.js';
import { type CartRequest, checkKeys, type PriceRequest } from './selection.js';
import { type Instant, namedZone, toEpochMs, type Zone } from './zone.js';

/** Options of a `Menu`. */
export interface MenuOptions {
  /**
   * The store's IANA time zone, such as `'America/Sao_Paulo'`. Hours without an
   * offset are read in it; hours with an offset or `Z` keep their own.
   *
   * Default: none; a method that needs it throws `ConfigurationError`.
   */
  readonly timeZone?: string | undefined;
}

const OPTION_KEYS = new Set(['timeZone']);

/** @throws {ConfigurationError} it is something else, of which a menu would be empty. */
function requireMerchant(given: unknown): void {
  const value = Object(given);
  if (MERCHANT_KEYS.some((key) => key in value)) return;
  throw new ConfigurationError(
    'merchant',
    'merchant' in value
      ? 'must be the document: new Menu(snapshot.merchant)'
      : 'must be a merchant document: const { merchant } = await hub.merchant.get()',
  );
}

/** All menus of one document share its index. */
const indexes = new WeakMap<Merchant, MenuIndex>();

/**
 * A merchant document as a customer sees it: services → menus → categories →
 * offers → items → option groups → options, linked by id and sorted by `index`.
 *
 * The constructor does no work. Each collection is indexed at its first use,
 * once per document. The document must not change after that.
 *
 * @see Spec §2.2–2.10
 */
export class Menu {
  /** The document that the menu was made from. */
  readonly merchant: Merchant;
  readonly #zone: Zone | undefined;
  #calendar: AvailabilityCalendar | undefined;
  #issues: readonly Issue[] | undefined;

  /** @throws {ConfigurationError} the value is not a merchant document, or an option is unknown or wrong. */
  constructor(merchant: Merchant, options: MenuOptions = {}) {
    requireMerchant(merchant);
    checkKeys(options, 'options', OPTION_KEYS);
    const { timeZone } = options;
    this.merchant = merchant;
    this.#zone = timeZone === undefined ? undefined : namedZone(timeZone);
  }

  /** The sales channels, in the order of the document. */
  get services(): readonly ResolvedService[] {
    return this.#index().services.values();
  }

  /**
   * The problems in the links between entries: dangling references, unreachable and duplicate entries, groups
   * that cannot be satisfied, unreadable hours and areas. The codes are those of `MenuIssueCode`.
   */
  get issues(): readonly Issue[] {
    this.#issues ??= [...lint(this.#index()), ...this.#availability().issues()];
    return this.#issues;
  }

  /**
   * Finds an entry by its kind and id; undefined if the menu has none. An option is searched in all groups.
   *
   * @throws {ConfigurationError} the kind is unknown.
   */
  find<Kind extends EntryKind>(kind: Kind, id: string): ResolvedKinds[Kind] | undefined {
    return this.#index().find(kind, id) as ResolvedKinds[Kind] | undefined;
  }

  /**
   * Whether an entry is available at an instant. Checks the status, dates and hours
   * of the entry and of the entries that it depends on.
   *
   * @param entry - an entry of this menu or of its document. Of an entry of another menu only `kind` and `id` count: it
   * means this menu's entry.
   * @param at - epoch ms or a `Date`.
   * @throws {ConfigurationError} this menu does not have the entry; the instant is not valid; or hours have no zone
   * and the menu has no `timeZone`.
   * @see Spec §2.4, §2.10
   */
  isAvailable(entry: object, at: Instant): boolean {
    return this.whyUnavailable(entry, at) === undefined;
  }

  /**
   * Why an entry is not available at an instant; undefined if it is.
   *
   * @throws {ConfigurationError} as `isAvailable`.
   */
  whyUnavailable(entry: object, at: Instant): Unavailability | undefined {
    return this.#availability().whyUnavailable(this.#resolve(entry), toEpochMs('at', at));
  }

  /**
   * The next instant at which a service is open; `from` itself if it is open at
   * that instant. Undefined if it does not open within a year, or is closed by its status.
   *
   * @param service - a service of this menu or of its document.
   * @param from - epoch ms or a `Date`.
   * @returns epoch ms.
   * @throws {ConfigurationError} as `isAvailable`; or the entry is not a service.
   * @see Spec §2.4
   */
  opensAt(service: object, from: Instant): number | undefined {
    return this.#availability().opensAt(this.#resolveService(service), toEpochMs('from', from));
  }

  /**
   * The price of one offer with its options, exact to four decimal places up to about 9·10¹¹.
   *
   * @throws {CartError} the offer cannot be ordered with these options; `faults` lists all reasons.
   * @throws {ConfigurationError} the request has an unknown key or a value of the wrong type; or `at` is given,
   * hours have no zone and the menu has no `timeZone`.
   * @see Spec §2.7, §2.9
   */
  price(request: PriceRequest): Price {
    return price(this.#availability(), request);
  }

  /**
   * The price of a cart. The total must reach the store's `minOrderValue`.
   *
   * @throws {CartError} the cart cannot be ordered; `faults` lists all reasons.
   * @throws {ConfigurationError} as `price`.
   * @see Spec §2.3, §2.7, §2.9
   */
  priceCart(cart: CartRequest): Price {
    return priceCart(this.#availability(), cart);
  }

  /**
   * Whether a service delivers to a place, for what fee and in what time.
   *
   * @param service - a service of this menu or of its document.
   * @throws {ConfigurationError} the service is not of this menu; the coordinates are not valid; an option is unknown
   * or wrong; or the service delivers by radius and `radiusUnit` is missing.
   * @see Spec §2.4
   */
  deliveryQuote(service: object, to: Coordinates, options: DeliveryOptions = {}): DeliveryQuote {
    return quoteDelivery(this.#resolveService(service), to, options);
  }

  #index(): MenuIndex {
    const cached = indexes.get(this.merchant);
    if (cached) return cached;
    const index = new MenuIndex(this.merchant);
    indexes.set(this.merchant, index);
    return index;
  }

  #availability(): AvailabilityCalendar {
    this.#calendar ??= new AvailabilityCalendar(this.#index(), this.#zone);
    return this.#calendar;
  }

  #resolve(entry: object): ResolvedEntry {
    const resolved = this.#index().resolve(entry);
    if (resolved) return resolved;
    throw new ConfigurationError('entry', 'is not an entry of this menu, or was left out; see menu.issues');
  }

  #resolveService(service: object): ResolvedService {
    const entry = this.#resolve(service);
    if (entry.kind === 'service') return entry;
    throw new ConfigurationError('service', `must be a service, not ${entry.kind} '${truncated(entry.id)}'`);
  }
}
