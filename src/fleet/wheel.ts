import { startTimer } from '../async/timer.js';
import type { Clock } from '../clock.js';

/**
 * Items that are due within this time of each other share a timer. The polls of
 * one tick begin at once, and each waits for the work of the others: with ten
 * thousand stores at two polls a minute, seventeen. Finer ticks wake the process
 * more often: at 20 ms, a poll takes a third more CPU time.
 */
export const TICK_MS = 50;

interface Tick<Item> {
  readonly items: Set<Item>;
  readonly cancel: () => void;
}

/** Calls back when items are due. Items that are due in the same tick share one timer. */
export class Wheel<Item> {
  readonly #clock: Clock;
  readonly #onDue: (item: Item, dueAt: number) => void;
  /** By the number of the tick since the clock's start. */
  readonly #ticks = new Map<number, Tick<Item>>();

  /** @param onDue - `dueAt`: monotonic ms; it may be called later. */
  constructor(clock: Clock, onDue: (item: Item, dueAt: number) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** @returns the tick at which the item is due, for `remove`: up to `TICK_MS` later than `inMs`. */
  add(item: Item, inMs: number): number {
    const now = this.#clock.monotonic();
    const tick = Math.ceil((now + inMs) / TICK_MS);
    let entry = this.#ticks.get(tick);
    if (!entry) {
      entry = {
        items: new Set(),
        cancel: startTimer(this.#clock, Math.max(0, tick * TICK_MS - now), () => this.#fire(tick)),
      };
      this.#ticks.set(tick, entry);
    }
    entry.items.add(item);
    return tick;
  }

  /** @param tick - what `add` has returned. */
  remove(item: Item, tick: number): void {
    const entry = this.#ticks.get(tick);
    if (!entry?.items.delete(item) || entry.items.size > 0) return;
    this.#ticks.delete(tick);
    entry.cancel();
  }

  #fire(tick: number): void {
    const items = this.#ticks.get(tick)?.items ?? [];
    this.#ticks.delete(tick);
    for (const item of items) this.#onDue(item, tick * TICK_MS);
  }
}
