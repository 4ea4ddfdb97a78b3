import { ConfigurationError } from '../errors/index.js';
import type { Logger } from '../observe/logger.js';
import { Observers } from '../observe/observers.js';
import { canonicalEventType } from '../schemas/event-types.js';
import { ALL_TYPES, DEAD_LETTER, LIFECYCLE_NAMES, type LifecycleEvents } from './lifecycle-events.js';

/** A registered listener; the name it was registered for decides its arguments. */
export type AnyListener = (subject: never, context: never) => unknown;

/** One call of `on` or `once`. */
export interface Registration {
  readonly name: string;
  readonly listener: AnyListener;
  readonly once: boolean;
  /** A `once` listener that handles an event now: it is not called for another one. */
  isBusy: boolean;
}

/** The listeners to call now. `isBusy`: there are some, but all of them are `once` listeners at work. */
export interface Audience {
  readonly registrations: readonly Registration[];
  readonly isBusy: boolean;
}

/** Event types whose listeners are kept ready. */
const MAX_AUDIENCES = 100;

/**
 * The listeners that decide over events. A `once` listener is removed when it
 * has resolved, not when it is called: one that failed is called again when the
 * hub sends the event again.
 */
export class Listeners {
  readonly #byName = new Map<string, Registration[]>();
  /** What `of` has returned for a type, until the listeners change. */
  readonly #audiences = new Map<string, Audience>();
  /** Names whose listeners were removed: what was stored for them waits for the next one. */
  readonly #removed = new Set<string>();
  readonly #hasInbox: boolean;

  constructor(hasInbox: boolean) {
    this.#hasInbox = hasInbox;
  }

  /** @throws {ConfigurationError} with an inbox, an event of this type would have two listeners. */
  add(name: string, listener: AnyListener, once: boolean): void {
    if (this.#hasInbox && name !== DEAD_LETTER) this.#requireNone(name);
    this.#audiences.clear();
    const key = canonicalEventType(name);
    const registrations = this.#byName.get(key) ?? [];
    this.#byName.set(key, [...registrations, { name: key, listener, once, isBusy: false }]);
  }

  remove(name: string, listener: AnyListener): void {
    this.#keep(canonicalEventType(name), (registration) => registration.listener !== listener);
  }

  /** @throws {ConfigurationError} there is no listener for any order event. */
  requireAny(): void {
    if ([...this.#byName.keys()].some((name) => name !== DEAD_LETTER)) return;
    throw new ConfigurationError(
      'listeners',
      "there is no listener for any order event, so all events would be acknowledged unread; first add one with poller.on('CREATED', …) or poller.on('event', …)",
    );
  }

  /** One listener commits; another one would be lost. */
  #requireNone(name: string): void {
    const names = [...this.#byName.keys()].filter((each) => each !== DEAD_LETTER);
    const key = canonicalEventType(name);
    const other = key === ALL_TYPES ? names[0] : names.find((each) => each === key || each === ALL_TYPES);
    if (other === undefined) return;
    throw new ConfigurationError(
      'listeners',
      `with an inbox an event has one listener, which commits: '${other}' has one already, so '${name}' cannot have another`,
    );
  }

  of(eventType: string): Audience {
    const known = this.#audiences.get(eventType);
    if (known) return known;
    // Types are upper case, so that no hub can call the listeners of 'event' twice, or those of 'deadLetter'.
    const own = eventType === ALL_TYPES || eventType === DEAD_LETTER ? [] : this.#byName.get(eventType);
    const registrations = [...(own ?? []), ...(this.#byName.get(ALL_TYPES) ?? [])];
    // Each call may find another `once` listener at work. A hub can send any number of types of its own.
    if (registrations.some(({ once }) => once) || this.#audiences.size >= MAX_AUDIENCES) {
      return audienceOf(registrations);
    }
    const audience = { registrations, isBusy: false };
    this.#audiences.set(eventType, audience);
    return audience;
  }

  /** Whether this application has had a listener for the type since it began. */
  hasHad(eventType: string): boolean {
    return this.#removed.has(eventType) || this.#removed.has(ALL_TYPES);
  }

  deadLetter(): Audience {
    return audienceOf(this.#byName.get(DEAD_LETTER) ?? []);
  }

  /** A `once` listener has settled. */
  end(registration: Registration, isResolved: boolean): void {
    registration.isBusy = false;
    if (isResolved) this.#keep(registration.name, (each) => each !== registration);
  }

  #keep(name: string, isKept: (registration: Registration) => boolean): void {
    this.#audiences.clear();
    const kept = (this.#byName.get(name) ?? []).filter(isKept);
    if (kept.length > 0) this.#byName.set(name, kept);
    else if (this.#byName.delete(name)) this.#removed.add(name);
  }
}

function audienceOf(all: readonly Registration[]): Audience {
  if (!all.some(({ isBusy }) => isBusy)) return { registrations: all, isBusy: false };
  const free = all.filter(({ isBusy }) => !isBusy);
  return { registrations: free, isBusy: free.length === 0 };
}

/** What an application has registered with `on` and `once`: listeners that decide over events, and observers. */
export interface Subscriptions {
  readonly listeners: Listeners;
  readonly observers: Observers<LifecycleEvents>;
}

export const newSubscriptions = (logger: Logger, hasInbox: boolean): Subscriptions => ({
  listeners: new Listeners(hasInbox),
  observers: new Observers<LifecycleEvents>(logger, LIFECYCLE_NAMES),
});
