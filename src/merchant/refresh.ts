import { instantOf } from '../schemas/date-time.js';
import type { Merchant } from '../schemas/merchant.js';
import { diffMerchants, isUnchanged, type MerchantChanges } from './diff.js';

/**
 * What a refresh does with the cached document.
 *
 * - `keep`: the content is the same; the cached document stays, with a new TTL.
 * - `replace`: the fetched document takes its place.
 * - `regress`: the fetched document is older and not yet confirmed; the cached one stays. `at` is its `lastUpdate`.
 */
type RefreshDecision =
  | { readonly action: 'keep' }
  | { readonly action: 'replace'; readonly changes: MerchantChanges }
  | { readonly action: 'regress'; readonly at: number };

/**
 * Decides by `lastUpdate`, and by the content where `lastUpdate` is equal,
 * missing or unreadable.
 *
 * An older document is accepted once the hub has confirmed it: by returning it
 * again, or a newer one that is still older than the cached one. Otherwise one
 * document dated in the future would freeze the menu.
 *
 * @param regressedAt - `lastUpdate` of the last document that was refused as older, in epoch ms.
 */
export function decideRefresh(
  cached: Merchant,
  fetched: Merchant,
  regressedAt: number | undefined,
): RefreshDecision {
  if (fetched === cached) return { action: 'keep' };
  const cachedAt = instantOf(cached.lastUpdate);
  const fetchedAt = instantOf(fetched.lastUpdate);
  const isDated = cachedAt !== undefined && fetchedAt !== undefined;
  const isConfirmed = fetchedAt !== undefined && regressedAt !== undefined && fetchedAt >= regressedAt;
  if (isDated && fetchedAt < cachedAt && !isConfirmed) return { action: 'regress', at: fetchedAt };
  const changes = diffMerchants(cached, fetched);
  const hasNewDate = isDated && fetchedAt !== cachedAt;
  return !hasNewDate && isUnchanged(changes) ? { action: 'keep' } : { action: 'replace', changes };
}
