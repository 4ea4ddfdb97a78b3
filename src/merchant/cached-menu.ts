import type { Clock } from '../clock.js';
import type { Issue } from '../errors.js';
import type { Merchant } from '../schemas/merchant.js';

/** A merchant document and how fresh it is. While the menu is unchanged, `merchant` is the same object. */
export interface MerchantSnapshot {
  /** The document, deeply readonly. */
  readonly merchant: Merchant;
  /** As the hub wrote it. */
  readonly lastUpdate: string | undefined;
  /** Epoch ms of the last successful response of the hub. */
  readonly fetchedAt: number;
  /** Epoch ms at which the document's TTL ends. */
  readonly expiresAt: number;
  /** False within the TTL. After it: `expired` if the hub was not asked since, `error` if the request failed. */
  readonly stale: false | 'expired' | 'error';
  /** Where the document deviates from the spec, as lenient reading found it. */
  readonly issues: readonly Issue[];
}

/** The cached copy. Its age is measured on both clocks, because either may be wrong. */
export interface CachedMenu {
  readonly merchant: Merchant;
  readonly issues: readonly Issue[];
  /** Digest of the response body. */
  readonly digest: string;
  /** Epoch ms. */
  readonly fetchedAt: number;
  /** Monotonic ms. */
  readonly fetchedMonotonic: number;
  readonly ttlMs: number;
}

/** The greater of the ages on the wall clock and on the monotonic clock. */
export function ageMsOf(cached: CachedMenu, clock: Clock): number {
  return Math.max(clock.now() - cached.fetchedAt, clock.monotonic() - cached.fetchedMonotonic);
}

export function snapshotOf(cached: CachedMenu, stale: MerchantSnapshot['stale']): MerchantSnapshot {
  const { merchant, fetchedAt, ttlMs, issues } = cached;
  return {
    merchant,
    lastUpdate: merchant.lastUpdate,
    fetchedAt,
    expiresAt: fetchedAt + ttlMs,
    stale,
    issues,
  };
}
