import type { HubError } from '../errors/index.js';
import { BoundedMap } from './bounded-map.js';

/** The first wait before an id is retried, and before a hub that refuses everything is; each doubles. */
const FIRST_ID_BACKOFF_MS = 10 * 60_000;
const FIRST_HUB_BACKOFF_MS = 2 * 60_000;
const MAX_BACKOFF_MS = 6 * 3_600_000;

/** After this many refusals in a row, the ids are not the cause. */
const REFUSALS_BY_HUB = 5;

/** At least this many refused ids are remembered. */
const MAX_IDS = 10_000;

interface Refusal {
  readonly error: HubError;
  readonly count: number;
  readonly retryAt: number;
}

/** Which acknowledgments the hub has refused: these are sent alone, and less and less often. */
export class RefusalBackoff {
  readonly #byId = new BoundedMap<string, Refusal>(MAX_IDS);
  readonly #now: () => number;
  /** Refusals since the hub last accepted an id. */
  #refusalsInARow = 0;
  /** How often the hub has refused everything since then. */
  #hubRefusals = 0;
  #hubRetryAt = Number.NEGATIVE_INFINITY;

  /** @param now - monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The last refusal of an id, and whether the id may be retried now. */
  find(eventId: string): { readonly error: HubError; readonly isDue: boolean } | undefined {
    const refusal = this.#byId.get(eventId);
    if (!refusal) return undefined;
    const isDue = !this.isHubBackingOff && this.#now() >= refusal.retryAt;
    return { error: refusal.error, isDue };
  }

  /** Whether the hub refused everything lately: until it is retried, no id is retried and no batch bisected. */
  get isHubBackingOff(): boolean {
    return this.#now() < this.#hubRetryAt;
  }

  accepted(eventId: string): void {
    this.#byId.delete(eventId);
    this.#refusalsInARow = 0;
    this.#hubRefusals = 0;
    this.#hubRetryAt = Number.NEGATIVE_INFINITY;
  }

  /** The hub refused this id alone. */
  refused(eventId: string, error: HubError): void {
    this.#refusalsInARow += 1;
    if (this.#refusalsInARow % REFUSALS_BY_HUB === 0) this.refusedAll();
    const count = (this.#byId.get(eventId)?.count ?? 0) + 1;
    const retryAt = this.#now() + backoffMs(FIRST_ID_BACKOFF_MS, count);
    this.#byId.set(eventId, { error, count, retryAt });
  }

  /** The hub refused every item of a batch. */
  refusedAll(): void {
    this.#hubRefusals += 1;
    this.#hubRetryAt = this.#now() + backoffMs(FIRST_HUB_BACKOFF_MS, this.#hubRefusals);
  }
}

const backoffMs = (firstMs: number, count: number) => Math.min(MAX_BACKOFF_MS, firstMs * 2 ** (count - 1));
