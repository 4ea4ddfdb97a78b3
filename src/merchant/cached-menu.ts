import { createHash } from 'node:crypto';
import type { Issue } from '../errors/index.js';
import type { Merchant } from '../schemas/merchant.js';
import type { Moment } from '../time/clock.js';

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
  /** Where the document deviates from the spec, as lenient reading found it; then ids that do not exist or are there twice. */
  readonly issues: readonly Issue[];
}

/** The cached copy. */
export interface CachedMenu {
  readonly merchant: Merchant;
  /** The last one that the hub has sent with this content. */
  readonly lastUpdate: string | undefined;
  /** Of its document; computed at the first call. It holds no document itself: an unchanged one is not kept twice. */
  readonly issues: (merchant: Merchant) => readonly Issue[];
  /** An issue of the document that was read, with its path in the one that the hub sent. */
  readonly asSent: (issue: Issue) => Issue;
  /** Digest of the response body. */
  readonly digest: string;
  /** Its age is measured on both clocks, because either may be wrong. */
  readonly fetched: Moment;
  readonly ttlMs: number;
  /** `lastUpdate` of an older document that was not accepted since, in epoch ms. */
  readonly regressedAt?: number | undefined;
}

const sent = new WeakMap<MerchantSnapshot, CachedMenu['asSent']>();

/** For issues of a `Menu` of the snapshot's document: see `CachedMenu.asSent`. */
export const asSentOf = (snapshot: MerchantSnapshot): CachedMenu['asSent'] =>
  sent.get(snapshot) as CachedMenu['asSent'];

export function snapshotOf(cached: CachedMenu, stale: MerchantSnapshot['stale']): MerchantSnapshot {
  const { merchant, lastUpdate, fetched, ttlMs, issues, asSent } = cached;
  const snapshot: MerchantSnapshot = {
    merchant,
    lastUpdate,
    fetchedAt: fetched.wall,
    expiresAt: fetched.wall + ttlMs,
    stale,
    get issues() {
      return issues(merchant);
    },
  };
  sent.set(snapshot, asSent);
  return snapshot;
}

/** The response of the hub as it is kept in the state for the next process. */
interface StoredCopy extends Pick<CachedMenu, 'regressedAt'> {
  /** Epoch ms. */
  readonly fetchedAt: number;
  /** The body as text. */
  readonly text: string;
}

/** @param key - key of the state; part of the checksum, so that the copy of another store is refused. */
export function encodeCopy(key: string, { fetchedAt, regressedAt, text }: StoredCopy): string {
  const times = regressedAt === undefined ? `${fetchedAt}` : `${fetchedAt},${regressedAt}`;
  return `${times} ${checksumOf(key, times, text)}\n${text}`;
}

/** Undefined if the record is incomplete, changed or from another store. */
export function decodeCopy(key: string, record: string): StoredCopy | undefined {
  const end = record.indexOf('\n');
  const [times = '', checksum] = record.slice(0, end).split(' ');
  const text = record.slice(end + 1);
  if (checksum !== checksumOf(key, times, text)) return undefined;
  const [fetchedAt = 0, regressedAt] = times.split(',').map(Number);
  return { fetchedAt, regressedAt, text };
}

/**
 * Checksum over key, times and text. Without it any JSON found in the state
 * would pass, because an empty document is a valid one.
 */
const checksumOf = (key: string, times: string, text: string) => digestOf(`${key}\n${times}\n${text}`);

export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}
