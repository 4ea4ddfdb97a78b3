import * as timers from 'node:timers';

/** Bound at import, so that fake timers do not affect it. */
const { setImmediate } = timers;

interface Entry {
  readonly at: number;
  /** Entries of one instant run in this sequence. */
  readonly place: number;
  /** Undefined after the entry was cancelled. */
  run: (() => void) | undefined;
}

/**
 * The time of a simulation, and what happens when: a heap of callbacks.
 *
 * After each callback the event loop turns once, so that all promises settle
 * that depend on it. Nothing in a simulation waits for real input or output.
 */
export class Agenda {
  /** Milliseconds since the simulation began. */
  now = 0;
  readonly #heap: Entry[] = [];
  #places = 0;

  /** @returns a function that cancels the callback. */
  at(instant: number, run: () => void): () => void {
    this.#places += 1;
    const entry: Entry = { at: Math.max(instant, this.now), place: this.#places, run };
    this.#push(entry);
    return () => {
      entry.run = undefined;
    };
  }

  /** Runs what is due until then, and moves the time there. */
  runUntil(end: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const next = () => {
        try {
          const first = this.#pop(end);
          if (!first) {
            this.now = end;
            resolve();
            return;
          }
          this.now = first.at;
          first.run?.();
        } catch (error) {
          reject(error);
          return;
        }
        setImmediate(next);
      };
      setImmediate(next);
    });
  }

  /** Moves the time without running anything: nothing may be due until then. */
  jumpTo(instant: number): void {
    const first = this.#heap.find(({ run, at }) => run && at < instant);
    if (first) throw new Error(`something is due at ${first.at} ms`);
    this.now = instant;
  }

  #pop(end: number): Entry | undefined {
    const heap = this.#heap;
    while (heap[0] && (!heap[0].run || heap[0].at <= end)) {
      const first = heap[0];
      const last = heap.pop() as Entry;
      if (heap.length > 0) this.#sinkFromTop(last);
      if (first.run) return first;
    }
    return undefined;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = heap[parentAt] as Entry;
      if (!isBefore(entry, parent)) break;
      heap[at] = parent;
      at = parentAt;
    }
    heap[at] = entry;
  }

  #sinkFromTop(entry: Entry): void {
    const heap = this.#heap;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const right = heap[child + 1];
      if (right && isBefore(right, heap[child] as Entry)) child += 1;
      if (!isBefore(heap[child] as Entry, entry)) break;
      heap[at] = heap[child] as Entry;
      at = child;
    }
    heap[at] = entry;
  }
}

const isBefore = (one: Entry, other: Entry) =>
  one.at < other.at || (one.at === other.at && one.place < other.place);
