import { ConfigurationError } from '../errors/index.js';
import { merchants } from '../events/merchants.js';
import type { Inbox } from '../inbox/inbox.js';
import {
  type Check,
  listOf,
  number,
  object,
  oneOf,
  resolve,
  type Secret,
  secret,
} from '../options/checks.js';
import {
  checksOf,
  defaultsOf,
  type GivenOptions,
  type OptionValues,
  option,
  withoutDefault,
} from '../options/table.js';

/** The hub allows two polls per minute (Spec §8). */
const MIN_INTERVAL_MS = 30_000;

/** The lease must be at least this much longer than the interval, or a slow poll would lose it. */
const MIN_LEASE_OVER_INTERVAL_MS = 10_000;
const LEASE_OVER_INTERVAL_MS = 15_000;

/** The longest wait for a retry, unless polls are rarer. */
const MAX_RETRY_DELAY_MS = 120_000;

/** How long a failed event waits for its next run, in ms. */
export interface RetryDelay {
  /** After the first failure; doubled after each further one. Default: `intervalMs`. */
  readonly min?: number | undefined;
  /** The longest wait. Default: 120 000, or `intervalMs` if that is longer. */
  readonly max?: number | undefined;
}

const retryDelay: Check<RetryDelay> = (name, value) => {
  const ms = number({ min: 0, unit: 'ms' });
  const given = resolve<RetryDelay>(`${name}.`, value, {}, { min: ms, max: ms });
  if (given.min === undefined || given.max === undefined || given.min <= given.max) return given;
  throw new ConfigurationError(
    name,
    `must be { min, max } with a min that is at most max, not ${given.min} and ${given.max}`,
  );
};

const inbox = object<Inbox>(
  'an inbox of opendelivery-client/sql (postgresInbox(pool), sqliteInbox(database) or sqlInbox({ … }))',
  'migrate',
  'stats',
);

/** Every option of a poller, listed once: its documentation, type, default and check. */
const OPTIONS = {
  /** Time from the start of one poll to the start of the next, in ms; the hub allows 2 polls per minute (Spec §8). Default and minimum 30 000. */
  intervalMs: option(
    MIN_INTERVAL_MS,
    number({ min: MIN_INTERVAL_MS, unit: 'ms, the hub allows 2 polls per minute' }),
  ),
  /** Orders handled in parallel; events of one order run one after another. Default 8. */
  concurrency: option(8, number({ min: 1, integer: true, unit: 'orders' })),
  /**
   * How long polling waits for a listener, in ms; then `context.signal` aborts and polling continues. The event is not
   * handled again before that run has settled. Default 60 000.
   */
  listenerTimeoutMs: option(60_000, number({ min: 1, unit: 'ms' })),
  /** After this many failed attempts an event goes to the `deadLetter` listeners. Default Infinity. */
  maxAttempts: option(Number.POSITIVE_INFINITY, number({ min: 1, integer: true, infinite: true })),
  /**
   * How long a failed event waits for its next run: `min` after the first failure, doubled up to `max`, with jitter. It
   * runs at the first poll after that, also by `runOnce`; `start()` and a push of the same order run it at once.
   * Default: `min` is `intervalMs`, `max` is 120 000 or `intervalMs`, whichever is larger.
   */
  retryDelayMs: option<RetryDelay>(
    Object.freeze({ min: MIN_INTERVAL_MS, max: MAX_RETRY_DELAY_MS }),
    retryDelay,
  ),
  /**
   * What happens to events whose type has no listener; 'leave' keeps them at the hub. Default 'acknowledge'. CREATED,
   * ORDER_CANCELLATION_REQUEST and PREPARATION_REQUESTED want an answer: they always stay at the hub, with one warning,
   * and block no later event.
   */
  unhandled: option<'acknowledge' | 'leave'>('acknowledge', oneOf('acknowledge', 'leave')),
  /** Whether a failed event blocks the later events of its order. Default 'per-order': it blocks them. */
  ordering: option<'per-order' | 'none'>('per-order', oneOf('per-order', 'none')),
  /** How long a handled event is remembered after the hub last sent it, in ms. Default 86 400 000, a day. */
  rememberMs: option(86_400_000, number({ min: 0, unit: 'ms' })),
  /**
   * Secrets with which the hub may sign what it pushes, beside `clientSecret`: the old one while it is replaced, or
   * one that the hub has only for pushes. Each is a string, or a function that returns it. Default none.
   */
  pushSecrets: option<readonly Secret[]>(
    Object.freeze([]),
    listOf(secret('a secret that the hub signs with, a string')),
  ),
  /**
   * Ids of the shops whose events are polled, if the credentials are those of several: at most 100, sent as
   * `x-polling-merchants`. Default: none is sent, and the hub returns the events of all of them.
   */
  merchants: withoutDefault<readonly string[]>(merchants),
  /**
   * Where events are stored before they are acknowledged; then they are handled from there, exactly once with
   * `context.commit`: an inbox of 'opendelivery-client/sql'. Default: none; events are acknowledged when they are handled.
   */
  inbox: withoutDefault<Inbox>(inbox),
  /**
   * How long the store's lease lasts without a renewal, in ms; then a poller in another process takes over.
   * Default 45 000 (with a longer interval, `intervalMs` + 15 000); at least `intervalMs` + 10 000.
   */
  leaseMs: option(MIN_INTERVAL_MS + LEASE_OVER_INTERVAL_MS, number({ min: 1, unit: 'ms' })),
};

/** Options of a poller, with every default filled in. */
export interface ResolvedPollerOptions extends OptionValues<typeof OPTIONS> {}

/** The options of a poller; its `inbox` decides what its listeners can commit. */
export interface PollerOptions<Tx = unknown> extends Omit<GivenOptions<typeof OPTIONS>, 'inbox'> {
  /** Where events are stored before they are acknowledged. Default: none. */
  readonly inbox?: Inbox<Tx> | undefined;
}

export const POLLER_DEFAULTS: ResolvedPollerOptions = defaultsOf(OPTIONS);

const CHECKS = checksOf(OPTIONS);

/**
 * @param minIntervalMs - the shortest interval that the host's own limit allows.
 * @throws {ConfigurationError} an option is unknown or invalid.
 */
export function resolvePollerOptions(
  given: PollerOptions = {},
  minIntervalMs = MIN_INTERVAL_MS,
): ResolvedPollerOptions {
  const checked = resolve('', given, POLLER_DEFAULTS, CHECKS);
  if (given.intervalMs !== undefined && given.intervalMs < minIntervalMs) {
    throw new ConfigurationError(
      'intervalMs',
      `must be at least ${minIntervalMs} ms, because the profile of the host limits polling`,
    );
  }
  const intervalMs = Math.max(checked.intervalMs, minIntervalMs);
  const options = { ...checked, intervalMs, retryDelayMs: retryDelayOf(given.retryDelayMs, intervalMs) };
  if (given.leaseMs === undefined) {
    return { ...options, leaseMs: Math.max(POLLER_DEFAULTS.leaseMs, intervalMs + LEASE_OVER_INTERVAL_MS) };
  }
  const minLeaseMs = intervalMs + MIN_LEASE_OVER_INTERVAL_MS;
  if (options.leaseMs >= minLeaseMs) return options;
  throw new ConfigurationError(
    'leaseMs',
    `must be at least ${minLeaseMs} (intervalMs + ${MIN_LEASE_OVER_INTERVAL_MS}), not ${options.leaseMs}; a shorter lease would end between two polls`,
  );
}

/** What is not given depends on the interval, and on the other bound. */
function retryDelayOf(given: RetryDelay = {}, intervalMs: number): Record<keyof RetryDelay, number> {
  const min = given.min ?? Math.min(intervalMs, given.max ?? intervalMs);
  return { min, max: given.max ?? Math.max(MAX_RETRY_DELAY_MS, intervalMs, min) };
}

/** @throws {ConfigurationError} `timeoutMs` of `stop` is invalid. */
export function resolveStopTimeoutMs(options: { readonly timeoutMs?: number | undefined } = {}): number {
  return resolve(
    '',
    options,
    { timeoutMs: 30_000 },
    { timeoutMs: number({ min: 0, unit: 'ms', infinite: true }) },
  ).timeoutMs;
}
