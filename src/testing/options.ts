import { type Clock, systemClock } from '../clock.js';
import { ConfigurationError } from '../errors.js';
import { boolean, functionOf, number, object, oneOf, resolve, string } from '../option-checks.js';
import type { JournalEntry } from './journal.js';
import type { NewStore } from './mock-store.js';

/** Behaviour that the spec does not define, and in which real hubs differ. */
export interface MockHubSwitches {
  /** The response to a poll without events: 204, or 200 with `[]`. Default `'204'`, as in the standard. */
  readonly emptyPoll: '204' | '[]';
  /** The status for an invalid API key: 401 as in the spec, or 403 as in the standard. Default 401. */
  readonly badKeyStatus: 401 | 403;
  /** Send the X-RateLimit headers of Spec §8. Default true. */
  readonly limitHeaders: boolean;
  /**
   * How the hub counts requests: over the last 60 s (or hour), or from the
   * start of each minute (or hour). Default `'sliding'`.
   */
  readonly windows: 'sliding' | 'fixed';
  /** The form of `Retry-After`: seconds, or an HTTP date. Default `'seconds'`. */
  readonly retryAfter: 'seconds' | 'date';
  /** The status for the acknowledgment of an unknown event id. Default 400. */
  readonly unknownEventStatus: 400 | 404;
  /** The status for a command that the order has already completed. Default 422, as in the standard. */
  readonly repeatedCommandStatus: 422 | 202;
  /**
   * What the hub does after `requestCancellation`: it emits CANCELLED, it emits
   * CANCELLATION_REQUEST_DENIED, or it leaves the request open. Default `'accept'`.
   */
  readonly cancellation: 'accept' | 'deny' | 'leave';
  /** Refuse a command with 400 if its body is not as in the standard v1.7.0; it is a violation in any case. Default false. */
  readonly strictBodies: boolean;
  /** The sequence of the events in a poll: the oldest first, or random. Default `'oldest'`. */
  readonly order: 'oldest' | 'shuffled';
  /** The largest number of events in one poll. Default 1000. */
  readonly maxEventsPerPoll: number;
  /** How long a token is valid, in ms; at least 1000. Default 604,800,000 (7 days). */
  readonly tokenLifetimeMs: number;
  /**
   * The form of `expires_in` in a token response: a number of seconds, the same
   * as a string (`'text'`), an instant in epoch ms, or no such field. Default `'seconds'`.
   */
  readonly expiresIn: 'seconds' | 'text' | 'absent' | 'epoch';
  /**
   * How long a store may take to answer an order or a cancellation request, in ms; then it is a violation.
   * `Infinity`: as long as it likes. Default 600,000 (10 minutes).
   */
  readonly unansweredAfterMs: number;
  /** How long each response takes, in ms; a function is called for each request. Default 0. */
  readonly latencyMs: number | (() => number);
}

/**
 * Options of `createMockHub`; all are optional.
 *
 * @example
 * ```ts
 * createMockHub({ clock, emptyPoll: '[]', latencyMs: () => 100 + Math.random() * 900 });
 * ```
 */
export interface MockHubOptions extends Partial<MockHubSwitches> {
  /** The source of time; default: the system clock. Pass the same clock to the client. */
  readonly clock?: Clock;
  /** The hub's address; default `'https://hub.example'`. No request is ever sent to it. */
  readonly baseUrl?: string;
  /** The prefix of every path; default `'/opendelivery'`. */
  readonly basePath?: string;
  /**
   * The stores that exist from the start; the first is the default store.
   * Default: one store with `clientId` `'1001'`.
   */
  readonly stores?: readonly NewStore[];
  /** Called after each response, and after each broken connection. */
  readonly onRequest?: (entry: JournalEntry) => void;
}

export type ResolvedMockHubOptions = MockHubSwitches &
  Required<Pick<MockHubOptions, 'clock' | 'baseUrl' | 'basePath' | 'stores' | 'onRequest'>>;

const MOCK_DEFAULTS: ResolvedMockHubOptions = Object.freeze({
  clock: systemClock,
  baseUrl: 'https://hub.example',
  basePath: '/opendelivery',
  stores: Object.freeze([
    Object.freeze({ clientId: '1001', clientSecret: 'mock-client-secret', apiKey: 'mock-api-key' }),
  ]),
  onRequest: () => {},
  emptyPoll: '204',
  badKeyStatus: 401,
  limitHeaders: true,
  windows: 'sliding',
  retryAfter: 'seconds',
  unknownEventStatus: 400,
  repeatedCommandStatus: 422,
  cancellation: 'accept',
  strictBodies: false,
  order: 'oldest',
  maxEventsPerPoll: 1000,
  tokenLifetimeMs: 604_800_000,
  expiresIn: 'seconds',
  unansweredAfterMs: 600_000,
  latencyMs: 0,
});

const ADDRESS = "an address such as 'https://hub.example'";

function address(name: string, value: unknown): string {
  const given = string(ADDRESS)(name, value);
  if (!URL.canParse(given)) throw new ConfigurationError(name, `must be ${ADDRESS}`);
  return new URL(given).href.replace(/\/$/, '');
}

const latency = number({ min: 0, unit: 'ms, or a function that returns it' });

function status<const T extends number>(...values: readonly T[]) {
  return (name: string, value: unknown): T => {
    if (values.includes(value as T)) return value as T;
    throw new ConfigurationError(name, `must be ${values.join(' or ')}`);
  };
}

function stores(name: string, value: unknown): readonly NewStore[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new ConfigurationError(name, 'must be an array of at least one { clientId, clientSecret, apiKey }');
  }
  return value.map((store: unknown, index) => checkStore(`${name}[${index}]`, store));
}

/** @throws {ConfigurationError} a field of the store is missing or invalid. */
export function checkStore(name: string, value: unknown): NewStore {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  for (const key of ['clientId', 'clientSecret', 'apiKey']) {
    string('a non-empty string')(`${name}.${key}`, given[key]);
  }
  const { merchant } = given;
  if (merchant !== undefined && (typeof merchant !== 'object' || merchant === null)) {
    throw new ConfigurationError(`${name}.merchant`, 'must be a merchant document');
  }
  return value as NewStore;
}

/** @throws {ConfigurationError} an option is unknown or invalid. */
export function resolveMockHubOptions(given: MockHubOptions): ResolvedMockHubOptions {
  return resolve<ResolvedMockHubOptions>('', given, MOCK_DEFAULTS, {
    clock: object<Clock>('a Clock', 'now', 'monotonic', 'sleep'),
    baseUrl: address,
    basePath: (name, value) => (value === '' ? '' : string('a path')(name, value)),
    stores,
    onRequest: functionOf<(entry: JournalEntry) => void>('a function that takes a journal entry'),
    emptyPoll: oneOf('204', '[]'),
    badKeyStatus: status(401, 403),
    limitHeaders: boolean(),
    windows: oneOf('sliding', 'fixed'),
    retryAfter: oneOf('seconds', 'date'),
    unknownEventStatus: status(400, 404),
    repeatedCommandStatus: status(422, 202),
    cancellation: oneOf('accept', 'deny', 'leave'),
    strictBodies: boolean(),
    order: oneOf('oldest', 'shuffled'),
    maxEventsPerPoll: number({ min: 1, integer: true }),
    tokenLifetimeMs: number({ min: 1000, unit: 'ms' }),
    expiresIn: oneOf('seconds', 'text', 'absent', 'epoch'),
    unansweredAfterMs: number({ min: 1, unit: 'ms', infinite: true }),
    latencyMs: (name, value) =>
      typeof value === 'function' ? functionOf<() => number>('')(name, value) : latency(name, value),
  });
}
