import { EventEmitter } from 'eventemitter3';
import { ConfigurationError } from '../errors.js';
import type { Logger } from '../logger.js';
import { isThenable } from './thenable.js';

type Payloads = Record<string, object>;

/**
 * Listeners that only watch: what they throw or reject goes to the logger and
 * never reaches the code they watch, nor the listeners beside them.
 */
export class Observers<Events extends Payloads> {
  readonly #emitter = new EventEmitter<string>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  on<Name extends keyof Events & string>(name: Name, listener: (payload: Events[Name]) => unknown): void {
    this.#emitter.on(name, checked(listener));
  }

  once<Name extends keyof Events & string>(name: Name, listener: (payload: Events[Name]) => unknown): void {
    this.#emitter.once(name, checked(listener));
  }

  off<Name extends keyof Events & string>(name: Name, listener: (payload: Events[Name]) => unknown): void {
    this.#emitter.off(name, checked(listener));
  }

  has(name: keyof Events & string): boolean {
    return this.#emitter.listenerCount(name) > 0;
  }

  emit<Name extends keyof Events & string>(name: Name, payload: Events[Name]): void {
    if (!this.has(name)) return;
    for (const listener of this.#emitter.listeners(name)) {
      // Only a `once` listener answers to this; the others stay.
      this.#emitter.off(name, listener, undefined, true);
      try {
        const result: unknown = listener(payload);
        if (isThenable(result)) result.then(undefined, (error) => this.#failed(name, error));
      } catch (error) {
        this.#failed(name, error);
      }
    }
  }

  #failed(name: string, error: unknown): void {
    this.#logger.error(`opendelivery-client: a listener of '${name}' failed`, { error });
  }
}

/** Without one, eventemitter3 would take off all. */
function checked<Listener>(listener: Listener): Listener {
  if (typeof listener !== 'function') throw new ConfigurationError('listener', 'must be a function');
  return listener;
}
