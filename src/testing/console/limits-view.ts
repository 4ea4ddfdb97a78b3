import { ENDPOINT_NAMES } from '../../endpoints.js';
import type { HubState } from '../hub-state.js';
import type { MockStore } from '../mock-store.js';
import type { View } from './changes.js';
import { newest, storesOf, type ViewQuery } from './query.js';
import type { LimitRow, TokenRow } from './wire.js';

/** Of each store. */
const MAX_TOKENS = 50;

/** The windows and tokens of the stores whose fullest window is the fullest; `limit` is a number of stores. */
export function limitsView(state: HubState, query: ViewQuery): View {
  const stores = storesOf(state, query);
  const now = state.options.clock.monotonic();
  const ranked = stores.map((store) => ({ store, rank: fullness(store, now) }));
  const shown = newest(ranked, query.limit).map(({ store }) => store);
  return {
    rows: shown.flatMap((store) => [...windowsOf(store, state), ...tokensOf(store, state)]),
    about: { total: stores.length, stores: shown.map(({ credentials }) => credentials.clientId) },
  };
}

/** From 0, no request, to 1, a full window; 2 while a 429 asks the application to wait. */
function fullness({ quotas, blocked }: MockStore, now: number): number {
  const shares = [...quotas].map(([endpoint, quota]) =>
    (blocked.get(endpoint)?.until ?? 0) > now ? 2 : quota.times(now).length / quota.limit,
  );
  return Math.max(...shares);
}

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
      ...(windows === 'fixed' && { resetsAt: now - (now % quota.windowMs) + quota.windowMs }),
      ...(until > now && { blockedUntil: until }),
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
