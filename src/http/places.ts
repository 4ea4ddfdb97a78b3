import { Limit } from '../async/promises.js';

/** The places of the requests in flight. One store takes at most half of them, so that it leaves some to the others. */
export class Places {
  readonly #max: number;
  readonly #all: Limit;
  /** Of the stores that have requests in flight, or wait for a place. */
  readonly #byStore = new Map<object, Limit>();

  constructor(max: number) {
    this.#max = max;
    this.#all = new Limit(max);
  }

  /** Takes a place for a request of the store: at once, or when it is its turn. `leave` must follow. */
  enter(store: object, signal: AbortSignal): Promise<void> | undefined {
    let own = this.#byStore.get(store);
    if (!own) {
      own = new Limit(Math.ceil(this.#max / 2));
      this.#byStore.set(store, own);
    }
    const turn = own.enter(signal);
    return turn ? turn.then(() => this.#enterAll(store, signal)) : this.#enterAll(store, signal);
  }

  leave(store: object): void {
    this.#all.leave();
    this.#leaveOwn(store);
  }

  #enterAll(store: object, signal: AbortSignal): Promise<void> | undefined {
    return this.#all.enter(signal)?.catch((error) => {
      this.#leaveOwn(store);
      throw error;
    });
  }

  #leaveOwn(store: object): void {
    const own = this.#byStore.get(store);
    own?.leave();
    if (own?.isUnused) this.#byStore.delete(store);
  }
}
