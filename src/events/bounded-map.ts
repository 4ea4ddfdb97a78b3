/**
 * A map that keeps at least its newest `max` entries, and at most twice as
 * many. Full, it drops the older half at once: to delete the oldest entry of a
 * Map again and again takes longer each time.
 */
export class BoundedMap<Key, Value> {
  readonly #max: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  /** The newest values, the newest last. */
  newest(count: number): Value[] {
    return [...this.#old.values(), ...this.#young.values()].slice(-count);
  }

  get isEmpty(): boolean {
    return this.#young.size === 0 && this.#old.size === 0;
  }

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  /** Sets the entry and makes it the newest. */
  set(key: Key, value: Value): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#max) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
