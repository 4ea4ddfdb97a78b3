import { ConfigurationError } from '../errors/index.js';
import { boolean, functionOf, type NumberRange, number, object, oneOf, string } from '../options/checks.js';
import { profileOption } from '../options/profile.js';
import {
  type GivenOptions,
  type Option,
  type OptionValues,
  option,
  resolveTable,
  withoutDefault,
} from '../options/table.js';
import { address, basePath } from '../options/url.js';
import { type Clock, systemClock } from '../time/clock.js';
import type { JournalEntry } from './journal.js';
import type { NewStore } from './mock-store.js';
import { checkRecording } from './recording.js';
import type { Violation } from './rules.js';

/** A switch of the mock hub, with what the command line needs to know of it. */
export interface Switch<Value> extends Option<Value> {
  /** All values that it can have. Absent: it is a number, or true or false. */
  readonly values?: readonly Value[];
}

/** The first value is the default. */
function choice<const Value extends string | number>(...values: readonly [Value, ...Value[]]): Switch<Value> {
  return { ...option<Value>(values[0], oneOf(...values)), values };
}

const flag = (defaultValue: boolean): Switch<boolean> => option(defaultValue, boolean());

const numeric = (defaultValue: number, range: NumberRange): Switch<number> =>
  option(defaultValue, number(range));

const latency = number({ min: 0, unit: 'ms, or a function that returns it' });

/** Every switch: `createMockHub` and the command line read this table. */
export const SWITCHES = {
  /** The response to a poll without events: 204, or 200 with `[]`. Default `'204'`, as in the standard. */
  emptyPoll: choice('204', '[]'),
  /** The status for an invalid API key: 401 as in the spec, or 403 as in the standard. Default 401. */
  badKeyStatus: choice(401, 403),
  /** Send the X-RateLimit headers of Spec §8. Default true. */
  limitHeaders: flag(true),
  /**
   * How the hub counts requests: over the last 60 s (or hour), or in minutes (or hours) that follow each
   * other from the start of the clock. Default `'sliding'`.
   */
  windows: choice('sliding', 'fixed'),
  /** The form of `Retry-After`: seconds, or an HTTP date. Default `'seconds'`. */
  retryAfter: choice('seconds', 'date'),
  /** The status for the acknowledgment of an unknown event id. Default 400. */
  unknownEventStatus: choice(400, 404),
  /** The status for a command that the order has already completed. Default 422, as in the standard. */
  repeatedCommandStatus: choice(422, 202),
  /**
   * What the hub does after `requestCancellation`: it emits CANCELLED, it emits
   * CANCELLATION_REQUEST_DENIED, or it leaves the request open. Default `'accept'`.
   */
  cancellation: choice('accept', 'deny', 'leave'),
  /** Refuse a command with 400 if its body is not as in the standard v1.7.1; it is a violation in any case. Default false. */
  strictBodies: flag(false),
  /**
   * Whether the host has put the application in its allow list, if its profile has one (`statusUntilAllowed`). If not,
   * every request is refused until `mock.allow()`. Default false.
   */
  allowed: flag(false),
  /** The sequence of the events in a poll: the oldest first, or random. Default `'oldest'`. */
  order: choice('oldest', 'shuffled'),
  /** The largest number of events in one poll. Default 1000. */
  maxEventsPerPoll: numeric(1000, { min: 1, integer: true }),
  /** How long a token is valid, in ms; at least 1000. Default 604,800,000 (7 days). */
  tokenLifetimeMs: numeric(604_800_000, { min: 1000, unit: 'ms' }),
  /**
   * The form of `expires_in` in a token response: a number of seconds, the same
   * as a string (`'text'`), an instant in epoch ms, or no such field. Default `'seconds'`.
   */
  expiresIn: choice('seconds', 'text', 'absent', 'epoch'),
  /**
   * How long a store may take to answer an order or a cancellation request, in ms; then it is a violation.
   * `Infinity`: as long as it likes. Default 600,000 (10 minutes).
   */
  unansweredAfterMs: numeric(600_000, { min: 1, unit: 'ms', infinite: true }),
  /** How long each response takes, in ms; a function is called for each request. Default 0. */
  latencyMs: option<number | (() => number)>(0, (name, value) =>
    typeof value === 'function' ? functionOf<() => number>('')(name, value) : latency(name, value),
  ),
};

/** Behaviour that the spec does not define, and in which real hubs differ. */
export interface MockHubSwitches extends OptionValues<typeof SWITCHES> {}

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

/** The store of a mock hub that is given none. */
export const DEFAULT_STORE: NewStore = {
  clientId: '1001',
  clientSecret: 'mock-client-secret',
  apiKey: 'mock-api-key',
};

const OPTIONS = {
  /** The source of time; default: the system clock. Pass the same clock to the client. */
  clock: option<Clock>(systemClock, object('a Clock', 'now', 'monotonic', 'sleep')),
  /** The hub's address; default `'https://hub.example'`. No request is ever sent to it. */
  baseUrl: option('https://hub.example', address('normalized')),
  /** The prefix of every path; default: that of the profile, otherwise `'/opendelivery'`. */
  basePath: option('/opendelivery', basePath),
  /**
   * The host that the mock hub behaves like: its paths, token requests, required headers, signatures, limits, and all
   * else in the profile, such as `food99.profile` of 'opendelivery-client/hosts'.
   * Pass the same profile to the client. Default: a host as in the spec.
   */
  profile: profileOption,
  /**
   * The stores that exist from the start; the first is the default store.
   * Default: one store with `clientId` `'1001'`.
   */
  stores: option<readonly NewStore[]>([DEFAULT_STORE], stores),
  /**
   * What `opendelivery record` has written: the first store gets its merchant document, and its orders and events at
   * their recorded times, counted from the creation of the mock hub. A command has its recorded effect if its order is
   * in the recorded state. Default: none.
   */
  replay: withoutDefault(checkRecording),
  /** Called after each response, and after each broken connection. */
  onRequest: option<(entry: JournalEntry) => void>(
    () => {},
    functionOf('a function that takes a journal entry'),
  ),
  /** Called before `reset` removes violations, with all of them, so that a report has them too. */
  onReset: option<(violations: readonly Violation[]) => void>(
    () => {},
    functionOf('a function that takes violations'),
  ),
  ...SWITCHES,
};

/**
 * Options of `createMockHub`; all are optional.
 *
 * @example
 * ```ts
 * createMockHub({ clock, emptyPoll: '[]', latencyMs: () => 100 + Math.random() * 900 });
 * ```
 */
export interface MockHubOptions extends GivenOptions<typeof OPTIONS> {}

export type ResolvedMockHubOptions = OptionValues<typeof OPTIONS>;

/** @throws {ConfigurationError} an option is unknown or invalid. */
export function resolveMockHubOptions(given: MockHubOptions): ResolvedMockHubOptions {
  const resolved = resolveTable<ResolvedMockHubOptions>(OPTIONS, given);
  const { profile } = resolved;
  if (given.basePath !== undefined || profile.basePath === undefined) return resolved;
  return { ...resolved, basePath: profile.basePath };
}
