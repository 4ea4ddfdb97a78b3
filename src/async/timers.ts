import type { Clock } from '../clock.js';

/** A callback that is due at an instant of the monotonic clock. */
interface Timer {
  readonly dueAt: number;
  /** Timers that are due at the same instant fire in this sequence. */
  readonly place: number;
  /** Undefined after the timer was cancelled. */
  onDue: (() => void) | undefined;
}

/** With more cancelled timers than this, and more than live ones, the heap is built again without them. */
const MAX_CANCELLED = 1000;

/** A sleep that is overdue by this much is lost, or its process was suspended; then one more sleep does no harm. */
const LOST_AFTER_MS = 1000;

/** More sleeps than this at a time are replaced by one: each has a listener at the same signal. */
const MAX_SLEEPS = 8;

/**
 * All timers of one clock, with few sleeps: a sleep costs a promise and a timer
 * of the runtime; a request with a deadline, or a listener with a time limit,
 * usually costs none, because an earlier sleep is under way.
 */
export class Timers {
  readonly #clock: Clock;
  /** A binary heap; cancelled timers stay in it until they would be due. */
  readonly #heap: Timer[] = [];
  #places = 0;
  /** Timers that are not cancelled. */
  #live = 0;
  /** When the sleeps under way end, the next one last. */
  #sleeps: number[] = [];
  /** Ends all of them. */
  #controller = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns a function that cancels the timer, and has no effect after `onDue`. */
  start(ms: number, onDue: () => void): () => void {
    this.#places += 1;
    const timer: Timer = { dueAt: this.#clock.monotonic() + ms, place: this.#places, onDue };
    this.#live += 1;
    push(this.#heap, timer);
    this.#sleepUntilFirst();
    return () => this.#cancel(timer);
  }

  #cancel(timer: Timer): void {
    if (!timer.onDue) return;
    timer.onDue = undefined;
    this.#live -= 1;
    if (this.#live === 0) {
      // No timer of the runtime is left behind: it would keep the process alive.
      this.#heap.length = 0;
      this.#endSleeps();
    } else if (this.#heap.length > MAX_CANCELLED + 2 * this.#live) this.#compact();
  }

  #compact(): void {
    const live = this.#heap.filter(({ onDue }) => onDue);
    this.#heap.length = 0;
    for (const timer of live) push(this.#heap, timer);
  }

  #endSleeps(): void {
    if (this.#sleeps.length === 0) return;
    this.#sleeps = [];
    this.#controller.abort('cancelled');
    this.#controller = new AbortController();
  }

  #sleepUntilFirst(): void {
    const [first] = this.#heap;
    this.#forgetLostSleeps();
    if (!first || first.dueAt >= (this.#sleeps.at(-1) ?? Number.POSITIVE_INFINITY)) return;
    if (this.#sleeps.length === MAX_SLEEPS) this.#endSleeps();
    const { dueAt } = first;
    const { signal } = this.#controller;
    this.#sleeps.push(dueAt);
    this.#clock.sleep(Math.max(0, dueAt - this.#clock.monotonic()), signal).then(
      () => {
        if (!signal.aborted) this.#awake(dueAt);
      },
      () => {},
    );
  }

  /** A sleep that should have ended long ago never will: its fake timers were removed, for example. */
  #forgetLostSleeps(): void {
    const next = this.#sleeps.at(-1);
    if (next !== undefined && next < this.#clock.monotonic() - LOST_AFTER_MS) this.#endSleeps();
  }

  /** A sleep has ended. */
  #awake(sleptUntil: number): void {
    this.#sleeps = this.#sleeps.filter((dueAt) => dueAt !== sleptUntil);
    const now = this.#clock.monotonic();
    for (let [first] = this.#heap; first && (!first.onDue || first.dueAt <= now); [first] = this.#heap) {
      pop(this.#heap);
      const { onDue } = first;
      if (!onDue) continue;
      first.onDue = undefined;
      this.#live -= 1;
      onDue();
    }
    if (this.#live === 0) this.#endSleeps();
    else this.#sleepUntilFirst();
  }
}

const isBefore = (one: Timer, other: Timer) =>
  one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.place < other.place);

function push(heap: Timer[], timer: Timer): void {
  let at = heap.length;
  heap.push(timer);
  while (at > 0) {
    const parentAt = (at - 1) >> 1;
    const parent = heap[parentAt] as Timer;
    if (!isBefore(timer, parent)) break;
    heap[at] = parent;
    at = parentAt;
  }
  heap[at] = timer;
}

/** Removes the first timer. */
function pop(heap: Timer[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let at = 0;
  while (true) {
    let childAt = 2 * at + 1;
    const right = heap[childAt + 1];
    if (right && isBefore(right, heap[childAt] as Timer)) childAt += 1;
    const child = heap[childAt];
    if (!child || !isBefore(child, last)) break;
    heap[at] = child;
    at = childAt;
  }
  heap[at] = last;
}
