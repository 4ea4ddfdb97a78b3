import { ConfigurationError } from '../errors.js';
import { canonicalEventType } from '../schemas/event-types.js';

/** A listener as it is kept: its name decides what it is given. */
export type AnyListener = (subject: never, context: never) => unknown;

/** One `on` or `once`. */
export interface Registration {
  readonly name: string;
  readonly listener: AnyListener;
  readonly once: boolean;
  /** A `once` listener at work on an event: another event does not get it too. */
  busy: boolean;
}

/** Who is to be called now. `busy`: there are listeners, but all of them are `once` and at work. */
export interface Audience {
  readonly registrations: readonly Registration[];
  readonly busy: boolean;
}

/** The name under which listeners for all types stand. */
export const ALL_TYPES = 'event';
/** The name under which listeners for given-up events stand. */
export const DEAD_LETTER = 'deadLetter';

/**
 * Listeners whose promises decide over events. A `once` listener leaves when
 * it has resolved, not when it is called: one that fails is there when the
 * event comes again.
 */
export class Listeners {
  readonly #byName = new Map<string, Registration[]>();

  add(name: string, listener: AnyListener, once: boolean): void {
    if (typeof listener !== 'function') throw new ConfigurationError('listener', 'must be a function');
    const key = canonicalEventType(name);
    const registrations = this.#byName.get(key) ?? [];
    this.#byName.set(key, [...registrations, { name: key, listener, once, busy: false }]);
  }

  remove(name: string, listener: AnyListener): void {
    this.#keep(canonicalEventType(name), (registration) => registration.listener !== listener);
  }

  /** Whether anything listens to order events. */
  hasAny(): boolean {
    return [...this.#byName.keys()].some((name) => name !== DEAD_LETTER);
  }

  of(type: string): Audience {
    return audienceOf([...(this.#byName.get(type) ?? []), ...(this.#byName.get(ALL_TYPES) ?? [])]);
  }

  deadLetter(): Audience {
    return audienceOf(this.#byName.get(DEAD_LETTER) ?? []);
  }

  /** To be called around each run of a listener. */
  begin(registration: Registration): void {
    registration.busy = registration.once;
  }

  end(registration: Registration, resolved: boolean): void {
    registration.busy = false;
    if (registration.once && resolved) this.#keep(registration.name, (each) => each !== registration);
  }

  #keep(name: string, isKept: (registration: Registration) => boolean): void {
    const kept = (this.#byName.get(name) ?? []).filter(isKept);
    if (kept.length > 0) this.#byName.set(name, kept);
    else this.#byName.delete(name);
  }
}

function audienceOf(all: readonly Registration[]): Audience {
  if (!all.some(({ busy }) => busy)) return { registrations: all, busy: false };
  const free = all.filter(({ busy }) => !busy);
  return { registrations: free, busy: free.length === 0 };
}
