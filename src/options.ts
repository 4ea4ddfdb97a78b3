import { type Clock, systemClock } from './clock.js';
import { ConfigurationError } from './errors.js';
import { checkTimeoutMs, RETRY_CHECKS } from './http/call-options.js';
import type { AnyDispatcher } from './http/dispatchers.js';
import type { Fetch } from './http/fetch.js';
import type { RetryOptions } from './http/retry.js';
import type { AppInfo } from './http/user-agent.js';
import { consoleLogger, type FieldsFirstLogger, guardLogger, type Logger, silentLogger } from './logger.js';
import type { MerchantOptions } from './merchant/client.js';
import {
  boolean,
  type Check,
  functionOf,
  group,
  HEADER_SAFE,
  number,
  object,
  oneOf,
  resolve,
  secret,
  text,
} from './option-checks.js';
import type { Secret } from './secrets/secret.js';
import type { State } from './state/port.js';

export interface RateLimitOptions {
  /** `wait` for a slot of the hub's quota, or `throw` a `RateLimitError` with `origin: 'local'`. */
  readonly mode: 'wait' | 'throw';
  /** The longest wait for a slot, in ms; a call that would wait longer is refused at once. */
  readonly maxWaitMs: number;
}

/** In bytes. */
export interface MaxResponseBytes {
  readonly merchant: number;
  readonly other: number;
}

/** Options of a `HubClient`, all but `baseUrl` optional; nested ones merge with their defaults. */
export interface HubClientOptions {
  /** Address of the hub: https; http only for loopback, or with `allowInsecureHttp`. */
  readonly baseUrl: string;
  /** Numeric text issued by the operator; with `clientSecret` for events and orders (Spec §4.1). */
  readonly clientId?: string | undefined;
  readonly clientSecret?: Secret | undefined;
  /** For the merchant document (Spec §4.2); independent of the other two. */
  readonly apiKey?: Secret | undefined;
  /** Allows plain http to other hosts than this machine. Default false. */
  readonly allowInsecureHttp?: boolean | undefined;
  /** Prefix of every path; the standard itself has none. Default '/opendelivery'. */
  readonly basePath?: string | undefined;
  /** The token endpoint, whole, when it is elsewhere. Default: under `baseUrl` and `basePath`. */
  readonly tokenUrl?: string | undefined;
  /** Static extra headers on every call. Default none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** One attempt, from connecting to the last byte of the body, in ms. Default 30 000. */
  readonly timeoutMs?: number | undefined;
  /** Default `{ attempts: 4, minDelayMs: 1000, maxDelayMs: 60000, deadlineMs: 300000 }`. */
  readonly retry?: Partial<RetryOptions> | undefined;
  /** Default `{ mode: 'wait', maxWaitMs: 900000 }`. */
  readonly rateLimit?: Partial<RateLimitOptions> | undefined;
  /** Default `{ maxStaleMs: 86400000, validation: 'lenient' }`. */
  readonly merchant?: Partial<MerchantOptions> | undefined;
  /** In bytes; larger answers, counted after decompression, are cut off. Default 64 MiB and 8 MiB. */
  readonly maxResponseBytes?: Partial<MaxResponseBytes> | undefined;
  /** Used instead of every other transport. */
  readonly fetch?: Fetch | undefined;
  /** A Dispatcher of any undici: a ProxyAgent, a MockAgent, an Agent with your TLS options. */
  readonly dispatcher?: AnyDispatcher | undefined;
  /** All time. Default `systemClock`. */
  readonly clock?: Clock | undefined;
  /**
   * Tokens, quota reservations, handled events, merchant copy. Default `memoryState()`; `fileState(dir)` for
   * one process that restarts, `redisState(client)` for several.
   */
  readonly state?: State | undefined;
  /** Default: warnings and errors to the console; `false` is silent. console, winston, pino and bunyan work as they are. */
  readonly logger?: Logger | FieldsFirstLogger | false | undefined;
  /** Your application, named in `user-agent` after this package. A `user-agent` in `headers` replaces both. */
  readonly appInfo?: AppInfo | undefined;
}

/** Options with every default in its place. */
export interface ResolvedOptions {
  readonly baseUrl: string;
  readonly clientId: string | undefined;
  readonly clientSecret: Secret | undefined;
  readonly apiKey: Secret | undefined;
  readonly allowInsecureHttp: boolean;
  readonly basePath: string;
  readonly tokenUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly retry: RetryOptions;
  readonly rateLimit: RateLimitOptions;
  readonly merchant: MerchantOptions;
  readonly maxResponseBytes: MaxResponseBytes;
  readonly fetch: Fetch | undefined;
  readonly dispatcher: AnyDispatcher | undefined;
  readonly clock: Clock;
  readonly state: State | undefined;
  readonly logger: Logger;
  readonly appInfo: AppInfo | undefined;
}

const MEBIBYTE = 1024 * 1024;

/** What holds where nothing else is said. */
export const DEFAULTS = Object.freeze({
  allowInsecureHttp: false,
  basePath: '/opendelivery',
  headers: Object.freeze({}),
  timeoutMs: 30_000,
  retry: Object.freeze({ attempts: 4, minDelayMs: 1000, maxDelayMs: 60_000, deadlineMs: 300_000 }),
  rateLimit: Object.freeze({ mode: 'wait', maxWaitMs: 900_000 }),
  merchant: Object.freeze({ maxStaleMs: 86_400_000, validation: 'lenient' }),
  maxResponseBytes: Object.freeze({ merchant: 64 * MEBIBYTE, other: 8 * MEBIBYTE }),
  clock: systemClock,
  logger: consoleLogger,
} as const satisfies Partial<HubClientOptions>);

const UNSET = {
  baseUrl: '',
  clientId: undefined,
  clientSecret: undefined,
  apiKey: undefined,
  tokenUrl: undefined,
  fetch: undefined,
  dispatcher: undefined,
  state: undefined,
  appInfo: undefined,
};

const milliseconds = (min: number) => number({ min, unit: 'ms' });

const logger: Check<Logger> = (name, value) =>
  value === false
    ? silentLogger
    : guardLogger(
        object<Logger>(
          'false or { debug, info, warn, error }',
          'debug',
          'info',
          'warn',
          'error',
        )(name, value),
      );

/** A `token` of HTTP (RFC 9110 §5.6.2). */
const HTTP_TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

const product = (what: string): Check<string> => {
  const remedy = `must be ${what}: at most 100 letters, digits and characters of -._~, no blanks`;
  return (name, value) => {
    if (typeof value !== 'string' || !HTTP_TOKEN.test(value)) throw new ConfigurationError(name, remedy);
    return value;
  };
};

/** An address that can be sent within a comment of `user-agent`. */
const APP_URL = /^https?:\/\/[\x21-\x27\x2a-\x5b\x5d-\x7e]{1,200}$/;

const appUrl: Check<string> = (name, value) => {
  if (typeof value !== 'string' || !APP_URL.test(value) || !URL.canParse(value)) {
    throw new ConfigurationError(
      name,
      "must be an address such as 'https://my-app.example', no brackets in it",
    );
  }
  return value;
};

const appInfo: Check<AppInfo> = (name, value) => {
  const given = resolve<Partial<AppInfo>>(
    `${name}.`,
    value,
    {},
    { name: product("a name such as 'my-app'"), version: product("a version such as '1.2.3'"), url: appUrl },
  );
  if (given.name === undefined)
    throw new ConfigurationError(`${name}.name`, "is missing; give a name such as 'my-app'");
  return Object.freeze({ ...given, name: given.name });
};

/** Headers that say who asks and what is sent are the client's own. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'content-type',
  'content-length',
  'transfer-encoding',
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'accept-encoding',
]);

const headers: Check<Readonly<Record<string, string>>> = (name, value) => {
  const given = object<object>('an object of header names and values')(name, value);
  const prototype: unknown = Object.getPrototypeOf(given);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new ConfigurationError(name, "must be a plain object such as { 'x-partner': 'key' }");
  }
  const lowerCase: Record<string, string> = {};
  for (const [key, content] of Object.entries(given)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(key))
      throw new ConfigurationError(
        `${name}.${key}`,
        "must be a header name such as 'x-partner': letters, digits and dashes",
      );
    if (OWN_HEADERS.has(key.toLowerCase())) {
      throw new ConfigurationError(`${name}.${key}`, 'is set by the client itself; use its own option');
    }
    lowerCase[key.toLowerCase()] = text('a header value in printable ASCII', HEADER_SAFE)(
      `${name}.${key}`,
      content,
    );
  }
  return Object.freeze(lowerCase);
};

/** `.` and `..` in every spelling a URL resolves. */
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

const path: Check<string> = (name, value) => {
  if (value === '' || value === '/') return '';
  const given = text("a path such as '/opendelivery', or '' for none")(name, value);
  if (!/^(?:\/[\w.~!$&'()*+,;=:@%-]+)+\/?$/.test(given) || DOT_SEGMENT.test(given)) {
    throw new ConfigurationError(name, "must be a path such as '/opendelivery', beginning with a slash");
  }
  return given.replace(/\/$/, '');
};

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function address(allowInsecureHttp: boolean, isVerbatim = false): Check<string> {
  return (name, value) => {
    const given = text("an address such as 'https://hub.example'")(name, value);
    let url: URL;
    try {
      url = new URL(given);
    } catch {
      throw new ConfigurationError(name, "must be an address such as 'https://hub.example'");
    }
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw new ConfigurationError(name, 'must be https');
    if (url.protocol === 'http:' && !allowInsecureHttp && !LOOPBACK.test(url.hostname)) {
      throw new ConfigurationError(
        name,
        'must be https, or secrets travel readable; allowInsecureHttp: true allows it',
      );
    }
    if (url.username || url.password || /[?#]/.test(given)) {
      throw new ConfigurationError(name, 'must not hold credentials, a query or a fragment');
    }
    return isVerbatim ? given : url.href.replace(/\/$/, '');
  };
}

/**
 * Looks at every option and puts the defaults in.
 *
 * @throws {ConfigurationError} an option is missing, unknown or wrong.
 */
export function resolveOptions(given: HubClientOptions): ResolvedOptions {
  const insecure: unknown = typeof given === 'object' && given !== null ? given.allowInsecureHttp : undefined;
  const isInsecureAllowed = insecure === true;
  const resolved = resolve<ResolvedOptions>(
    '',
    given,
    { ...UNSET, ...DEFAULTS, logger: guardLogger(consoleLogger) },
    {
      baseUrl: address(isInsecureAllowed),
      clientId: text('the numeric text issued by the operator'),
      clientSecret: secret('the secret issued by the operator'),
      apiKey: secret('the key issued by the operator', HEADER_SAFE),
      allowInsecureHttp: boolean(),
      basePath: path,
      tokenUrl: address(isInsecureAllowed, true),
      headers,
      timeoutMs: checkTimeoutMs,
      retry: group<RetryOptions>(DEFAULTS.retry, RETRY_CHECKS),
      rateLimit: group<RateLimitOptions>(DEFAULTS.rateLimit, {
        mode: oneOf('wait', 'throw'),
        maxWaitMs: milliseconds(0),
      }),
      merchant: group<MerchantOptions>(DEFAULTS.merchant, {
        maxStaleMs: milliseconds(0),
        validation: oneOf('lenient', 'strict'),
      }),
      maxResponseBytes: group<MaxResponseBytes>(DEFAULTS.maxResponseBytes, {
        merchant: number({ min: 1, unit: 'bytes' }),
        other: number({ min: 1, unit: 'bytes' }),
      }),
      fetch: functionOf<Fetch>('a function like fetch'),
      dispatcher: object<AnyDispatcher>('an undici Dispatcher', 'dispatch'),
      clock: object<Clock>('a Clock', 'now', 'monotonic', 'sleep'),
      state: object<State>(
        'a State, made by memoryState(), fileState(dir) or redisState(client)',
        'get',
        'set',
        'delete',
        'reserve',
        'settle',
        'shut',
        'remember',
        'recall',
      ),
      logger,
      appInfo,
    },
  );
  if (resolved.baseUrl === '') {
    throw new ConfigurationError(
      'baseUrl',
      "is missing; give the hub's address such as 'https://hub.example'",
    );
  }
  return resolved;
}

/** The environment variables `HubClient.fromEnv` reads, and the options they stand for. */
export const ENVIRONMENT = Object.freeze({
  HUB_BASE_URL: 'baseUrl',
  HUB_CLIENT_ID: 'clientId',
  HUB_CLIENT_SECRET: 'clientSecret',
  HUB_API_KEY: 'apiKey',
} as const satisfies Record<string, keyof HubClientOptions>);

/** Options from the environment under `overrides`; empty variables count as unset. */
export function optionsFromEnvironment(overrides: Partial<HubClientOptions>): HubClientOptions {
  const options: Record<string, unknown> = {};
  for (const [variable, option] of Object.entries(ENVIRONMENT)) {
    const value = process.env[variable];
    if (value) options[option] = value;
  }
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  const merged: Partial<HubClientOptions> = { ...options, ...Object.fromEntries(given) };
  if (merged.baseUrl === undefined) {
    throw new ConfigurationError('baseUrl', 'is missing; set HUB_BASE_URL or pass baseUrl');
  }
  return { ...merged, baseUrl: merged.baseUrl };
}
