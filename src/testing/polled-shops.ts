import type { HubState } from './hub-state.js';
import type { HubEvent, MockStore } from './mock-store.js';
import { type MockResponse, problem } from './response.js';
import type { MockRequest } from './router.js';

/** The most shops that one poll may name, by the standard. */
const MAX_SHOPS = 100;

/** The shops that a poll names with `x-polling-merchants`; undefined: all. */
export function polledShops({ headers }: MockRequest): ReadonlySet<string> | undefined {
  const header = headers.get('x-polling-merchants');
  return header === null ? undefined : new Set(header.split(',').map((shop) => shop.trim()));
}

export function refuseShops(
  shops: ReadonlySet<string> | undefined,
  state: HubState,
): MockResponse | undefined {
  if (!shops || shops.size <= MAX_SHOPS) return undefined;
  state.violate('polling-merchants', 'polling', `${shops.size} merchants in one poll; the limit is 100`);
  return problem(400, 'more than 100 merchants');
}

/** The shop of an event: its own, or that of the store's merchant document. */
export const shopOf = ({ merchantId }: HubEvent, { merchant }: MockStore): string =>
  String(merchantId ?? merchant.id);
