import type { Issue } from '../../errors/index.js';
import type { Unavailability } from '../../menu/availability.js';
import type { Menu } from '../../menu/menu.js';
import type { ResolvedEntry, ResolvedOffer, ResolvedOptionGroup } from '../../menu/resolved.js';

/** A menu at one instant, as plain data. The text, the HTML page and `--json` all show this. */
export type MenuView = ReturnType<typeof menuView>;
export type ServiceView = MenuView['services'][number];
export type CategoryView = NonNullable<ServiceView['menu']>['categories'][number];
export type OfferView = MenuView['unlisted'][number];
type GroupView = OfferView['groups'][number];
export type OptionView = GroupView['options'][number];

/** An amount from the document. */
export interface Money {
  readonly value: number;
  /** ISO 4217. */
  readonly currency: string;
}

interface Closable {
  readonly available: boolean;
  readonly why?: string;
}

/** @throws {ConfigurationError} hours have no time zone, and the menu has none. */
export function menuView(menu: Menu, at: number, issues: readonly Issue[]) {
  const { basicInfo, status, lastUpdate } = menu.merchant;
  const listed = new Set<ResolvedEntry>();
  const closable = (entry: ResolvedEntry): Closable => {
    const why = menu.whyUnavailable(entry, at);
    return why ? { available: false, why: describeUnavailability(why, entry) } : { available: true };
  };
  const offerView = (offer: ResolvedOffer) => {
    listed.add(offer);
    const { value, originalValue = value, currency } = offer.price;
    return {
      id: offer.id,
      name: offer.item.name ?? offer.id,
      ...descriptionOf(offer.item.description),
      price: moneyOf(value, currency),
      // The price before a discount.
      ...(originalValue > value && { before: moneyOf(originalValue, currency) }),
      ...closable(offer),
      groups: offer.optionGroups.map((group) => groupView(group, closable)),
    };
  };
  const services = menu.services.map((service) => {
    const open = closable(service);
    const opensAt = open.available ? undefined : menu.opensAt(service, at);
    return {
      id: service.id,
      type: service.serviceType ?? 'a service without a type',
      ...open,
      // When it opens next; only if it is closed now.
      ...(opensAt !== undefined && { opensAt: new Date(opensAt).toISOString() }),
      ...(service.menu && {
        menu: {
          name: service.menu.name ?? service.menu.id,
          categories: service.menu.categories.map((category) => ({
            id: category.id,
            name: category.name ?? category.id,
            ...descriptionOf(category.description),
            ...closable(category),
            offers: category.offers.map(offerView),
          })),
        },
      }),
    };
  });
  const unlisted = (menu.merchant.itemOffers ?? [])
    .map(({ id }) => menu.find('offer', id))
    // An id that is there twice is one offer: `offerView` lists it.
    .flatMap((offer) => (offer && !listed.has(offer) ? [offerView(offer)] : []));
  return {
    name: basicInfo?.name ?? menu.merchant.id ?? 'a store without a name',
    status,
    lastUpdate,
    at: new Date(at).toISOString(),
    services,
    // Offers that are in no category.
    unlisted,
    issues,
  };
}

function groupView(group: ResolvedOptionGroup, closable: (entry: ResolvedEntry) => Closable) {
  const { id, minPermitted = 0, maxPermitted, priceMethod } = group;
  return {
    id,
    name: group.name ?? id,
    minPermitted,
    // Absent if the document sets no maximum.
    ...(maxPermitted !== undefined && { maxPermitted }),
    // How the chosen options are priced: SUM, MAX or AVG.
    priceMethod,
    options: group.options.map((option) => ({
      id: option.id,
      name: option.item?.name ?? option.id,
      ...(option.price && { price: moneyOf(option.price.value, option.price.currency) }),
      ...closable(option),
    })),
  };
}

const moneyOf = (value: number, currency: string): Money => ({ value, currency });

const descriptionOf = (description: string | undefined) => (description ? { description } : {});

const REASONS: Readonly<Record<Exclude<Unavailability['reason'], 'parent'>, string>> = {
  status: 'not available',
  dates: 'outside its dates',
  hours: 'outside its hours',
  holiday: 'closed on this date',
  options: 'without the required options',
};

/** The root cause of an unavailability. If another entry causes it, such as the service, its kind is named. */
function describeUnavailability(why: Unavailability, entry: ResolvedEntry): string {
  let cause = why;
  while (cause.reason === 'parent') cause = cause.because;
  const reason = REASONS[cause.reason];
  return cause.id === entry.id ? reason : `the ${KINDS[cause.kind] ?? cause.kind} is ${reason}`;
}

const KINDS: Readonly<Record<string, string>> = { optionGroup: 'option group' };

/** An amount in the notation of its country, such as `R$ 54,90`. */
export function formatMoney({ value, currency }: Money): string {
  try {
    return new Intl.NumberFormat(currency === 'BRL' ? 'pt-BR' : 'en-US', {
      style: 'currency',
      currency,
    }).format(value);
  } catch {
    return `${value} ${currency}`; // not an ISO 4217 code
  }
}

/** A map, because the hub may send any text. */
const PRICE_METHODS: ReadonlyMap<string, string> = new Map([
  ['MAX', ', the most expensive counts'],
  ['AVG', ', the average counts'],
]);

/** How many options of a group can be chosen, and how they are priced. */
export function formatChoice({ minPermitted, maxPermitted, priceMethod }: GroupView): string {
  const count =
    maxPermitted === undefined
      ? `at least ${minPermitted}`
      : minPermitted === maxPermitted
        ? `${maxPermitted}`
        : `${minPermitted} to ${maxPermitted}`;
  return `choose ${count}${PRICE_METHODS.get(priceMethod) ?? ''}`;
}
