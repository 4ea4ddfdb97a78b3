import {
  type DynamicModule,
  type FactoryProvider,
  type ModuleMetadata,
  Logger as NestLogger,
  type Provider,
} from '@nestjs/common';
import { HubClient } from '../client.js';
import { type PollerOptions, resolveStopTimeoutMs } from '../engine/options.js';
import { ConfigurationError } from '../errors/index.js';
import { HubFleet } from '../fleet/fleet.js';
import type { HubFleetOptions } from '../fleet/fleet-options.js';
import { LevelLogger, type Logger } from '../observe/logger.js';
import { number } from '../options/checks.js';
import { CLIENT_OPTIONS, type HubClientOptions } from '../options/client-options.js';
import { OpenDeliveryHealth } from './health.js';
import { ListenerCollector, type ModuleOfNest } from './on-order-event.js';
import { OrderEventRunner } from './runner.js';

/** Options for one store: those of a `HubClient`. Without `logger`, warnings and errors go to the logger of Nest. */
export interface ClientModuleOptions<Tx = never> extends HubClientOptions {
  /** Options of the poller, such as its `inbox`. Default: those of `hub.poller()`. */
  readonly poller?: PollerOptions<Tx> | undefined;
  /** How long the end of the application waits for running listeners, in ms. Default: 30 000. */
  readonly closeTimeoutMs?: number | undefined;
}

/** Options for many stores: those of a `HubFleet`. Without `logger`, warnings and errors go to the logger of Nest. */
export interface FleetModuleOptions<Tx = never> extends HubFleetOptions<Tx> {
  /** How long the end of the application waits for running listeners, in ms. Default: 30 000. */
  readonly closeTimeoutMs?: number | undefined;
}

/** Options for one store, or, if `stores` is there, for many. */
export type OpenDeliveryModuleOptions<Tx = never> = ClientModuleOptions<Tx> | FleetModuleOptions<Tx>;

/** Options that depend on other providers. */
export interface OpenDeliveryModuleAsyncOptions<Tx = never> extends Pick<ModuleMetadata, 'imports'> {
  /** The providers that `useFactory` gets. */
  readonly inject?: FactoryProvider['inject'] | undefined;
  /** Returns the options, or a promise of them. */
  readonly useFactory: (
    ...injected: never[]
  ) => OpenDeliveryModuleOptions<Tx> | Promise<OpenDeliveryModuleOptions<Tx>>;
}

const OPTIONS = Symbol('opendelivery-client: options');
const HUB = Symbol('opendelivery-client: client or fleet');
const MODULES = Symbol('opendelivery-client: modules of the application');

/** One of the two is made. */
interface Hub {
  readonly client?: HubClient;
  readonly fleet?: HubFleet;
  readonly runner: OrderEventRunner;
}

/**
 * Polls orders while the application runs, and calls the methods with `@OnOrderEvent`. It is global: `HubClient`
 * (with the options of one store) or `HubFleet` (with `stores`), and `OpenDeliveryHealth` can be injected everywhere.
 *
 * Polling begins in `onApplicationBootstrap`, without a wait for the hub, and ends in `beforeApplicationShutdown`, which waits
 * for the listeners. Nest calls it on SIGTERM after `app.enableShutdownHooks()`. What listeners use, such as a pool of
 * connections, has to live until `onApplicationShutdown`.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: Nest asks for a class with forRoot and forRootAsync
export class OpenDeliveryModule {
  /**
   * @param options - those of a `HubClient`; with `stores`, those of a `HubFleet`. They are checked when the application
   * is created.
   */
  static forRoot<Tx = never>(options: OpenDeliveryModuleOptions<Tx>): DynamicModule {
    const kind = isForFleet(options) ? HubFleet : HubClient;
    return moduleOf([{ provide: OPTIONS, useValue: options }], [kind]);
  }

  /** As `forRoot`, with options that depend on other providers: `{ imports, inject, useFactory }`. */
  static forRootAsync<Tx = never>({
    imports = [],
    inject = [],
    useFactory,
  }: OpenDeliveryModuleAsyncOptions<Tx>): DynamicModule {
    return moduleOf([{ provide: OPTIONS, inject, useFactory }], [HubClient, HubFleet], imports);
  }
}

function moduleOf(
  options: Provider[],
  kinds: readonly (typeof HubClient | typeof HubFleet)[],
  imports: ModuleMetadata['imports'] = [],
): DynamicModule {
  return {
    module: OpenDeliveryModule,
    global: true,
    imports: [...imports, applicationModules()],
    providers: [
      ...options,
      { provide: ListenerCollector, useFactory: () => new ListenerCollector() },
      { provide: HUB, inject: [OPTIONS, ListenerCollector, MODULES], useFactory: hubOf },
      // Nest calls the hooks of each provider's value.
      { provide: OrderEventRunner, inject: [HUB], useFactory: ({ runner }: Hub) => runner },
      {
        provide: OpenDeliveryHealth,
        inject: [OrderEventRunner],
        useFactory: (runner: OrderEventRunner) => new OpenDeliveryHealth(runner),
      },
      ...kinds.map((kind) => ({
        provide: kind,
        inject: [HUB],
        useFactory: ({ client, fleet }: Hub) =>
          kind === HubClient ? (client ?? instead('HubClient')) : (fleet ?? instead('HubFleet')),
      })),
    ],
    exports: [...kinds, OpenDeliveryHealth, ListenerCollector],
  };
}

class ApplicationModules {}

/**
 * Provides the modules of the application, in which its instances are. Every application has @nestjs/core; where it
 * cannot be loaded from here (strict package managers), or another copy of it is found, they are undefined.
 */
async function applicationModules(): Promise<DynamicModule> {
  const inject = await import('@nestjs/core').then(
    ({ ModulesContainer }) => [{ token: ModulesContainer, optional: true }],
    () => [],
  );
  const useFactory = (modules?: ReadonlyMap<string, ModuleOfNest>) => modules;
  return {
    module: ApplicationModules,
    providers: [{ provide: MODULES, inject, useFactory }],
    exports: [MODULES],
  };
}

const isForFleet = <Tx>(options: OpenDeliveryModuleOptions<Tx>): options is FleetModuleOptions<Tx> =>
  (options as Partial<FleetModuleOptions> | undefined)?.stores !== undefined;

/** The logger of the application, which `app.useLogger` sets. An error is in the text of its line, and its stack follows. */
function nestLogger(): Logger {
  const logger = new NestLogger('OpenDelivery');
  return new LevelLogger((level, message, { error, ...others } = {}) => {
    const details = Object.keys(others).length > 0 ? ` ${JSON.stringify(others)}` : '';
    const text = `${message}${error instanceof Error ? `: ${error.message}` : ''}${details}`;
    if (level === 'error') logger.error(text, error instanceof Error ? error.stack : undefined);
    else logger[level === 'info' ? 'log' : level](text);
  });
}

function hubOf(
  options: OpenDeliveryModuleOptions,
  collector: ListenerCollector,
  modules: ReadonlyMap<string, ModuleOfNest> | undefined,
): Hub {
  const { closeTimeoutMs: given, ...rest } = options ?? {};
  const closeTimeoutMs = given === undefined ? resolveStopTimeoutMs() : checkTimeout('closeTimeoutMs', given);
  const logger =
    rest.logger === undefined ? nestLogger() : CLIENT_OPTIONS.logger.check('logger', rest.logger);
  const common = { collector, modules, logger, closeTimeoutMs };
  if (isForFleet(rest)) {
    const fleet = new HubFleet({ ...rest, logger });
    const begin = () => fleet.startPersistently();
    return { fleet, runner: new OrderEventRunner({ ...common, hub: fleet, polling: fleet, begin }) };
  }
  const { poller, stores: _none, ...ofClient } = rest as ClientModuleOptions & { stores?: undefined };
  const client = new HubClient({ ...ofClient, logger });
  const polling = client.poller(poller);
  const begin = () => polling.startPersistently();
  return { client, runner: new OrderEventRunner({ ...common, hub: client, polling, begin }) };
}

const checkTimeout = number({ min: 0, unit: 'ms', infinite: true });

/** Nest asks every provider for these. */
const ASKED_BY_NEST: ReadonlySet<string> = new Set(['then', 'constructor']);

/** What is injected if the options are for the other kind, which only the factory knows. */
function instead(kind: 'HubClient' | 'HubFleet'): object {
  const members: ReadonlySet<string | symbol> = new Set([
    ...Object.getOwnPropertyNames((kind === 'HubClient' ? HubClient : HubFleet).prototype),
    ...['auth', 'events', 'orders'],
  ]);
  return new Proxy(
    {},
    {
      get(target, name) {
        if (!members.has(name) || ASKED_BY_NEST.has(String(name))) return Reflect.get(target, name);
        const [other, why] = kind === 'HubClient' ? ['HubFleet', 'have'] : ['HubClient', 'do not have'];
        throw new ConfigurationError(
          kind,
          `is not there, because the options ${why} \`stores\`; inject ${other}`,
        );
      },
    },
  );
}
