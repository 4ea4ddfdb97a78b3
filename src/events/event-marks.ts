import type { Clock } from '../clock.js';
import { StateError } from '../errors.js';
import { HANDLED, type MarkLifetimes, type State } from '../state/port.js';

export interface EventMarksOptions {
  readonly state: State;
  readonly stateKey: string;
  readonly clock: Clock;
  readonly rememberMs: number;
  /** Takes secrets out of a string that quotes an error. */
  readonly scrub: (text: string) => string;
  /** Keys of handled events whose mark the state did not take. All pollers of the client share this set. */
  readonly unwritten: Set<string>;
}

/** An event that failed must be remembered longer than the hub sends it, or it would count as unhandled. */
const ATTEMPTED_MS = 7 * 86_400_000; // a week

/** The marks of a store's events in the state: handled, or how often attempted. */
export class EventMarks {
  readonly #options: EventMarksOptions;
  readonly #lifetimes: MarkLifetimes;

  constructor(options: EventMarksOptions) {
    this.#options = options;
    const { rememberMs } = options;
    this.#lifetimes = { handledMs: rememberMs, attemptedMs: Math.max(rememberMs, ATTEMPTED_MS) };
  }

  /**
   * The mark of each event: 0, the number of attempts, or `HANDLED`.
   *
   * @throws {StateError} the state is unreachable: no event can be handled safely.
   */
  async read(keys: readonly string[]): Promise<readonly number[]> {
    const { state, stateKey, clock, scrub } = this.#options;
    const unwritten = new Set(this.#options.unwritten);
    try {
      await this.#writeUnwritten();
      if (keys.length === 0) return [];
      const marks = await state.recall(stateKey, keys, this.#lifetimes, clock);
      return marks.map((mark, index) => (unwritten.has(keys[index] as string) ? HANDLED : mark));
    } catch (cause) {
      const why = cause instanceof Error ? scrub(`${cause.name}: ${cause.message}`) : 'no reason given';
      throw new StateError(
        `the marks of handled events cannot be read from the state (${why}); no event is handled until they can`,
        { cause },
      );
    }
  }

  /**
   * Adds `by` to the attempts of each event.
   *
   * @returns the new marks. Undefined if the state failed: only this process counts then, so that no order has to wait.
   */
  async count(keys: readonly string[], by: 1 | -1): Promise<readonly number[] | undefined> {
    if (keys.length === 0) return [];
    const { state, stateKey, clock } = this.#options;
    try {
      return await state.count(stateKey, keys, by, this.#lifetimes.attemptedMs, clock);
    } catch {
      return undefined;
    }
  }

  /** Marks an event as handled. @returns why the state did not take the mark; memory keeps it then. */
  async writeHandled(key: string, eventId: string): Promise<StateError | undefined> {
    try {
      await this.#write([key]);
      return undefined;
    } catch (cause) {
      this.#options.unwritten.add(key);
      const which = this.#options.scrub(eventId);
      return new StateError(`event ${which} is handled, but the mark could not be written`, { cause });
    }
  }

  /** Tries once more to write the marks that only memory has; the first failure was reported. */
  async flush(): Promise<void> {
    await this.#writeUnwritten().catch(() => {});
  }

  #write(keys: readonly string[]): void | Promise<void> {
    const { state, stateKey, clock, rememberMs } = this.#options;
    return state.remember(stateKey, keys, rememberMs, clock);
  }

  async #writeUnwritten(): Promise<void> {
    const { unwritten } = this.#options;
    if (unwritten.size === 0) return;
    const keys = [...unwritten];
    await this.#write(keys);
    for (const key of keys) unwritten.delete(key);
  }
}
