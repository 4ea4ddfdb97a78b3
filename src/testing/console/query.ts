import { ENDPOINT_NAMES, type EndpointName } from '../../hub/endpoints.js';
import type { HubState } from '../hub-state.js';
import type { MockStore } from '../mock-store.js';

/** What a page asks to see. */
export interface ViewQuery {
  readonly section: string;
  /** Undefined: all stores. */
  readonly clientId: string | undefined;
  readonly limit: number;
  readonly endpoint: EndpointName | undefined;
  readonly onlyFailed: boolean;
  /** In lower case. */
  readonly text: string;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 2000;

/** Reads the query string of the page; an invalid value counts as absent. */
export function readQuery(given: URLSearchParams): ViewQuery {
  const limit = Number(given.get('limit') ?? DEFAULT_LIMIT);
  return {
    section: given.get('section') ?? '',
    clientId: given.get('clientId') || undefined,
    limit: limit >= 1 ? Math.min(MAX_LIMIT, Math.floor(limit)) : DEFAULT_LIMIT,
    endpoint: ENDPOINT_NAMES.find((name) => name === given.get('endpoint')),
    onlyFailed: given.get('failed') === '1',
    text: (given.get('text') ?? '').toLowerCase(),
  };
}

/** The stores that a page asks for. A store that does not exist has nothing to show. */
export function storesOf({ stores }: HubState, { clientId }: ViewQuery): readonly MockStore[] {
  if (clientId === undefined) return stores.all;
  const store = stores.withClientId(clientId);
  return store ? [store] : [];
}

/** The greatest ranks first, at most `limit`. */
export function highestRanked<Row extends { readonly rank: number }>(
  rows: readonly Row[],
  limit: number,
): Row[] {
  return [...rows].sort((one, other) => other.rank - one.rank).slice(0, limit);
}
