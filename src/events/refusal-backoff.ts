import type { HubError } from '../errors.js';

const ID_PAUSE_MS = 10 * 60_000;
const EVERYTHING_PAUSE_MS = 2 * 60_000;
/** So many refusals in a row are not about the ids. */
const STREAK_OF_EVERYTHING = 5;

const LONGEST_PAUSE_MS = 6 * 3_600_000;

/** Ids beyond this many are forgotten, the oldest first. */
const MAX_IDS = 10_000;

interface Refusal {
  readonly error: HubError;
  readonly times: number;
  readonly notBefore: number;
}

/** Which acknowledgments the hub has refused, so that they are asked alone, and ever more rarely. */
export class RefusalBackoff {
  readonly #byId = new Map<string, Refusal>();
  readonly #now: () => number;
  /** Refusals since anything was last accepted. */
  #streak = 0;
  #everything = { times: 0, notBefore: Number.NEGATIVE_INFINITY };

  /** @param now - monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The earlier refusal of an id, and whether it is time to ask again. */
  of(eventId: string): { error: HubError; due: boolean } | undefined {
    const refusal = this.#byId.get(eventId);
    return refusal && { error: refusal.error, due: this.mayAsk() && this.#now() >= refusal.notBefore };
  }

  note(eventId: string, error: HubError): void {
    this.#streak += 1;
    if (this.#streak % STREAK_OF_EVERYTHING === 0) this.refusedEverything();
    const times = (this.#byId.get(eventId)?.times ?? 0) + 1;
    this.#byId.delete(eventId);
    this.#byId.set(eventId, { error, times, notBefore: this.#now() + pauseMs(ID_PAUSE_MS, times) });
    if (this.#byId.size > MAX_IDS) this.#byId.delete(this.#byId.keys().next().value as string);
  }

  /** It was accepted, and so the hub does not refuse everything. */
  accepted(eventId: string): void {
    this.#byId.delete(eventId);
    this.#streak = 0;
    this.#everything = { times: 0, notBefore: Number.NEGATIVE_INFINITY };
  }

  /** Whether suspects are worth asking for and batches worth taking apart, or the hub lately refused everything. */
  mayAsk(): boolean {
    return this.#now() >= this.#everything.notBefore;
  }

  refusedEverything(): void {
    const times = this.#everything.times + 1;
    this.#everything = { times, notBefore: this.#now() + pauseMs(EVERYTHING_PAUSE_MS, times) };
  }
}

const pauseMs = (firstMs: number, times: number) => Math.min(LONGEST_PAUSE_MS, firstMs * 2 ** (times - 1));
