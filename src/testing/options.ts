import { type Clock, systemClock } from '../clock.js';
import { ConfigurationError } from '../errors.js';
import { boolean, functionOf, number, object, oneOf, resolve, string } from '../option-checks.js';
import type { JournalEntry } from './journal.js';
import type { NewStore } from './store.js';

/** What hubs do differently where the spec is silent. */
export interface MockHubSwitches {
  /** What a poll without events answers: 204 as the standard says, or 200 with `[]`. */
  readonly emptyPoll: '204' | '[]';
  /** The status of a bad API key: 401 as the spec says, or the standard's 403. */
  readonly badKeyStatus: 401 | 403;
  /** Whether answers carry X-RateLimit-* (Spec §8). */
  readonly limitHeaders: boolean;
  readonly windows: 'sliding' | 'fixed';
  readonly retryAfter: 'seconds' | 'date';
  /** The status for an acknowledgment of an id the hub does not know. */
  readonly unknownEventStatus: 400 | 404;
  /** The status of a command whose target is reached already. */
  readonly repeatedCommandStatus: 422 | 202;
  /** What the hub makes of `requestCancellation`. */
  readonly cancellation: 'accept' | 'deny' | 'leave';
  /** Whether polls list events in the order of their making, or shuffled. */
  readonly order: 'oldest' | 'shuffled';
  readonly maxEventsPerPoll: number;
  /** Lifetime of tokens in ms. */
  readonly tokenLifetimeMs: number;
  /** How a token answer says its lifetime. */
  readonly expiresIn: 'seconds' | 'text' | 'absent' | 'epoch';
  /** Every answer takes this long, in ms; or what the function says for each request. */
  readonly latencyMs: number | (() => number);
}

export interface MockHubOptions extends Partial<MockHubSwitches> {
  /** Share it with the client. */
  readonly clock?: Clock;
  /** Where the hub is; nothing is ever sent there. */
  readonly baseUrl?: string;
  readonly basePath?: string;
  /** The stores there are from the beginning, the first the default one; without them, one of the mock's own. */
  readonly stores?: readonly NewStore[];
  /** Called when a request has been answered, or its connection broken. */
  readonly onRequest?: (entry: JournalEntry) => void;
}

export type ResolvedMockHubOptions = MockHubSwitches & {
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly basePath: string;
  readonly stores: readonly NewStore[];
  readonly onRequest: (entry: JournalEntry) => void;
};

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
  order: 'oldest',
  maxEventsPerPoll: 1000,
  tokenLifetimeMs: 604_800_000,
  expiresIn: 'seconds',
  latencyMs: 0,
});

function address(name: string, value: unknown): string {
  const given = string("an address such as 'https://hub.example'")(name, value);
  if (!URL.canParse(given))
    throw new ConfigurationError(name, "must be an address such as 'https://hub.example'");
  return new URL(given).href.replace(/\/$/, '');
}

const latency = number({ min: 0, unit: 'ms, or a function that gives it' });

function status<const T extends number>(...values: readonly T[]) {
  return (name: string, value: unknown): T => {
    if (values.includes(value as T)) return value as T;
    throw new ConfigurationError(name, `must be ${values.join(' or ')}`);
  };
}

function stores(name: string, value: unknown): readonly NewStore[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw new ConfigurationError(name, 'must be a list of at least one { clientId, clientSecret, apiKey }');
  }
  return value.map((store: unknown, index) => checkStore(`${name}[${index}]`, store));
}

/** @throws {ConfigurationError} it is no store; the message names what is wrong. */
export function checkStore(name: string, value: unknown): NewStore {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  for (const key of ['clientId', 'clientSecret', 'apiKey']) string('a text')(`${name}.${key}`, given[key]);
  const { merchant } = given;
  if (merchant !== undefined && (typeof merchant !== 'object' || merchant === null)) {
    throw new ConfigurationError(`${name}.merchant`, 'must be a merchant document');
  }
  return value as NewStore;
}

/** @throws {ConfigurationError} an option is unknown or wrong. */
export function resolveMockHubOptions(given: MockHubOptions): ResolvedMockHubOptions {
  return resolve<ResolvedMockHubOptions>('', given, MOCK_DEFAULTS, {
    clock: object<Clock>('a Clock', 'now', 'monotonic', 'sleep'),
    baseUrl: address,
    basePath: (name, value) => (value === '' ? '' : string('a path')(name, value)),
    stores,
    onRequest: functionOf<(entry: JournalEntry) => void>('a function of a journal entry'),
    emptyPoll: oneOf('204', '[]'),
    badKeyStatus: status(401, 403),
    limitHeaders: boolean(),
    windows: oneOf('sliding', 'fixed'),
    retryAfter: oneOf('seconds', 'date'),
    unknownEventStatus: status(400, 404),
    repeatedCommandStatus: status(422, 202),
    cancellation: oneOf('accept', 'deny', 'leave'),
    order: oneOf('oldest', 'shuffled'),
    maxEventsPerPoll: number({ min: 1, integer: true }),
    tokenLifetimeMs: number({ min: 1000, unit: 'ms' }),
    expiresIn: oneOf('seconds', 'text', 'absent', 'epoch'),
    latencyMs: (name, value) =>
      typeof value === 'function' ? functionOf<() => number>('')(name, value) : latency(name, value),
  });
}
