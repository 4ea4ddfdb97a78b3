import type { Sink } from '../async/observers.js';
import type { HubClient } from '../client.js';
import type { Clock } from '../clock.js';
import type { Logger } from '../logger.js';
import type { Secret } from '../secrets/secret.js';
import type { State } from '../state/port.js';
import type { Claim } from './claim.js';
import type { PollingClient } from './client.js';
import type { HandledMarks } from './handled-marks.js';
import type { Listeners } from './listeners.js';
import type { Pace } from './pace.js';
import type { LifecycleEvents } from './poller-events.js';
import type { PollerOptions } from './poller-options.js';
import type { Runs } from './runs.js';
import type { StoreLease } from './store-lease.js';

/** For `Quote`: ids in reports are compared, so they are not cut. */
export const WHOLE = Number.POSITIVE_INFINITY;

/** Masks secrets in a string of the hub, and cuts it. */
export type Quote = (text: string, maxLength?: number) => string;

/** What all pollers of one client share. */
export interface ClientParts {
  readonly clock: Clock;
  readonly state: State;
  readonly stateKey: string;
  /** See `PollerHealth`. */
  readonly stateDriver: string | undefined;
  /** The shortest interval between polls that the hub allows, in ms. */
  readonly minIntervalMs: number;
  /** The store, in a fleet. */
  readonly storeId: string | undefined;
  readonly logger: Logger;
  /** At most 200 characters, or `maxLength`, of an id, a type or an error's message, with secrets masked. */
  readonly quote: Quote;
  readonly events: PollingClient;
  readonly runs: Runs;
  readonly handledMarks: HandledMarks;
  readonly lease: StoreLease;
  /** Event types, and reasons to refuse a push, for which a warning was logged. */
  readonly warnedAbout: Set<string>;
  readonly claim: Claim;
  /**
   * The client secret, and others: what the hub may sign a push with.
   *
   * @throws {ConfigurationError} there is no client secret, or a function returned no usable string.
   * @throws {TimeoutError} a function did not return.
   */
  readonly signingSecrets: (others: readonly Secret[]) => Promise<readonly string[]>;
  /** @throws {ClosedError} the client is closed. */
  readonly throwIfClosed: () => void;
}

/** What a poller has beside the parts of its client and its options. */
export interface OwnParts {
  readonly observers: Sink<LifecycleEvents>;
  readonly listeners: Listeners;
  readonly pace: Pace;
  /** Of an earlier poller of the store, see `UnconfirmedEvents`. */
  readonly confirmedKeys?: readonly string[] | undefined;
  /** Instead of those of the options. */
  readonly merchants?: readonly string[] | undefined;
  /** The store's client, for the listeners. */
  readonly hub: () => HubClient;
}

/** What all objects of one poller share. */
export interface PollerContext extends ClientParts, PollerOptions, Omit<OwnParts, 'merchants'> {}

/** Joins them; `own` takes precedence. */
export function pollerContext(
  parts: ClientParts,
  options: PollerOptions,
  own: OwnParts & Partial<ClientParts>,
): PollerContext {
  // A fleet makes one for each turn of a store. V8 takes fifteen times as long to spread so many properties into an object literal.
  return Object.assign({}, parts, options, own);
}
