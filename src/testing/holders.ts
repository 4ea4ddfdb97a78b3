/** After this much real time without progress, held work counts as hanging; half as much the next time. */
const MAX_STILL_MS = 2000;
const MIN_STILL_MS = 500;

/** Who keeps a `ManualClock` from moving on: work that takes real time. Some of it is asleep on the clock itself. */
export class Holders {
  readonly #onProgress: () => void;
  readonly #held = new Set<object>();
  /** One entry for each holder that is asleep on the clock. Which holder it is, is not known. */
  readonly #parked = new Set<object>();
  /** How many holders hang, so that nobody waits for them any more. They are among the suspects. */
  #hanging = 0;
  #suspects: ReadonlySet<object> = new Set();
  #maxStillMs = MAX_STILL_MS;

  constructor(onProgress: () => void) {
    this.#onProgress = onProgress;
  }

  get areWaitedFor(): boolean {
    return this.#held.size - this.#hanging > this.#parked.size;
  }

  hold(): () => void {
    const holder = {};
    this.#held.add(holder);
    return () => {
      if (!this.#held.delete(holder)) return;
      if (this.#suspects.has(holder)) this.#oneLessHangs();
      this.#onProgress();
    };
  }

  park(): () => void {
    const holder = {};
    this.#parked.add(holder);
    this.#oneLessHangs();
    this.#onProgress();
    return () => void this.#parked.delete(holder);
  }

  /** There was no progress for so long. @returns whether nobody waits any longer. */
  hangAfter(stillMs: number): boolean {
    if (stillMs <= this.#maxStillMs) return false;
    this.#maxStillMs = Math.max(MIN_STILL_MS, this.#maxStillMs / 2);
    this.#hanging = this.#held.size - this.#parked.size;
    this.#suspects = new Set(this.#held);
    return true;
  }

  /** A holder has ended or parked that may have been one of those that hang: rather wait for the others once more. */
  #oneLessHangs(): void {
    this.#hanging = Math.max(0, this.#hanging - 1);
  }
}
