import { type Clock, startTimer } from '../time/clock.js';
import type { Store } from './store.js';

export interface SchedulerOptions {
  readonly clock: Clock;
  /** A store's turn: polls, and resolves when it is over. It must not reject. */
  readonly turn: (store: Store) => Promise<void>;
  readonly intervalMs: number;
  /** At most this many turns wait for their polls at a time. */
  readonly turnsInProgress: number;
  /** Stores that are due within this time of each other share a wake-up of the process. */
  readonly stepMs: number;
}

/**
 * Stores that became late together begin at this multiple of the mean rate, beside those that are on time; what falls
 * into this time may begin at once.
 */
const CATCH_UP_RATE = 2;
const BURST_MS = 300;

/** A few stores are not paced: two a second are no herd. */
const LONGEST_SPACING_MS = 500;

/** Until a store that may not be polled is asked again, in ms. */
const ASK_AGAIN_MS = 1000;

/**
 * Gives every store its turn when it is due: a heap ordered by `dueAt`, one
 * timer, one bound on turns in progress. Pause, standby, backoff, Retry-After and phase are values of
 * `dueAt`. After an outage, all starts together are at most three times the mean rate.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #heap: Store[] = [];
  #cancelTimer: (() => void) | undefined;
  #armedFor = Number.POSITIVE_INFINITY;
  readonly #polling = new Set<Store>();
  /** Whether a store may be polled at this moment; if not, it is asked again a second later. */
  mayPoll: ((store: Store) => boolean) | undefined;
  /** How many stores share the interval. */
  #stores = 0;
  /** At the catch-up rate, all turns so far would have begun until then, in monotonic ms. */
  #pacedUntil = 0;
  /** When it last looked for stores that are due, in monotonic ms. */
  #lookedAt = 0;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** A store has come, or has gone. */
  counted(by: 1 | -1): void {
    this.#stores += by;
  }

  /** The store has its turn at `dueAt`; called again, at its new `dueAt`. */
  add(store: Store): void {
    if (store.heapIndex < 0) {
      store.heapIndex = this.#heap.length;
      this.#heap.push(store);
    }
    this.#sift(store);
    if (store.dueAt <= this.#options.clock.monotonic()) this.#run();
    else this.#arm();
  }

  /** Its `dueAt` has changed; a store that has no turn to come is left alone. */
  changed(store: Store): void {
    if (store.heapIndex >= 0) this.add(store);
  }

  remove(store: Store): void {
    this.#take(store);
    this.#arm();
  }

  #take(store: Store): void {
    const index = store.heapIndex;
    if (index < 0) return;
    store.heapIndex = -1;
    const last = this.#heap.pop() as Store;
    if (last === store) return;
    this.#put(last, index);
    this.#sift(last);
  }

  /** The store's poll has succeeded, or its turn is over: its place is another's. */
  polled(store: Store): void {
    if (this.#polling.delete(store)) this.#run();
  }

  /** See `PollerHealth.stuckMs`. A store that waits for a place waits for the hub or the state, as those that have the places do. */
  get stuckMs(): number {
    const [first] = this.#heap;
    const { clock, turnsInProgress } = this.#options;
    if (!first || this.#polling.size >= turnsInProgress) return 0;
    return Math.max(0, Math.floor(clock.monotonic() - Math.max(first.dueAt, this.#lookedAt)));
  }

  #run(): void {
    const { clock, turn, intervalMs, turnsInProgress } = this.#options;
    const now = clock.monotonic();
    this.#lookedAt = now;
    const spacingMs = Math.min(LONGEST_SPACING_MS, intervalMs / (CATCH_UP_RATE * Math.max(1, this.#stores)));
    for (let store = this.#heap[0]; store && store.dueAt <= now; store = this.#heap[0]) {
      if (this.#polling.size >= turnsInProgress || this.#pacedUntil > now + BURST_MS) break;
      if (this.mayPoll?.(store) === false) {
        store.dueAt = now + ASK_AGAIN_MS;
        this.#sift(store);
        continue;
      }
      this.#take(store);
      this.#pacedUntil = Math.max(this.#pacedUntil, now) + spacingMs;
      this.#polling.add(store);
      void turn(store);
    }
    this.#arm();
  }

  /** Sets the timer for the first store, unless it waits for a place. */
  #arm(): void {
    const [first] = this.#heap;
    const { clock, stepMs, turnsInProgress } = this.#options;
    if (first && this.#polling.size >= turnsInProgress) return;
    const dueAt = first ? Math.max(first.dueAt, this.#pacedUntil - BURST_MS) : Number.POSITIVE_INFINITY;
    const at = stepMs > 0 ? Math.ceil(dueAt / stepMs) * stepMs : dueAt;
    if (this.#cancelTimer && this.#armedFor === at) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#armedFor = at;
    if (!first) return;
    this.#cancelTimer = startTimer(clock, at - clock.monotonic(), () => {
      this.#cancelTimer = undefined;
      this.#run();
    });
  }

  /** Moves a store up or down in the heap, to where its `dueAt` belongs. */
  #sift(store: Store): void {
    const heap = this.#heap;
    let index = store.heapIndex;
    for (let parent = (index - 1) >> 1; index > 0; parent = (index - 1) >> 1) {
      const above = heap[parent] as Store;
      if (above.dueAt <= store.dueAt) break;
      this.#put(above, index);
      index = parent;
    }
    for (let child = 2 * index + 1; child < heap.length; child = 2 * index + 1) {
      const right = heap[child + 1];
      if (right && right.dueAt < (heap[child] as Store).dueAt) child += 1;
      const below = heap[child] as Store;
      if (below.dueAt >= store.dueAt) break;
      this.#put(below, index);
      index = child;
    }
    this.#put(store, index);
  }

  #put(store: Store, index: number): void {
    this.#heap[index] = store;
    store.heapIndex = index;
  }
}
