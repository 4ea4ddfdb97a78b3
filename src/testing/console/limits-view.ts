import { ENDPOINT_NAMES } from '../../hub/endpoints.js';
import type { HubState } from '../hub-state.js';
import type { MockStore } from '../mock-store.js';
import type { View } from './changes.js';
import { highestRanked, storesOf, type ViewQuery } from './query.js';
import type { LimitRow, TokenRow } from './wire.js';

/** Of each store. */
const MAX_TOKENS = 50;

/** The greatest fullness of each store while a page shows it: each page has a query of its own. */
const greatest = new WeakMap<ViewQuery, WeakMap<MockStore, number>>();

/**
 * The windows and tokens of the stores, first those that a 429 has blocked, then
 * those whose fullest window is or was the fullest since the page shows them:
 * otherwise stores would change places with each poll that enters or leaves a
 * window. `limit` is a number of stores.
 */
export function limitsView(state: HubState, query: ViewQuery): View {
  const stores = storesOf(state, query);
  const now = state.options.clock.monotonic();
  const known = greatest.get(query) ?? new WeakMap<MockStore, number>();
  greatest.set(query, known);
  const ranked = stores.map((store) => {
    const fullest = Math.max(known.get(store) ?? 0, fullness(store, now));
    known.set(store, fullest);
    return { store, rank: isBlocked(store, now) ? 2 : fullest };
  });
  const shown = highestRanked(ranked, query.limit).map(({ store }) => store);
  return {
    rows: shown.flatMap((store) => [...windowsOf(store, state), ...tokensOf(store, state)]),
    about: { total: stores.length, stores: shown.map(({ credentials }) => credentials.clientId) },
  };
}

/** Of the fullest window: from 0, no request, to 1. */
const fullness = ({ quotas }: MockStore, now: number): number =>
  Math.max(...[...quotas.values()].map((quota) => quota.times(now).length / quota.limit));

/** A 429 asks the application to wait. */
const isBlocked = ({ blocked }: MockStore, now: number): boolean =>
  [...blocked.values()].some(({ until }) => until > now);

function windowsOf(store: MockStore, { options: { clock, windows } }: HubState): LimitRow[] {
  const now = clock.monotonic();
  const { clientId } = store.credentials;
  return [...store.quotas].map(([endpoint, quota]) => {
    const times = quota.times(now);
    const until = store.blocked.get(endpoint)?.until ?? 0;
    return {
      key: `limit/${clientId}/${endpoint}`,
      rank: -ENDPOINT_NAMES.indexOf(endpoint),
      clientId,
      endpoint,
      limit: quota.limit,
      windowMs: quota.windowMs,
      times,
      resetsAt: windows === 'fixed' ? now + quota.resetMs(now) : undefined,
      blockedUntil: until > now ? until : undefined,
    };
  });
}

function tokensOf(store: MockStore, { journal, options: { clock } }: HubState): TokenRow[] {
  const now = clock.now();
  const { clientId } = store.credentials;
  return [...store.tokens]
    .slice(-MAX_TOKENS)
    .filter(([, expiresAt]) => expiresAt > now)
    .map(([token, expiresAt], index) => {
      const mask = journal.mask.of('token', token);
      return { key: `token/${mask}`, rank: -100 + index, clientId, token: mask, expiresAt };
    });
}
