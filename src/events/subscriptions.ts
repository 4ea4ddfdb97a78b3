import { Observers } from '../async/observers.js';
import { ConfigurationError } from '../errors.js';
import type { Logger } from '../logger.js';
import { type AnyListener, Listeners } from './listeners.js';
import { refuseMisspelling } from './names.js';
import { LIFECYCLE_NAMES, type LifecycleEvents } from './poller-events.js';

/** What an application has registered with `on` and `once`: listeners that decide over events, and observers. */
export class Subscriptions {
  readonly listeners = new Listeners();
  readonly observers: Observers<LifecycleEvents>;

  constructor(logger: Logger) {
    this.observers = new Observers<LifecycleEvents>(logger);
  }

  /** @throws {ConfigurationError} the name is misspelled, or not upper case; or the listener is not a function. */
  add(name: string, listener: AnyListener, once: boolean): void {
    if (typeof listener !== 'function') throw new ConfigurationError('listener', 'must be a function');
    refuseMisspelling(name);
    if (!LIFECYCLE_NAMES.has(name)) this.listeners.add(name, listener, once);
    else if (once) this.observers.once(name as 'error', listener as () => unknown);
    else this.observers.on(name as 'error', listener as () => unknown);
  }

  /** @throws as `add`. */
  remove(name: string, listener: AnyListener): void {
    refuseMisspelling(name);
    if (LIFECYCLE_NAMES.has(name)) this.observers.off(name as 'error', listener as () => unknown);
    else this.listeners.remove(name, listener);
  }
}
