import { ConfigurationError } from '../errors/index.js';
import { checkTimeoutMs, RETRY, type RetryOptions } from '../http/call-options.js';
import type { Fetch } from '../http/fetch.js';
import type { AnyDispatcher } from '../http/undici.js';
import type { MerchantOptions } from '../merchant/merchant-options.js';
import {
  consoleLogger,
  type FieldsFirstLogger,
  guardLogger,
  type Logger,
  silentLogger,
} from '../observe/logger.js';
import { STATE_METHODS, type State } from '../state/port.js';
import { type Clock, systemClock } from '../time/clock.js';
import {
  boolean,
  type Check,
  functionOf,
  HEADER_SAFE,
  number,
  object,
  oneOf,
  resolve,
  type Secret,
  secret,
  string,
} from './checks.js';
import { appInfo, headers } from './headers.js';
import { profileOption, withProfile } from './profile.js';
import {
  checksOf,
  defaultsOf,
  type GivenOptions,
  type Option,
  type OptionValues,
  option,
  optionGroup,
  required,
  withoutDefault,
} from './table.js';
import { address, basePath, requireHttps } from './url.js';

const MEBIBYTE = 1024 * 1024;

const bytes = number({ min: 1, unit: 'bytes' });
const milliseconds = number({ min: 0, unit: 'ms' });

const RATE_LIMIT = {
  /** `wait` until the hub's limit allows the request, or `throw` a `RateLimitError` with `origin: 'local'`. Default: `'wait'`. */
  mode: option<'wait' | 'throw'>('wait', oneOf('wait', 'throw')),
  /** The longest such wait, in ms; a call that would wait longer rejects at once. Default: 900 000. */
  maxWaitMs: option(900_000, milliseconds),
};

/** What a call does when the hub's quota is used up (Spec §8). */
export interface RateLimitOptions extends OptionValues<typeof RATE_LIMIT> {}

const MAX_RESPONSE_BYTES = {
  /** The merchant document, in bytes. Default: 64 MiB. */
  merchant: option(64 * MEBIBYTE, bytes),
  /** The response of every other endpoint, in bytes. Default: 8 MiB. */
  other: option(8 * MEBIBYTE, bytes),
};

/** How large a response may be, counted after decompression. */
export interface MaxResponseBytes extends OptionValues<typeof MAX_RESPONSE_BYTES> {}

const loggerMethods = object<Logger>(
  'false or { debug, info, warn, error }',
  'debug',
  'info',
  'warn',
  'error',
);

const logger: Check<Logger> = (name, value) =>
  value === false ? silentLogger : guardLogger(loggerMethods(name, value));

/** Every option of a `HubClient`: its documentation, type, default and check. A fleet has most of them too. */
export const CLIENT_OPTIONS = {
  /** Address of the hub, such as `https://hub.example`. Must be https; http only for this machine, or with `allowInsecureHttp`. */
  baseUrl: required(address('normalized')),
  /** Issued by the operator: a numeric string. Needed with `clientSecret` for events and orders (Spec §4.1). */
  clientId: withoutDefault(string("the client id issued by the operator, a string such as '1234'")),
  /** Issued by the operator with `clientId`: a string, or a function that returns the current one (Spec §4.1). */
  clientSecret: withoutDefault<Secret>(secret('the client secret issued by the operator, a string')),
  /**
   * Issued by the operator for the merchant document, independent of `clientId`: a string, or a function that
   * returns the current one (Spec §4.2).
   */
  apiKey: withoutDefault<Secret>(secret('the API key issued by the operator, a string', HEADER_SAFE)),
  /** What the host does differently, see `HostProfile`. Single options take precedence. Default: a host as in the spec. */
  profile: profileOption,
  /** Whether plain http is allowed to other hosts than this machine. Default: false. */
  allowInsecureHttp: option(false, boolean()),
  /** Prefix of every path; `''` for none, as in the standard itself. Default: `'/opendelivery'`. */
  basePath: option('/opendelivery', basePath),
  /** The complete address of the token endpoint, if it is on another host or path. Default: built from `baseUrl` and `basePath` (Spec §4.1). */
  tokenUrl: withoutDefault(address('verbatim')),
  /** Extra headers of every request, such as a partner's key. Default: `{}`. */
  headers: option<Readonly<Record<string, string>>>(Object.freeze({}), headers),
  /** Time limit of one attempt, from connecting to the last byte of the body, in ms. Default: 30 000. */
  timeoutMs: option(30_000, checkTimeoutMs),
  /**
   * How failed requests are repeated. Default:
   * `{ attempts: 4, minDelayMs: 1000, maxDelayMs: 60000, deadlineMs: 300000 }` (Spec §7).
   */
  retry: optionGroup<RetryOptions>(RETRY),
  /** What a call does when the hub's quota is used up. Default: `{ mode: 'wait', maxWaitMs: 900000 }` (Spec §8). */
  rateLimit: optionGroup<RateLimitOptions>(RATE_LIMIT),
  /** How the merchant document is cached and read. Default: `{ maxStaleMs: 86400000, validation: 'lenient' }` (Spec §4.2). */
  merchant: optionGroup<MerchantOptions>({
    maxStaleMs: option(86_400_000, milliseconds),
    validation: option('lenient', oneOf('lenient', 'strict', 'strict-spec')),
  }),
  /**
   * A larger response, counted in bytes after decompression, is a `ResponseTooLargeError`. Default:
   * `{ merchant: 67108864, other: 8388608 }`, which is 64 MiB and 8 MiB.
   */
  maxResponseBytes: optionGroup<MaxResponseBytes>(MAX_RESPONSE_BYTES),
  /** A function that sends every request. Default: the global fetch if it was replaced, otherwise undici. */
  fetch: withoutDefault(functionOf<Fetch>('a function with the signature of fetch')),
  /** On Node.js, a Dispatcher of any undici version: a ProxyAgent, a MockAgent, an Agent with your TLS options. Default: one keep-alive Agent, which the clients of the process share. */
  dispatcher: withoutDefault(object<AnyDispatcher>('an undici Dispatcher', 'dispatch')),
  /** Source of all time. Default: `systemClock`. */
  clock: option(systemClock, object<Clock>('a Clock', 'now', 'monotonic', 'sleep')),
  /**
   * Keeps tokens, quota reservations, handled events and the merchant copy. Default: `memoryState()`;
   * `fileState(path)` for the processes of one host, `redisState(client)` or `postgresState(pool)` for many hosts.
   */
  state: withoutDefault(
    object<State>(
      'a State: memoryState(), fileState(path), redisState(client), postgresState(pool), or an object with its seven methods',
      ...STATE_METHODS,
    ),
  ),
  /**
   * `{ debug, info, warn, error }`; console, winston, pino and bunyan work without an adapter; `false` logs nothing.
   * Default: warnings and errors to the console.
   */
  logger: option(guardLogger(consoleLogger), logger) as Option<Logger, Logger | FieldsFirstLogger | false>,
  /** Adds your application to `user-agent`, after this package. A `user-agent` in `headers` replaces both. Default: none. */
  appInfo: withoutDefault(appInfo),
};

/** Options of a `HubClient`. Only `baseUrl` is required. Nested options are merged with their defaults. */
export interface HubClientOptions extends GivenOptions<typeof CLIENT_OPTIONS, 'baseUrl'> {}

/** The options after their checks, with every default filled in. */
export type ResolvedOptions = OptionValues<typeof CLIENT_OPTIONS>;

/** What identifies one store at the hub, and gives access to it. */
export type StoreCredentials = Pick<ResolvedOptions, 'clientId' | 'clientSecret' | 'apiKey'>;

/** The options that all stores of a fleet have in common. */
export type CommonOptions = Omit<ResolvedOptions, keyof StoreCredentials>;

/** The value of each option that is not given. */
export const DEFAULTS: ResolvedOptions = defaultsOf(CLIENT_OPTIONS);

const CHECKS = checksOf(CLIENT_OPTIONS);

/**
 * Checks every option and fills in the defaults.
 *
 * @throws {ConfigurationError} an option is missing, unknown or invalid.
 */
export function resolveOptions(given: HubClientOptions): ResolvedOptions {
  const resolved = withProfile(resolve<ResolvedOptions>('', given, DEFAULTS, CHECKS), given);
  checkAddresses(resolved);
  return resolved;
}

/** @throws {ConfigurationError} the hub has no address, or one that is not secure. */
export function checkAddresses(resolved: CommonOptions): void {
  const { baseUrl, tokenUrl, profile, allowInsecureHttp } = resolved;
  if (baseUrl === undefined) {
    throw new ConfigurationError(
      'baseUrl',
      "is missing; give the hub's address such as 'https://hub.example'",
    );
  }
  if (!allowInsecureHttp) {
    requireHttps('baseUrl', baseUrl);
    const isOfProfile = tokenUrl === profile.tokenUrl;
    if (tokenUrl !== undefined) requireHttps(isOfProfile ? 'profile.tokenUrl' : 'tokenUrl', tokenUrl);
  }
}
