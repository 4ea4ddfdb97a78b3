import { ClosedError, HubError } from '../errors/index.js';
import type { Clock } from '../time/clock.js';

/** Whether `await` would wait for the value: it has a `then` method. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const mayHaveThen = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return mayHaveThen && 'then' in value && typeof value.then === 'function';
}

/** What a call returns; undefined if it fails. */
export async function unlessFails<T>(call: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch {
    return undefined;
  }
}

/** Our callbacks per signal. Each signal gets a single listener that calls them all. */
const callbacksOf = new WeakMap<
  AbortSignal,
  { readonly callbacks: Set<() => void>; readonly listener: () => void }
>();

/**
 * Calls `callback` when the signal aborts. All callbacks of a signal share one listener: adding a listener takes an
 * event target longer the more it has, and Node warns of a leak from the eleventh on.
 *
 * @param callback - a function that was not given before.
 * @returns a function that removes the callback.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let entry = callbacksOf.get(signal);
  if (!entry) {
    const all = new Set<() => void>();
    const listener = () => {
      for (const each of all) each();
    };
    entry = { callbacks: all, listener };
    callbacksOf.set(signal, entry);
    signal.addEventListener('abort', listener, { once: true });
  }
  const { callbacks, listener } = entry;
  callbacks.add(callback);
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return;
    signal.removeEventListener('abort', listener);
    callbacksOf.delete(signal);
  };
}

/** Settles like `promise`, or rejects with the signal's reason if that aborts first. The work behind `promise` continues. */
export function abandonOnAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) promise.catch(() => {});
    signal.throwIfAborted();
    const remove = onAbort(signal, () => reject(signal.reason));
    promise.then(
      (value) => {
        remove();
        resolve(value);
      },
      (error: unknown) => {
        remove();
        reject(error);
      },
    );
  });
}

/**
 * Yields the set's first element until the set is empty. The loop body must delete it. One iterator for the whole loop:
 * with a new one each time, it would take quadratic time.
 */
export function* drain<T>(set: ReadonlySet<T>): Generator<T> {
  for (const element of set) while (set.has(element)) yield element;
}

/** Lets at most `max` calls run at a time; the others wait, first come first served. */
export class Limit {
  readonly #max: number;
  /** Created when a call has to wait: there are several limits for each store. */
  #waiting: Set<() => void> | undefined;
  #turns: Iterator<() => void> | undefined;
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether the next call would have to wait. */
  get isFull(): boolean {
    return this.#running >= this.#max;
  }

  get isUnused(): boolean {
    return this.#running === 0;
  }

  /**
   * Settles as `work` does, which starts at once if the limit allows it.
   *
   * @param signal - takes a waiting call out of the queue, which then rejects with the signal's reason.
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.enter(signal);
    if (turn) await turn;
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Takes a place: at once, or when it is this caller's turn. `leave` must follow. */
  enter(signal?: AbortSignal): Promise<void> | undefined {
    if (this.#running >= this.#max) return this.#place(signal);
    this.#running += 1;
    return undefined;
  }

  /** Resolves when a call that ends has passed its place on. */
  #place(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const take = () => {
        stopListening?.();
        resolve();
      };
      const stopListening =
        signal &&
        onAbort(signal, () => {
          this.#waiting?.delete(take);
          stopListening?.();
          reject(signal.reason);
        });
      this.#waiting ??= new Set();
      this.#turns ??= drain(this.#waiting);
      this.#waiting.add(take);
    });
  }

  /** Passes a place on. */
  leave(): void {
    const next = this.#turns?.next();
    if (!next || next.done) {
      this.#turns = undefined;
      this.#running -= 1;
      return;
    }
    this.#waiting?.delete(next.value);
    next.value();
  }
}

/**
 * Runs one piece of work at a time and shares its result among all callers. A caller that aborts stops waiting; the run
 * continues for the others.
 *
 * A run has the limits (time-out, retries) of the caller that started it. If it fails in a way that other limits may
 * change, a caller with other limits starts one more run with its own: a short time-out of one never fails the others.
 */
export class SingleFlight<T> {
  #flight: { readonly run: Promise<T>; readonly limits: string } | undefined;

  /** @param limits - a key that is equal for callers with equal limits. */
  async run(work: () => Promise<T>, signal?: AbortSignal, limits = ''): Promise<T> {
    while (true) {
      signal?.throwIfAborted();
      let flight = this.#flight;
      if (!flight) {
        const run = work().finally(() => {
          this.#flight = undefined;
        });
        flight = { run, limits };
        this.#flight = flight;
      }
      try {
        return await abandonOnAbort(flight.run, signal);
      } catch (error) {
        const mayDiffer = flight.limits !== limits && error instanceof HubError && error.retryable;
        if (!mayDiffer || signal?.aborted) throw error;
      }
    }
  }
}

/** Knows the work in progress, so that `close` can abort all of it. */
export class Lifetime {
  readonly #aborts = new Set<(reason: unknown) => void>();
  #closed: ClosedError | undefined;
  #closing: Promise<void> | undefined;

  /** @throws {ClosedError} after `close`. */
  throwIfClosed(): void {
    if (this.#closed) throw this.#closed;
  }

  /** Work begins; `abort` is called at `close`, and by `abort`. @returns a function to call when the work is over. */
  begin(abort: (reason: unknown) => void): () => void {
    this.#aborts.add(abort);
    return () => void this.#aborts.delete(abort);
  }

  /** Settles as `work` does, which may continue after `close`. @throws {ClosedError} it is closed, before or during the work. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.throwIfClosed();
    let end = () => {};
    const closed = new Promise<void>((resolve, reject) => {
      const remove = this.begin(reject);
      end = () => {
        remove();
        resolve();
      };
    });
    const running = async () => {
      try {
        return await work();
      } finally {
        end();
      }
    };
    // With `await` and `Promise.all` alone, the stack of an error names the callers.
    return (await Promise.all([running(), closed]))[0];
  }

  /** Waits. @throws {ClosedError} it is closed, before or during the wait. */
  async sleep(clock: Clock, ms: number): Promise<void> {
    this.throwIfClosed();
    const controller = new AbortController();
    await clock.sleep(ms, controller.signal).finally(this.begin((reason) => controller.abort(reason)));
  }

  /** Aborts the work in progress, by a copy of the list: other work may begin at once. */
  abort(reason: unknown): void {
    for (const abort of [...this.#aborts]) abort(reason);
  }

  /** Aborts the work in progress with `ClosedError`, then runs `end`. Further calls wait for the first. */
  close(end: () => Promise<void>): Promise<void> {
    if (!this.#closing) {
      this.#closed = new ClosedError();
      // Each work has an error of its own: applications add fields to what they catch.
      for (const abort of this.#aborts) abort(new ClosedError());
      this.#closing = end();
    }
    return this.#closing;
  }
}
