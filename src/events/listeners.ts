import { ConfigurationError } from '../errors.js';
import { canonicalEventType } from '../schemas/event-types.js';

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

/** The name for listeners of all event types. */
export const ALL_TYPES = 'event';
/** The name for listeners of events that used up `maxAttempts`. */
export const DEAD_LETTER = 'deadLetter';

/**
 * The listeners that decide over events. A `once` listener is removed when it
 * has resolved, not when it is called: one that failed is called again when the
 * hub sends the event again.
 */
export class Listeners {
  readonly #byName = new Map<string, Registration[]>();
  /** What `of` has returned for a type, until the listeners change. */
  readonly #audiences = new Map<string, Audience>();

  add(name: string, listener: AnyListener, once: boolean): void {
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

  of(eventType: string): Audience {
    const known = this.#audiences.get(eventType);
    if (known) return known;
    const registrations = [...(this.#byName.get(eventType) ?? []), ...(this.#byName.get(ALL_TYPES) ?? [])];
    // Each call may find another `once` listener at work. A hub can send any number of types of its own.
    if (registrations.some(({ once }) => once) || this.#audiences.size >= MAX_AUDIENCES) {
      return audienceOf(registrations);
    }
    const audience = { registrations, isBusy: false };
    this.#audiences.set(eventType, audience);
    return audience;
  }

  deadLetter(): Audience {
    return audienceOf(this.#byName.get(DEAD_LETTER) ?? []);
  }

  /** Called before each run of a listener, as `end` after it. */
  begin(registration: Registration): void {
    registration.isBusy = registration.once;
  }

  end(registration: Registration, isResolved: boolean): void {
    registration.isBusy = false;
    if (registration.once && isResolved) this.#keep(registration.name, (each) => each !== registration);
  }

  #keep(name: string, isKept: (registration: Registration) => boolean): void {
    this.#audiences.clear();
    const kept = (this.#byName.get(name) ?? []).filter(isKept);
    if (kept.length > 0) this.#byName.set(name, kept);
    else this.#byName.delete(name);
  }
}

function audienceOf(all: readonly Registration[]): Audience {
  if (!all.some(({ isBusy }) => isBusy)) return { registrations: all, isBusy: false };
  const free = all.filter(({ isBusy }) => !isBusy);
  return { registrations: free, isBusy: free.length === 0 };
}
