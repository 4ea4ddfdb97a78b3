import { isEntry } from '../schemas/collections.js';
import { arrayOf, MAX_SCANNED, sortByIndex } from './entries.js';

/**
 * The entries of one array of a document, by id. The ids are indexed at the
 * first use, and an entry is resolved when something asks for it. Of several
 * entries with one id, the first that can be resolved is used.
 */
export class Collection<Source extends { readonly id: string }, Resolved extends object> {
  readonly #document: object;
  readonly #name: string;
  readonly #resolve: (source: Source) => Resolved | undefined;
  #sources: readonly Source[] = [];
  #positions: ReadonlyMap<string, number> | undefined;
  #resolved: (Resolved | undefined)[] = [];
  #sorted: readonly Resolved[] | undefined;
  /** The position after that of the last entry that was found. */
  #next = 0;

  /**
   * @param name - the key of the array in the document. Its value may be anything.
   * @param resolve - returns undefined for an entry that is not part of the menu.
   */
  constructor(document: object, name: string, resolve: (source: Source) => Resolved | undefined) {
    this.#document = document;
    this.#name = name;
    this.#resolve = resolve;
  }

  get(id: string): Resolved | undefined {
    const position = this.#positionOf(id);
    return position === undefined ? undefined : this.#at(position);
  }

  /**
   * The entries that ids name, each once, sorted by `index`; without ids all entries (the standard), in one array for
   * all callers.
   */
  linked(ids: readonly string[] | undefined): readonly Resolved[] {
    if (ids) return sortByIndex(this.#named(ids));
    this.#sorted ??= sortByIndex(this.values());
    return this.#sorted;
  }

  /** All entries, in the order of the document. */
  values(): Resolved[] {
    const entries: Resolved[] = [];
    for (const position of this.#index().values()) {
      const entry = this.#at(position);
      if (entry) entries.push(entry);
    }
    return entries;
  }

  /** The resolved entry for an entry of the array, or for itself; undefined for any other object. */
  resolvedOf(entry: { readonly id?: unknown }): Resolved | undefined {
    const position = this.#index().get(entry.id as string);
    if (position === undefined) return undefined;
    const resolved = this.#at(position);
    return resolved === entry || this.#sources[position] === entry ? resolved : undefined;
  }

  #named(ids: readonly string[]): Resolved[] {
    const found: Resolved[] = new Array(ids.length);
    let count = 0;
    let highest = -1;
    let mayRepeat = false;
    for (const id of ids) {
      const position = this.#positionOf(id);
      const entry = position === undefined ? undefined : this.#at(position);
      if (position === undefined || !entry) continue;
      if (position > highest) highest = position;
      else if (ids.length > MAX_SCANNED) mayRepeat = true;
      else if (found.includes(entry)) continue;
      found[count] = entry;
      count += 1;
    }
    found.length = count;
    return mayRepeat ? [...new Set(found)] : found;
  }

  #positionOf(id: string): number | undefined {
    const positions = this.#index();
    const next = this.#next;
    // Most documents list entries in the order in which others name them, and comparing a string is faster than
    // hashing it. If every value of the array has a position, there are no duplicates.
    const isNext =
      next < this.#sources.length &&
      positions.size === this.#sources.length &&
      this.#sources[next]?.id === id;
    const position = isNext ? next : positions.get(id);
    if (position !== undefined) this.#next = position + 1;
    return position;
  }

  #at(position: number): Resolved | undefined {
    this.#resolved[position] ??= this.#resolve(this.#sources[position] as Source);
    return this.#resolved[position];
  }

  #index(): ReadonlyMap<string, number> {
    if (!this.#positions) {
      this.#sources = arrayOf(Reflect.get(this.#document, this.#name)) as readonly Source[];
      this.#resolved = new Array(this.#sources.length);
      this.#positions = this.#positionsById();
    }
    return this.#positions;
  }

  #positionsById(): ReadonlyMap<string, number> {
    const positions = new Map<string, number>();
    for (const [position, entry] of this.#sources.entries()) {
      if (!isEntry(entry)) continue;
      const first = positions.get(entry.id);
      if (first !== undefined && this.#at(first)) continue;
      // In the place of the one that is used.
      if (first !== undefined) positions.delete(entry.id);
      positions.set(entry.id, position);
    }
    return positions;
  }
}
