import { type PollerOptions, type ResolvedPollerOptions, resolvePollerOptions } from '../engine/options.js';
import { ConfigurationError } from '../errors/index.js';
import { endpointsOf, minIntervalMsOf, withOwnPollingLimit } from '../hub/host-endpoints.js';
import { type Check, number, resolve } from '../options/checks.js';
import {
  CLIENT_OPTIONS,
  checkAddresses,
  type HubClientOptions,
  type StoreCredentials,
} from '../options/client-options.js';
import { withProfile } from '../options/profile.js';
import {
  checksOf,
  defaultsOf,
  type GivenOptions,
  type OptionValues,
  option,
  required,
  withoutDefault,
} from '../options/table.js';
import { isStoreList, type StoreSource } from './fleet-store.js';

/** A part of the stores, by a hash of their ids. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  /** How many processes share the stores. */
  readonly of: number;
}

const { clientId: _, clientSecret: __, apiKey: ___, ...COMMON } = CLIENT_OPTIONS;

const stores: Check<StoreSource> = (name, value) => {
  if (isStoreList(value) || typeof value === 'function') return value as StoreSource;
  throw new ConfigurationError(
    name,
    'must be an array or another (async) iterable of { storeId, clientId, clientSecret, apiKey? }, or a function that returns one',
  );
};

const shard: Check<Shard> = (name, value) => {
  const whole = number({ min: 0, integer: true });
  const checks = { index: whole, of: number({ min: 1, integer: true, unit: 'processes' }) };
  const resolved = resolve(`${name}.`, value, { index: Number.NaN, of: Number.NaN }, checks);
  if (resolved.index < resolved.of) return resolved;
  throw new ConfigurationError(name, 'must be { index, of } with whole numbers, and index less than of');
};

const OWN = {
  /**
   * The stores: an array, an (async) iterable, or a function that returns one, such as a query of your database.
   * Functions and iterables are read again every `storesRefreshMs`.
   */
  stores: required(stores),
  /** How long until `stores` is read again, in ms. Default: 60 000. */
  storesRefreshMs: option(60_000, number({ min: 1000, unit: 'ms' })),
  /**
   * Requests of all stores together that are under way at a time; at most half of them are of one store. Default: 64.
   */
  requestsInFlight: option(64, number({ min: 1, integer: true, unit: 'requests' })),
  /** Options of every store's poller. Default: those of a poller. */
  // Checked below: the host's limits decide which intervals are possible.
  poller: option<ResolvedPollerOptions>(resolvePollerOptions(), (_name, value) => value as never),
  /** Which part of the stores this process polls, for a fixed number of processes. Default: all stores. */
  shard: withoutDefault<Shard>(shard),
};

const OPTIONS = { ...COMMON, ...OWN };

/** Options of a `HubFleet`: those of a `HubClient`, without a store's credentials, and the stores. */
// Not those of `OPTIONS`: a declaration of what is spread has no comments.
export interface HubFleetOptions<Tx = never>
  extends Omit<HubClientOptions, keyof StoreCredentials>,
    Omit<GivenOptions<typeof OWN, 'stores'>, 'poller'> {
  /** Options of every store's poller. Default: those of a poller. */
  readonly poller?: PollerOptions<Tx> | undefined;
}

/** The options after their checks, with every default filled in. */
export type FleetOptions = OptionValues<typeof OPTIONS>;

export const FLEET_DEFAULTS = defaultsOf(OPTIONS);
const CHECKS = checksOf(OPTIONS);

/** @throws {ConfigurationError} an option is missing, unknown or invalid. */
export function resolveFleetOptions<Tx>(given: HubFleetOptions<Tx>): FleetOptions {
  const resolved = withProfile(resolve<FleetOptions>('', given, FLEET_DEFAULTS, CHECKS), given);
  checkAddresses(resolved);
  const minIntervalMs = minIntervalMsOf(withOwnPollingLimit(endpointsOf(resolved.profile)));
  const poller = resolvePollerOptions(given.poller, minIntervalMs);
  if (resolved.stores !== undefined) return { ...resolved, poller };
  throw new ConfigurationError('stores', 'is missing; pass an array of { storeId, clientId, clientSecret }');
}
