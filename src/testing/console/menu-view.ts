import type { Issue } from '../../errors/index.js';
import { Menu } from '../../menu/menu.js';
import { readMerchant } from '../../merchant/read.js';
import type { HubState } from '../hub-state.js';
import type { MockStore } from '../mock-store.js';
import type { View } from './changes.js';
import { storesOf, type ViewQuery } from './query.js';
import type { MenuRow, WireIssue } from './wire.js';

const MAX_ISSUES = 100;
/** Hours without an offset are read in this zone. */
const TIME_ZONE = 'America/Sao_Paulo';

/** A document as the SDK reads it. Kept until another document is published. */
interface ReadMenu {
  readonly menu: Menu | undefined;
  readonly issues: readonly WireIssue[];
  readonly error?: string;
}

const known = new WeakMap<object, ReadMenu>();

/** One store's menu as customers see it now; that of the first store, if the page does not ask for one. */
export function menuView(state: HubState, query: ViewQuery): View {
  const [store] = storesOf(state, query);
  if (!store) return { rows: [], about: { total: 0 } };
  const { menu, issues, error } = readOf(store);
  const { clientId } = store.credentials;
  const offers = menu ? offersOf(menu) : [];
  const at = state.options.clock.now();
  const rows = offers.slice(0, query.limit).map((each, index) => rowOf(each, index, clientId, at));
  return { rows, about: { total: offers.length, clientId, issues, ...(error !== undefined && { error }) } };
}

function readOf(store: MockStore): ReadMenu {
  const before = known.get(store.merchant);
  if (before) return before;
  const read = readMenu(store.merchant);
  known.set(store.merchant, read);
  return read;
}

/** Reads a document as the SDK does, with everything that it would report. */
export function readMenu(document: unknown): ReadMenu {
  try {
    const { merchant, issues, asSent } = readMerchant(structuredClone(document));
    const menu = new Menu(merchant, { timeZone: TIME_ZONE });
    return { menu, issues: wired([...issues, ...menu.issues.map(asSent)]) };
  } catch (error) {
    const issues = (error as { issues?: readonly Issue[] }).issues ?? [];
    return {
      menu: undefined,
      issues: wired(issues),
      error: error instanceof Error ? error.message : String(error),
    };
  }
}

const wired = (issues: readonly Issue[]): WireIssue[] =>
  issues.slice(0, MAX_ISSUES).map(({ path, code, message, against }) => ({
    path: path.join('.'),
    code,
    message,
    against,
  }));

type Service = Menu['services'][number];
type Category = NonNullable<Service['menu']>['categories'][number];

interface Offer {
  readonly menu: Menu;
  readonly service: Service;
  readonly category: Category;
  readonly offer: Category['offers'][number];
}

const offersOf = (menu: Menu): Offer[] =>
  menu.services.flatMap((service) =>
    (service.menu?.categories ?? []).flatMap((category) =>
      category.offers.map((offer) => ({ menu, service, category, offer })),
    ),
  );

function rowOf(
  { menu, service, category, offer }: Offer,
  index: number,
  clientId: string,
  at: number,
): MenuRow {
  const { item, price } = offer;
  return {
    key: `${service.id}/${category.id}/${offer.id}`,
    rank: -index,
    clientId,
    service: service.serviceType ?? '',
    category: category.name ?? '',
    offerId: offer.id,
    name: item.name ?? offer.id,
    description: (item.description ?? '').slice(0, 200),
    price: price?.value,
    originalPrice: price?.originalValue,
    currency: price?.currency ?? 'BRL',
    status: offer.status ?? 'AVAILABLE',
    options: offer.optionGroups.map(({ name }) => name ?? ''),
    ...unavailability(menu, offer, service, at),
  };
}

function unavailability(menu: Menu, offer: object, service: object, at: number): { unavailable?: string } {
  for (const entry of [service, offer]) {
    let why = menu.whyUnavailable(entry, at);
    while (why?.reason === 'parent') why = why.because;
    if (why) return { unavailable: `${why.kind} ${why.reason}` };
  }
  return {};
}
