import type { MerchantSnapshot } from './cached-menu.js';
import type { MerchantChanges } from './diff.js';

/** What the listeners of `hub.merchant.on` get, for each name of an event. */
export type MerchantEvents = {
  /** Another document has replaced the cached one. */
  updated: {
    /** The snapshot before the update. */
    readonly previous: MerchantSnapshot;
    /** The new snapshot. */
    readonly current: MerchantSnapshot;
    /** The differences between the two documents. */
    readonly changes: MerchantChanges;
  };
  /**
   * The hub returned a document with an older `lastUpdate`. The client keeps the
   * cached copy (`held`). If the next refresh returns that document again, or another one
   * that is not older than that, it is accepted.
   */
  regressed: {
    /** The cached copy, which stays in use. */
    readonly held: MerchantSnapshot;
    /** `lastUpdate` of the older document. Undefined: it has none. */
    readonly received: string | undefined;
  };
};

/** How the merchant document is cached and read. */
export interface MerchantOptions {
  /**
   * How long after its TTL the cached copy is returned while the hub fails, in ms.
   *
   * @defaultValue 86 400 000 (24 hours)
   */
  readonly maxStaleMs: number;
  /**
   * `lenient` removes unusable entries and reports every deviation as an issue. `strict` throws on the first issue that
   * is against the standard or against sense, and `strict-spec` also on one that is only against the spec.
   *
   * @defaultValue `'lenient'`
   */
  readonly validation: 'lenient' | 'strict' | 'strict-spec';
}
