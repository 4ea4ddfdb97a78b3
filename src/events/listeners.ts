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

  add(name: string, listener: AnyListener, once: boolean): void {
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
    return audienceOf([...(this.#byName.get(eventType) ?? []), ...(this.#byName.get(ALL_TYPES) ?? [])]);
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
