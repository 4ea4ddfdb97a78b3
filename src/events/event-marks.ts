import type { Clock } from '../clock.js';
import { StateError } from '../errors.js';
import type { Mark, RecallRequest, State } from '../state/port.js';
import type { HandledMarks } from './handled-marks.js';
import type { Quote } from './poller-context.js';

export interface EventMarksOptions {
  readonly state: State;
  readonly stateKey: string;
  readonly clock: Clock;
  readonly rememberMs: number;
  readonly maxAttempts: number;
  readonly quote: Quote;
  readonly handledMarks: HandledMarks;
}

/** An event that failed must be remembered longer than the hub sends it, or it would count as unhandled. */
const ATTEMPTED_MS = 7 * 86_400_000; // a week

/** The marks of a poll's events. */
export interface PollMarks {
  /** The mark of each event, before the count. */
  readonly marks: readonly Mark[];
  /** Whether a coming attempt of the event was counted. */
  readonly isCounted: (index: number) => boolean;
}

const HANDLED: Mark = Object.freeze({ handled: true, attempts: 0 });

const NO_MARKS: PollMarks = { marks: [], isCounted: () => false };

/** The marks of a store's events in the state: handled, or how often attempted. */
export class EventMarks {
  readonly #options: EventMarksOptions;
  readonly #lifetimes: RecallRequest;
  readonly #onUncounted: (error: StateError) => void;

  /** @param onUncounted - the state has the marks, but could not count attempts. */
  constructor(options: EventMarksOptions, onUncounted: (error: StateError) => void) {
    this.#options = options;
    this.#onUncounted = onUncounted;
    const { rememberMs } = options;
    this.#lifetimes = { handledMs: rememberMs, attemptedMs: Math.max(rememberMs, ATTEMPTED_MS) };
  }

  /**
   * Reads the marks of events, and in the same step counts a coming attempt of
   * some of them. If `maxAttempts` is finite, only events that were never
   * attempted are counted here, see `Dispatcher`. If the state can read but not
   * count, only this process counts, so that no event has to wait.
   *
   * @param willRun - whether listeners of the event will be called, unless it was handled.
   * @throws {StateError} the state is unreachable: no event can be handled safely.
   */
  async read(keys: readonly string[], willRun: readonly boolean[]): Promise<PollMarks> {
    const { handledMarks } = this.#options;
    const unwritten = handledMarks.unwritten();
    try {
      await handledMarks.writeRefused();
      return keys.length === 0 ? NO_MARKS : await this.#recall(keys, willRun, unwritten);
    } catch (cause) {
      throw new StateError(
        `the marks of handled events cannot be read from the state (${this.#why(cause)}); no event is handled until they can`,
        { cause },
      );
    }
  }

  async #recall(
    keys: readonly string[],
    willRun: readonly boolean[],
    unwritten: ReadonlySet<string>,
  ): Promise<PollMarks> {
    const { state, stateKey, clock, maxAttempts } = this.#options;
    const below = maxAttempts === Number.POSITIVE_INFINITY ? maxAttempts : 1;
    const isCallable = (index: number) => willRun[index] === true && !unwritten.has(keys[index] as string);
    const ids = keys.filter((_key, index) => isCallable(index));
    const marksOf = (marks: readonly Mark[]) =>
      marks.map((mark, index) => (unwritten.has(keys[index] as string) ? HANDLED : mark));
    const isCounted = (marks: readonly Mark[]) => (index: number) =>
      isCallable(index) && isBelow(marks[index] as Mark, below);
    let uncounted: unknown;
    if (ids.length > 0) {
      try {
        const request = { ...this.#lifetimes, count: { ids, below } };
        const marks = await state.recall(stateKey, keys, request, clock);
        return { marks: marksOf(marks), isCounted: isCounted(marks) };
      } catch (cause) {
        uncounted = cause ?? new Error('no reason given');
      }
    }
    const marks = await state.recall(stateKey, keys, this.#lifetimes, clock);
    if (uncounted) this.#onUncounted(this.#uncounted(uncounted));
    return { marks: marksOf(marks), isCounted: () => false };
  }

  /**
   * Counts the coming attempt of one event.
   *
   * @returns its mark before the count. Undefined if the state failed: only this process counts then, so that no order has to wait.
   */
  async countOne(key: string): Promise<Mark | undefined> {
    const { state, stateKey, clock } = this.#options;
    const count = { ids: [key], below: Number.POSITIVE_INFINITY };
    try {
      const [mark] = await state.recall(stateKey, [key], { ...this.#lifetimes, count }, clock);
      return mark;
    } catch {
      return undefined;
    }
  }

  /** Adds attempts to events, or takes them back. @returns false if the state failed. */
  async add(keys: readonly string[], attempts: 1 | -1): Promise<boolean> {
    if (keys.length === 0) return true;
    const { state, stateKey, clock } = this.#options;
    try {
      await state.mark(stateKey, keys, { attempts, forMs: this.#lifetimes.attemptedMs }, clock);
      return true;
    } catch {
      return false;
    }
  }

  #uncounted(cause: unknown): StateError {
    return new StateError(
      `the state could not count the attempts of a poll's events (${this.#why(cause)}); this process counts them, and a restart forgets them`,
      { cause },
    );
  }

  #why(cause: unknown): string {
    const { quote } = this.#options;
    return cause instanceof Error ? quote(`${cause.name}: ${cause.message}`) : 'no reason given';
  }
}

const isBelow = ({ handled, attempts }: Mark, below: number) => !handled && attempts < below;
