import { instantOf } from '../schemas/date-time.js';
import type { CachedMenu } from './cached-menu.js';
import { diffMerchants, isUnchanged, type MerchantChanges } from './diff.js';

/**
 * What a refresh does with the cached document.
 *
 * - `keep`: the content is the same; the cached document stays, with a new TTL, and with the date if it can be read.
 * - `replace`: the fetched document takes its place.
 * - `regress`: the fetched document is older and not yet confirmed; the cached one stays. `at` is its `lastUpdate`.
 */
type RefreshDecision =
  | { readonly action: 'keep'; readonly lastUpdate: string | undefined }
  | { readonly action: 'replace'; readonly changes: MerchantChanges }
  | { readonly action: 'regress'; readonly at: number };

type Copy = Pick<CachedMenu, 'merchant' | 'lastUpdate' | 'regressedAt'>;

/**
 * Decides by `lastUpdate`, and by the content where `lastUpdate` is equal,
 * missing or unreadable.
 *
 * An older document is accepted once the hub has confirmed it: by returning it
 * again, or a newer one that is still older than the cached one. Otherwise one
 * document dated in the future would freeze the menu.
 */
export function decideRefresh(cached: Copy, fetched: Copy): RefreshDecision {
  const { regressedAt, lastUpdate } = cached;
  if (fetched.merchant === cached.merchant) return { action: 'keep', lastUpdate };
  const cachedAt = instantOf(lastUpdate);
  const fetchedAt = instantOf(fetched.lastUpdate);
  const isDated = cachedAt !== undefined && fetchedAt !== undefined;
  const isConfirmed = fetchedAt !== undefined && regressedAt !== undefined && fetchedAt >= regressedAt;
  if (isDated && fetchedAt < cachedAt && !isConfirmed) return { action: 'regress', at: fetchedAt };
  const changes = diffMerchants(cached.merchant, fetched.merchant);
  const hasNewDate = isDated && fetchedAt !== cachedAt;
  if (hasNewDate || !isUnchanged(changes)) return { action: 'replace', changes };
  return { action: 'keep', lastUpdate: fetchedAt === undefined ? lastUpdate : fetched.lastUpdate };
}
