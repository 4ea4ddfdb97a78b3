import { Limit } from '../async/promises.js';
import type { HubError } from '../errors/index.js';
import { BoundedMap } from './bounded-map.js';

/** The first wait before an id is retried, and before a hub that refuses everything is; each doubles. */
const FIRST_ID_BACKOFF_MS = 10 * 60_000;
const FIRST_HUB_BACKOFF_MS = 2 * 60_000;
const MAX_BACKOFF_MS = 6 * 3_600_000;

/** After this many refusals in a row, the ids may not be the cause. */
const REFUSALS_BY_HUB = 5;

/** At least this many refused ids are remembered. */
const MAX_IDS = 10_000;

interface Refusal {
  readonly error: HubError;
  /** How often it was refused alone; 0: it was refused only together with others. */
  readonly count: number;
  readonly refusedAt: number;
}

/** A refused id, as it is to be treated now. */
export interface RefusedId {
  /** The last refusal. */
  readonly error: HubError;
  /** Whether it was refused only together with others: one of those may be the cause. */
  readonly isSuspect: boolean;
  /** Whether it may be retried now. */
  readonly isDue: boolean;
}

/** Which acknowledgments the hub has refused. These are never sent together with new ones, and less and less often. */
export class RefusalBackoff {
  /** One refused batch is divided at a time: what becomes of it may decide for the others. */
  readonly dividing = new Limit(1);
  readonly #byId = new BoundedMap<string, Refusal>(MAX_IDS);
  readonly #now: () => number;
  /** Of ids that were not refused alone before. */
  readonly #hub: HubBackoff;
  /** Of ids that were: they do not delay the others. */
  readonly #retries: HubBackoff;

  /** @param now - monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
    this.#hub = new HubBackoff(now);
    this.#retries = new HubBackoff(now);
  }

  /**
   * A suspect is due when the hub is. One that came since the hub last refused everything
   * is due after two minutes: it may be good, and the hub may have had bad ids only.
   */
  find(eventId: string): RefusedId | undefined {
    const refusal = this.#byId.get(eventId);
    if (!refusal) return undefined;
    const { error, count, refusedAt } = refusal;
    const isSuspect = count === 0;
    const hasWaited = (firstMs: number) => this.#now() >= refusedAt + backoffMs(firstMs, Math.max(1, count));
    const isDue = isSuspect
      ? !this.isHubBackingOff || (refusedAt > this.#hub.refusedAt && hasWaited(FIRST_HUB_BACKOFF_MS))
      : !this.isHubBackingOff && !this.#retries.isBackingOff && hasWaited(FIRST_ID_BACKOFF_MS);
    return { error, isSuspect, isDue };
  }

  /** Whether the hub refused everything lately: until it is retried, no id is retried and no new batch divided. */
  get isHubBackingOff(): boolean {
    return this.#hub.isBackingOff;
  }

  accepted(eventId: string): void {
    this.#byId.delete(eventId);
    this.#hub.reset();
    this.#retries.reset();
  }

  /** The hub refused this id alone. */
  refused(eventId: string, error: HubError): void {
    const count = (this.#byId.get(eventId)?.count ?? 0) + 1;
    this.#byId.set(eventId, { error, count, refusedAt: this.#now() });
  }

  /** The hub refused this id together with others. */
  suspected(eventId: string, error: HubError): void {
    this.#byId.set(eventId, { error, count: 0, refusedAt: this.#now() });
  }

  /**
   * The hub accepted nothing, and refused this many ids alone.
   *
   * @param again - they were refused alone before.
   */
  acceptedNone(refusals: number, again: boolean): void {
    (again ? this.#retries : this.#hub).refused(refusals);
  }
}

/** How long a hub that accepts nothing is left alone. */
class HubBackoff {
  readonly #now: () => number;
  /** Ids refused alone since the hub last accepted one. */
  #inARow = 0;
  /** How often it has backed off since then. */
  #count = 0;
  #retryAt = Number.NEGATIVE_INFINITY;
  refusedAt = Number.NEGATIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isBackingOff(): boolean {
    return this.#now() < this.#retryAt;
  }

  reset(): void {
    this.#inARow = 0;
    this.#count = 0;
    this.#retryAt = Number.NEGATIVE_INFINITY;
  }

  refused(refusals: number): void {
    this.#inARow += refusals;
    if (refusals === 0 || this.#inARow < REFUSALS_BY_HUB) return;
    this.refusedAt = this.#now();
    if (this.isBackingOff) return;
    this.#count += 1;
    this.#retryAt = this.refusedAt + backoffMs(FIRST_HUB_BACKOFF_MS, this.#count);
  }
}

const backoffMs = (firstMs: number, count: number) => Math.min(MAX_BACKOFF_MS, firstMs * 2 ** (count - 1));
