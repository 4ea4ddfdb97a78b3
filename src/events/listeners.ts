import { EventEmitter } from 'eventemitter3';
import { ConfigurationError } from '../errors.js';
import { canonicalEventType } from '../schemas/event.js';

/** A listener as it is kept: its name decides what it is given. */
export type AnyListener = (subject: never, context: never) => unknown;

export interface Registration {
  readonly name: string;
  readonly listener: AnyListener;
}

/** The name under which listeners for all types stand. */
export const ALL_TYPES = 'event';
export const DEAD_LETTER = 'deadLetter';

/**
 * Listeners whose promises decide over events. A `once` listener leaves when
 * it has resolved, not when it is called: one that fails is there when the
 * event comes again.
 */
export class Listeners {
  readonly #emitter = new EventEmitter<string>();
  readonly #onceBusy = new Set<AnyListener>();
  readonly #once = new Set<AnyListener>();

  add(name: string, listener: AnyListener, once: boolean): void {
    check(listener);
    if (once) this.#once.add(listener);
    this.#emitter[once ? 'once' : 'on'](keyOf(name), listener as () => unknown);
  }

  remove(name: string, listener: AnyListener): void {
    check(listener);
    this.#emitter.off(keyOf(name), listener as () => unknown);
  }

  /** Whether anything listens to order events. */
  hasAny(): boolean {
    return this.#emitter.eventNames().some((name) => name !== DEAD_LETTER);
  }

  hasDeadLetter(): boolean {
    return this.#emitter.listenerCount(DEAD_LETTER) > 0;
  }

  /**
   * Who is to be called for an event type now. `busy`: there are listeners,
   * but all are `once` and at work on another event.
   */
  of(type: string): { registrations: readonly Registration[]; busy: boolean } {
    const all = [...this.#registrations(type), ...this.#registrations(ALL_TYPES)];
    if (this.#onceBusy.size === 0) return { registrations: all, busy: false };
    const free = all.filter(({ listener }) => !this.#onceBusy.has(listener));
    return { registrations: free, busy: free.length === 0 && all.length > 0 };
  }

  deadLetter(): readonly Registration[] {
    return this.#registrations(DEAD_LETTER);
  }

  /** To be called around each run of a listener. */
  begin({ listener }: Registration): void {
    if (this.#once.has(listener)) this.#onceBusy.add(listener);
  }

  end({ name, listener }: Registration, resolved: boolean): void {
    if (!this.#once.has(listener)) return;
    this.#onceBusy.delete(listener);
    if (!resolved) return;
    this.#emitter.off(name, listener as () => unknown, undefined, true);
    this.#once.delete(listener);
  }

  #registrations(name: string): Registration[] {
    return this.#emitter.listeners(name).map((listener) => ({ name, listener: listener as AnyListener }));
  }
}

const keyOf = (name: string): string => canonicalEventType(name);

function check(listener: unknown): void {
  if (typeof listener !== 'function') throw new ConfigurationError('listener', 'must be a function');
}
