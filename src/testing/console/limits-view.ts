import { ENDPOINT_NAMES } from '../../endpoints.js';
import type { HubState } from '../hub-state.js';
import type { MockStore } from '../mock-store.js';
import type { View } from './changes.js';
import { storesOf, type ViewQuery } from './query.js';
import type { LimitRow, TokenRow } from './wire.js';

const MAX_TOKENS = 50;

/** One store's windows and tokens; those of the first store, if the page shows all stores. */
export function limitsView(state: HubState, query: ViewQuery): View {
  const [store] = storesOf(state, query);
  if (!store) return { rows: [], about: { total: 0 } };
  const rows = [...windowsOf(store, state), ...tokensOf(store, state)];
  const { windows } = state.options;
  return { rows, about: { total: rows.length, clientId: store.credentials.clientId, windows } };
}

function windowsOf(store: MockStore, { options: { clock, windows } }: HubState): LimitRow[] {
  const now = clock.monotonic();
  return [...store.quotas].map(([endpoint, quota]) => {
    const times = quota.times(now);
    const blocked = store.blocked.get(endpoint);
    const isBlocked = blocked !== undefined && blocked.until > now;
    return {
      key: `limit/${endpoint}`,
      rank: -ENDPOINT_NAMES.indexOf(endpoint),
      endpoint,
      limit: quota.limit,
      windowMs: quota.windowMs,
      times,
      ...(windows === 'fixed' && { resetsAt: now - (now % quota.windowMs) + quota.windowMs }),
      ...(isBlocked && { blockedUntil: blocked.until }),
    };
  });
}

function tokensOf(store: MockStore, { journal, options: { clock } }: HubState): TokenRow[] {
  const now = clock.now();
  return [...store.tokens]
    .slice(-MAX_TOKENS)
    .filter(([, expiresAt]) => expiresAt > now)
    .map(([token, expiresAt], index) => {
      const mask = journal.mask.of('token', token);
      return { key: `token/${mask}`, rank: -100 + index, token: mask, expiresAt };
    });
}
