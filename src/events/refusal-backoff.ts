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
  /** Ids refused alone since the hub last accepted one. */
  #refusalsInARow = 0;
  /** How often the hub has refused everything since then. */
  #hubRefusals = 0;
  #hubRefusedAt = Number.NEGATIVE_INFINITY;
  #hubRetryAt = Number.NEGATIVE_INFINITY;

  /** @param now - monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
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
      ? !this.isHubBackingOff || (refusedAt > this.#hubRefusedAt && hasWaited(FIRST_HUB_BACKOFF_MS))
      : !this.isHubBackingOff && hasWaited(FIRST_ID_BACKOFF_MS);
    return { error, isSuspect, isDue };
  }

  /** Whether the hub refused everything lately: until it is retried, no id is retried and no new batch divided. */
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
    const count = (this.#byId.get(eventId)?.count ?? 0) + 1;
    this.#byId.set(eventId, { error, count, refusedAt: this.#now() });
  }

  /** The hub refused this id together with others. */
  suspected(eventId: string, error: HubError): void {
    this.#byId.set(eventId, { error, count: 0, refusedAt: this.#now() });
  }

  /** The hub accepted nothing, and refused this many ids alone. */
  acceptedNone(refusals: number): void {
    this.#refusalsInARow += refusals;
    if (refusals === 0 || this.#refusalsInARow < REFUSALS_BY_HUB) return;
    this.#hubRefusedAt = this.#now();
    if (this.isHubBackingOff) return;
    this.#hubRefusals += 1;
    this.#hubRetryAt = this.#now() + backoffMs(FIRST_HUB_BACKOFF_MS, this.#hubRefusals);
  }
}

const backoffMs = (firstMs: number, count: number) => Math.min(MAX_BACKOFF_MS, firstMs * 2 ** (count - 1));
