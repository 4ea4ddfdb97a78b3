/**
 * What an AbortController is, at a tenth of its price: the AbortSignal is created
 * when somebody asks for it. undici takes this object as its `signal`, because
 * it has the methods of an EventEmitter.
 */
export class Abortable {
  #aborted: { readonly reason: unknown } | undefined;
  #controller: AbortController | undefined;
  #listeners: (() => void)[] = [];

  /** Whether `abort` was called. */
  get aborted(): boolean {
    return this.#aborted !== undefined;
  }

  /** What `abort` was given; undefined before. */
  get reason(): unknown {
    return this.#aborted?.reason;
  }

  /** A signal that aborts with it. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#aborted.reason;
  }

  abort(reason: unknown): void {
    if (this.#aborted) return;
    this.#aborted = { reason };
    this.#controller?.abort(reason);
    // One by one: a listener may remove another one, which is not called then.
    for (let next = this.#listeners.shift(); next; next = this.#listeners.shift()) next();
  }

  /** @returns a function that removes the listener. */
  listen(callback: () => void): () => void {
    // A new function each time: the same callback may be registered twice.
    const own = () => callback();
    this.#listeners.push(own);
    return () => this.removeListener('abort', own);
  }

  on(_name: 'abort', listener: () => void): void {
    this.#listeners.push(listener);
  }

  once(name: 'abort', listener: () => void): void {
    this.on(name, listener);
  }

  removeListener(_name: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
  }
}
