import { ConfigurationError } from '../errors/index.js';
import {
  type HubEventListener,
  type HubEventName,
  LIFECYCLE_NAMES,
  type LifecycleEvents,
  type PollerEventName,
} from './lifecycle-events.js';
import type { AnyListener, Subscriptions } from './listeners.js';
import { refuseMisspelling } from './names.js';

/** What poller and fleet have in common: listeners are added and removed by the name of an event, and `close` is `stop`. */
export abstract class Subscribable<
  Listeners extends { readonly [Name in PollerEventName]: unknown },
  Context,
  Report,
> {
  readonly #subscriptions: Subscriptions;

  /** @internal */
  constructor(subscriptions: Subscriptions) {
    this.#subscriptions = subscriptions;
  }

  /**
   * Adds a listener. Listeners of event types, of `event` and of `deadLetter`
   * are awaited, and decide whether the event is acknowledged. Those of
   * lifecycle names only observe.
   *
   * The second argument of a fleet's listeners also has `storeId`; observers get
   * nothing else, and those of `error` what it is about.
   *
   * Pass a hub's own event type as a string: `on('REFUNDED' as string, …)`.
   *
   * @throws {ConfigurationError} the name is misspelled, or not upper case.
   */
  on<Name extends PollerEventName>(name: Name, listener: Listeners[Name]): this;
  on<Name extends string>(name: HubEventName<Name>, listener: HubEventListener<Context>): this;
  on(name: string, listener: unknown): this {
    return this.#add(name, listener, false);
  }

  /** Like `on`, but the listener is removed after it has resolved once; of a fleet, for any store. */
  once<Name extends PollerEventName>(name: Name, listener: Listeners[Name]): this;
  once<Name extends string>(name: HubEventName<Name>, listener: HubEventListener<Context>): this;
  once(name: string, listener: unknown): this {
    return this.#add(name, listener, true);
  }

  /** Removes a listener. If it failed for an event, the event stays at the hub until another listener handles it. */
  off<Name extends PollerEventName>(name: Name, listener: Listeners[Name]): this;
  off<Name extends string>(name: HubEventName<Name>, listener: HubEventListener<Context>): this;
  off(name: string, listener: unknown): this {
    return this.removeListener(name, listener as AnyListener);
  }

  /** The same as `off`, for `events.on(poller as unknown as EventEmitter, …)` of Node.js. */
  removeListener(name: string, listener: (subject: never, context: never) => unknown): this {
    refuseMisspelling(name);
    const { listeners, observers } = this.#subscriptions;
    if (isLifecycleName(name)) observers.off(name, listener as () => unknown);
    else listeners.remove(name, listener);
    return this;
  }

  #add(name: string, listener: unknown, once: boolean): this {
    if (typeof listener !== 'function') throw new ConfigurationError('listener', 'must be a function');
    refuseMisspelling(name);
    const { listeners, observers } = this.#subscriptions;
    if (isLifecycleName(name)) observers[once ? 'once' : 'on'](name, listener as () => unknown);
    else listeners.add(name, listener as AnyListener, once);
    return this;
  }

  abstract stop(options?: { readonly timeoutMs?: number | undefined }): Promise<Report>;

  /**
   * As `stop`. A lease that `stop` would keep for listeners which still run ends at the latest when the time is over:
   * another process can then run their events.
   *
   * @param options - as of `stop`.
   */
  abstract close(options?: { readonly timeoutMs?: number | undefined }): Promise<Report>;

  /** Closes at the end of a block: `await using poller = hub.poller()`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const isLifecycleName = (name: string): name is keyof LifecycleEvents => Object.hasOwn(LIFECYCLE_NAMES, name);
