/**
 * A map that keeps at least its newest `max` entries, and at most twice as
 * many. Full, it drops the older half at once: to delete the oldest entry of a
 * Map again and again takes longer each time. An empty one has no Map: most
 * stay empty, and there are several for each store.
 */
export class BoundedMap<Key, Value> {
  readonly #max: number;
  #young: Map<Key, Value> | undefined;
  #old: Map<Key, Value> | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get(key: Key): Value | undefined {
    return this.#young?.get(key) ?? this.#old?.get(key);
  }

  /** Sets the entry and makes it the newest. */
  set(key: Key, value: Value): void {
    this.#young ??= new Map();
    this.#young.set(key, value);
    if (this.#young.size < this.#max) return;
    this.#old = this.#young;
    this.#young = undefined;
  }

  delete(key: Key): void {
    this.#young?.delete(key);
    this.#old?.delete(key);
  }
}
