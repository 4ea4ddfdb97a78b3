/** Ids that were remembered together, and for how much longer. */
export interface Remembered {
  readonly key: string;
  readonly ids: readonly string[];
  readonly forMs: number;
}

/** At most this many ids of one moment are given out at once. */
const MAX_IDS = 1000;

/** Ids of handled events, in the memory of one process. `now` is the monotonic clock's. */
export class HandledIds {
  readonly #handled = new Map<string, Map<string, number>>();

  remember(key: string, ids: readonly string[], forMs: number, now: number): void {
    let handled = this.#handled.get(key);
    if (!handled) {
      handled = new Map();
      this.#handled.set(key, handled);
    }
    for (const id of ids) {
      // Deleted first, so that the oldest entries stay in front and forgetting stops at the first fresh one.
      handled.delete(id);
      if (forMs > 0) handled.set(id, now + forMs);
    }
    for (const [id, until] of handled) {
      if (until > now) break;
      handled.delete(id);
    }
  }

  recall(key: string, ids: readonly string[], now: number): string[] {
    const handled = this.#handled.get(key);
    if (!handled || handled.size === 0) return [];
    return ids.filter((id) => (handled.get(id) ?? Number.NEGATIVE_INFINITY) > now);
  }

  /** All that is still known, oldest first; what is past its time is forgotten on the way. */
  *remembered(now: number): Generator<Remembered> {
    for (const [key, handled] of this.#handled) {
      let together: string[] = [];
      let ending = Number.NaN;
      for (const [id, until] of handled) {
        if (until <= now) {
          handled.delete(id);
          continue;
        }
        if (together.length > 0 && (until !== ending || together.length >= MAX_IDS)) {
          yield { key, ids: together, forMs: ending - now };
          together = [];
        }
        ending = until;
        together.push(id);
      }
      if (together.length > 0) yield { key, ids: together, forMs: ending - now };
    }
  }
}
