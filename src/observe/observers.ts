import { EventEmitter } from 'eventemitter3';
import { isThenable } from '../async/promises.js';
import { ConfigurationError } from '../errors/index.js';
import { oneOf } from '../options/checks.js';
import type { Logger } from './logger.js';

type Payloads = Record<string, object>;

/** All names, each once: the compiler finds one that is missing. */
export type EventNames<Events extends Payloads> = Readonly<Record<keyof Events & string, true>>;

/**
 * Listeners that only observe. If one throws or rejects, the error is logged;
 * the caller of `emit` and the other listeners are not affected.
 */
export class Observers<Events extends Payloads> {
  readonly #emitter = new EventEmitter<string>();
  readonly #logger: Logger;
  readonly #names: EventNames<Events>;

  /** @param names - all that there are. */
  constructor(logger: Logger, names: EventNames<Events>) {
    this.#logger = logger;
    this.#names = names;
  }

  /** @throws {ConfigurationError} there is no such name, or the listener is not a function. */
  on<Name extends keyof Events & string>(name: Name, listener: (payload: Events[Name]) => unknown): void {
    this.#emitter.on(this.#known(name), checked(listener));
  }

  /** @throws {ConfigurationError} there is no such name, or the listener is not a function. */
  once<Name extends keyof Events & string>(name: Name, listener: (payload: Events[Name]) => unknown): void {
    this.#emitter.once(this.#known(name), checked(listener));
  }

  /** @throws {ConfigurationError} the listener is not a function. */
  off<Name extends keyof Events & string>(name: Name, listener: (payload: Events[Name]) => unknown): void {
    this.#emitter.off(name, checked(listener));
  }

  /** Whether anybody observes it. */
  has(name: keyof Events & string): boolean {
    return this.#emitter.listenerCount(name) > 0;
  }

  /** @param context - the second argument of the listeners, if there is one. */
  emit<Name extends keyof Events & string>(name: Name, payload: Events[Name], context?: object): void {
    for (const listener of this.#emitter.listeners(name)) {
      // Removes the listener only if it was added with `once`.
      this.#emitter.off(name, listener, undefined, true);
      try {
        const result: unknown = context === undefined ? listener(payload) : listener(payload, context);
        if (isThenable(result)) result.then(undefined, (error) => this.#logFailure(name, error));
      } catch (error) {
        this.#logFailure(name, error);
      }
    }
  }

  #known(name: string): string {
    return oneOf(...Object.keys(this.#names))('name', name);
  }

  #logFailure(name: string, error: unknown): void {
    this.#logger.error(`opendelivery-client: a listener of '${name}' failed`, { error });
  }
}

/** eventemitter3's `off` without a listener would remove all listeners of the event. */
function checked<Listener>(listener: Listener): Listener {
  if (typeof listener !== 'function') throw new ConfigurationError('listener', 'must be a function');
  return listener;
}
