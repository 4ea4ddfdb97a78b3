import type { HubClient } from '../client.js';
import { reportLineOf } from '../engine/close-on-signal.js';
import type { HealthSource } from '../engine/health-handlers.js';
import type { EventPoller } from '../engine/poller.js';
import { ConfigurationError } from '../errors/index.js';
import type { HubFleet } from '../fleet/fleet.js';
import type { Logger } from '../observe/logger.js';
import type { FoundListener, ListenerCollector, ModuleOfNest } from './on-order-event.js';

/** What polls: the poller of a client, or a fleet. */
type Polling = EventPoller | HubFleet;

interface RunnerParts {
  readonly hub: HubClient | HubFleet;
  readonly polling: Polling;
  /** Starts polling, and rejects if it ends before it was ever good. */
  readonly begin: () => Promise<void>;
  readonly collector: ListenerCollector;
  /** Undefined if they cannot be found. */
  readonly modules: ReadonlyMap<string, ModuleOfNest> | undefined;
  readonly logger: Logger;
  readonly closeTimeoutMs: number;
}

/** Starts and stops polling with the application. Nest calls its methods. */
export class OrderEventRunner implements HealthSource {
  readonly #parts: RunnerParts;
  /** Undefined without listeners. */
  #polling: Polling | undefined;
  /** Undefined until they are known. */
  #hasListeners: boolean | undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /**
   * Begins to poll. It does not wait for the first poll: an application whose hub is down, or refuses its credentials,
   * starts nevertheless.
   *
   * @throws {ConfigurationError} a decorated method cannot be a listener, none is for an order event, or credentials
   * are missing.
   */
  async onApplicationBootstrap(): Promise<void> {
    const { begin, collector, modules, logger, polling } = this.#parts;
    if (!modules) {
      logger.warn(
        '@nestjs/core of the application cannot be loaded: methods with @OnOrderEvent are not called of what useFactory and useValue provide',
      );
    }
    const all = [...(modules?.values() ?? [])];
    const listeners = collector.close(all);
    this.#hasListeners = listeners.length > 0;
    // An application may send commands only, or read the menu.
    if (listeners.length === 0) {
      logger.info('no provider or controller has a method with @OnOrderEvent: orders are not polled');
      return;
    }
    if (all.filter(({ providers }) => providers.has(OrderEventRunner)).length > 1) {
      throw new ConfigurationError(
        'OpenDeliveryModule',
        'is imported twice in this application, and both would call the listeners; call forRoot once, and for several stores pass `stores`',
      );
    }
    for (const listener of listeners) listenTo(polling, listener);
    this.#polling = polling;
    const beginning = begin();
    beginning.catch((error: unknown) => logger.error('the orders of the hub are not polled', { error }));
    // What is missing in the options has rejected already.
    await Promise.race([beginning, undefined]);
  }

  /** Waits for the listeners, and acknowledges what they have handled. The client still sends commands. */
  async beforeApplicationShutdown(): Promise<void> {
    if (!this.#polling) return;
    const report = await this.#polling.stop({ timeoutMs: this.#parts.closeTimeoutMs });
    this.#parts.logger.info(`stopped: ${reportLineOf(report)}`);
  }

  /** The servers are closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.#parts.hub.close({ timeoutMs: 0 });
  }

  /** Without listeners nothing is polled, and nothing can be wrong with it. */
  health(): ReturnType<HealthSource['health']> {
    return (
      this.#polling?.health() ?? { status: this.#hasListeners === false ? 'running' : 'starting', stuckMs: 0 }
    );
  }
}

function listenTo(polling: Polling, { name, where, call }: FoundListener): void {
  try {
    (polling as { on(name: string, listener: typeof call): unknown }).on(name, call);
  } catch (cause) {
    if (!(cause instanceof ConfigurationError)) throw cause;
    throw new ConfigurationError('OnOrderEvent', `'${name}' of ${where}: ${cause.message}`, { cause });
  }
}
