import { Limit } from '../async/promises.js';
import { ApiError, type HubError } from '../errors/index.js';
import { BoundedMap } from './bounded-map.js';

/** The first wait before an id is retried, and before a hub that refuses everything is; each doubles. */
const FIRST_ID_BACKOFF_MS = 10 * 60_000;
const FIRST_HUB_BACKOFF_MS = 2 * 60_000;
const MAX_BACKOFF_MS = 6 * 3_600_000;

/** Of a hub that responds with server errors to everything: it will be well again. */
const MAX_ILL_BACKOFF_MS = 10 * 60_000;

/** After this many refusals in a row, the ids may not be the cause. */
const REFUSALS_BY_HUB = 5;

/** At least this many refused ids are remembered. */
const MAX_IDS = 10_000;

/** Statuses that may be about one item of a batch (Spec §4.4; in the standard, 404 is the response to an unknown id). */
const ITEM_STATUSES: ReadonlySet<number> = new Set([400, 404, 409, 413, 422]);

/** After this many batches that ended with a server error, one of their items may be the cause. */
const SERVER_ERRORS_OF_ITEM = 3;

/** A hub may fail at one item, and respond with 500 to each batch with it. So may a hub that is ill, for a while. */
export const isServerError = (error: unknown): boolean => error instanceof ApiError && error.status === 500;

interface Refusal {
  readonly error: HubError;
  /** How often it was refused alone; 0: it was refused only together with others. */
  readonly count: number;
  readonly refusedAt: number;
}

/** A refused id, as it is to be treated now. */
interface RefusedId {
  /** The last refusal. */
  readonly error: HubError;
  /** Whether it was refused only together with others: one of those may be the cause. */
  readonly isSuspect: boolean;
  /** Whether it may be retried now. */
  readonly isDue: boolean;
  /** Whether the hub has accepted another one since. */
  readonly isHubWell: boolean;
}

/** Which acknowledgments the hub has refused. These are never sent together with new ones, and less and less often. */
export class RefusalBackoff {
  /** One refused batch is divided at a time: what becomes of it may decide for the others. */
  readonly dividing = new Limit(1);
  readonly #byId = new BoundedMap<string, Refusal>(MAX_IDS);
  /** How many batches with an id ended with a server error. */
  readonly #serverErrors = new BoundedMap<string, number>(MAX_IDS);
  readonly #now: () => number;
  #acceptedAt = Number.NEGATIVE_INFINITY;
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
    return { error, isSuspect, isDue, isHubWell: this.#acceptedAt > refusedAt };
  }

  /** Whether the hub refused everything lately: until it is retried, no id is retried and no new batch divided. */
  get isHubBackingOff(): boolean {
    return this.#hub.isBackingOff;
  }

  /**
   * Whether an item of the batch may have caused the failure. A server error is one only after the whole batch was tried
   * again, or if it came while the cause of another one was searched. An event that fails alone keeps back no other.
   *
   * @param earlier - the refusal of the batch that this one is a part of.
   */
  mayBeAnItem(
    error: unknown,
    batch: ReadonlyArray<{ readonly eventId: string }>,
    earlier: HubError | undefined,
  ): error is ApiError {
    if (!isServerError(error)) return error instanceof ApiError && ITEM_STATUSES.has(error.status);
    if (isServerError(earlier)) return true;
    if (!earlier && batch.length === 1) return false;
    const counts = batch.map(({ eventId }) => (this.#serverErrors.get(eventId) ?? 0) + 1);
    for (const [at, { eventId }] of batch.entries()) this.#serverErrors.set(eventId, counts[at] as number);
    return counts.some((count) => count >= SERVER_ERRORS_OF_ITEM);
  }

  accepted(eventId: string): void {
    this.#acceptedAt = this.#now();
    this.#byId.delete(eventId);
    this.#serverErrors.delete(eventId);
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
   * @param isIll - by server errors.
   */
  acceptedNone(refusals: number, again: boolean, isIll: boolean): void {
    (again ? this.#retries : this.#hub).refused(refusals, isIll ? MAX_ILL_BACKOFF_MS : MAX_BACKOFF_MS);
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

  refused(refusals: number, maxMs: number): void {
    this.#inARow += refusals;
    if (refusals === 0 || this.#inARow < REFUSALS_BY_HUB) return;
    this.refusedAt = this.#now();
    if (this.isBackingOff) return;
    this.#count += 1;
    this.#retryAt = this.refusedAt + Math.min(maxMs, backoffMs(FIRST_HUB_BACKOFF_MS, this.#count));
  }
}

const backoffMs = (firstMs: number, count: number) => Math.min(MAX_BACKOFF_MS, firstMs * 2 ** (count - 1));
