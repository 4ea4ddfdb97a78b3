import { ConfigurationError } from '../errors.js';
import { number, oneOf, resolve } from '../option-checks.js';

export interface PollerOptions {
  /** From the start of one poll to the next, in ms; the hub allows 2 polls per minute (Spec §8). Default and minimum 30 000. */
  readonly intervalMs: number;
  /** Orders handled in parallel; events of one order run one after another. Default 8. */
  readonly concurrency: number;
  /** How long a cycle waits for a listener, in ms; then `context.signal` aborts and polling goes on. Default 60 000. */
  readonly listenerTimeoutMs: number;
  /** After this many failed attempts an event goes to the `deadLetter` listeners. Default Infinity. */
  readonly maxAttempts: number;
  /** What happens to events whose type has no listener; 'leave' keeps them at the hub. Default 'acknowledge'. */
  readonly unhandled: 'acknowledge' | 'leave';
  /** Whether a failed event blocks the later events of its order. Default 'per-order': it does. */
  readonly ordering: 'per-order' | 'none';
  /** How long a handled event is remembered after the hub last sent it, in ms. Default 86 400 000, a day. */
  readonly rememberMs: number;
  /**
   * How long the store's lease lasts without a renewal, in ms; then a poller in another process takes over.
   * Default 45 000 (with a longer interval, `intervalMs` + 15 000); at least `intervalMs` + 10 000.
   */
  readonly leaseMs: number;
}

/** The hub allows two polls per minute (Spec §8). */
const MIN_INTERVAL_MS = 30_000;

/** The lease must be at least this much longer than the interval, or a slow poll would lose it. */
const MIN_LEASE_OVER_INTERVAL_MS = 10_000;
const LEASE_OVER_INTERVAL_MS = 15_000;

export const POLLER_DEFAULTS: PollerOptions = Object.freeze({
  intervalMs: MIN_INTERVAL_MS,
  concurrency: 8,
  listenerTimeoutMs: 60_000,
  maxAttempts: Number.POSITIVE_INFINITY,
  unhandled: 'acknowledge',
  ordering: 'per-order',
  rememberMs: 86_400_000,
  leaseMs: MIN_INTERVAL_MS + LEASE_OVER_INTERVAL_MS,
});

const interval = number({ min: MIN_INTERVAL_MS, unit: 'ms, the hub allows 2 polls per minute' });

/** @throws {ConfigurationError} an option is unknown or wrong. */
export function resolvePollerOptions(given: Partial<PollerOptions> = {}): PollerOptions {
  const options = resolve('', given, POLLER_DEFAULTS, {
    intervalMs: interval,
    concurrency: number({ min: 1, integer: true, unit: 'orders' }),
    listenerTimeoutMs: number({ min: 1, unit: 'ms' }),
    maxAttempts: number({ min: 1, integer: true, infinite: true }),
    unhandled: oneOf('acknowledge', 'leave'),
    ordering: oneOf('per-order', 'none'),
    rememberMs: number({ min: 0, unit: 'ms' }),
    leaseMs: number({ min: 1, unit: 'ms' }),
  });
  const { intervalMs } = options;
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

/** @throws {ConfigurationError} `timeoutMs` of `stop` is wrong. */
export function resolveStopTimeoutMs(options: { readonly timeoutMs?: number } = {}): number {
  return resolve(
    '',
    options,
    { timeoutMs: 30_000 },
    { timeoutMs: number({ min: 0, unit: 'ms', infinite: true }) },
  ).timeoutMs;
}
