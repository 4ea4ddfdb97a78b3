import type { Issue } from '../../errors.js';
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

/** One store's menu as customers see it now: those of the first store, if the page shows all stores. */
export function menuView(state: HubState, query: ViewQuery): View {
  const [store] = storesOf(state, query);
  if (!store) return { rows: [], about: { total: 0 } };
  const { menu, issues, error } = readOf(store);
  const rows = menu ? offersOf(menu, state.options.clock.now(), query.limit) : [];
  const { clientId } = store.credentials;
  return { rows, about: { total: rows.length, clientId, issues, ...(error !== undefined && { error }) } };
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
    const { merchant, issues } = readMerchant(structuredClone(document), 'lenient');
    const menu = new Menu(merchant, { timeZone: TIME_ZONE });
    return { menu, issues: wired([...issues, ...menu.issues]) };
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

function offersOf(menu: Menu, at: number, limit: number): MenuRow[] {
  const rows: MenuRow[] = [];
  for (const service of menu.services) {
    for (const category of service.menu?.categories ?? []) {
      for (const offer of category.offers) {
        if (rows.length >= limit) return rows;
        const { item, price } = offer;
        rows.push({
          key: `${service.id}/${category.id}/${offer.id}`,
          rank: -rows.length,
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
        });
      }
    }
  }
  return rows;
}

function unavailability(menu: Menu, offer: object, service: object, at: number): { unavailable?: string } {
  for (const entry of [service, offer]) {
    let why = menu.whyUnavailable(entry, at);
    while (why?.reason === 'parent') why = why.because;
    if (why) return { unavailable: `${why.kind} ${why.reason}` };
  }
  return {};
}
