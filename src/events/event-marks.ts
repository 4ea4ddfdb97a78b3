import type { Clock } from '../clock.js';
import { StateError } from '../errors.js';
import { HANDLED, type MarkLifetimes, type MaybePromise, type State } from '../state/port.js';
import type { HandledMarks } from './handled-marks.js';

export interface EventMarksOptions {
  readonly state: State;
  readonly stateKey: string;
  readonly clock: Clock;
  readonly rememberMs: number;
  readonly maxAttempts: number;
  /** Takes secrets out of a string that quotes an error. */
  readonly scrub: (text: string) => string;
  readonly handledMarks: HandledMarks;
}

/** An event that failed must be remembered longer than the hub sends it, or it would count as unhandled. */
const ATTEMPTED_MS = 7 * 86_400_000; // a week

/** The marks of a poll's events. */
export interface PollMarks {
  /** The mark of each event before the count: 0, the number of attempts, or `HANDLED`. */
  readonly marks: readonly number[];
  /** Whether a coming attempt of the event was counted. */
  readonly isCounted: (index: number) => boolean;
}

const NO_MARKS: PollMarks = { marks: [], isCounted: () => false };

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
   * Reads the marks of events, and in the same step counts a coming attempt of
   * some of them. If `maxAttempts` is finite, only events that were never
   * attempted are counted here, see `Dispatcher`.
   *
   * @param willRun - whether listeners of the event will be called, unless it was handled.
   * @throws {StateError} the state is unreachable: no event can be handled safely.
   */
  read(keys: readonly string[], willRun: readonly boolean[]): MaybePromise<PollMarks> {
    const { state, stateKey, clock, handledMarks } = this.#options;
    const unwritten = handledMarks.unwritten();
    try {
      const rewritten = handledMarks.writeRefused();
      if (keys.length === 0) {
        return rewritten instanceof Promise ? rewritten.then(() => NO_MARKS, this.#unreadable) : NO_MARKS;
      }
      const below = this.#options.maxAttempts === Number.POSITIVE_INFINITY ? HANDLED : 1;
      const ids = keys.filter((key, index) => willRun[index] && !unwritten.has(key));
      const request = { ...this.#lifetimes, ...(ids.length > 0 && { count: { ids, below } }) };
      const found = (marks: readonly number[]): PollMarks => ({
        marks:
          unwritten.size === 0
            ? marks
            : marks.map((mark, index) => (unwritten.has(keys[index] as string) ? HANDLED : mark)),
        isCounted: (index) =>
          willRun[index] === true &&
          (marks[index] as number) < below &&
          !unwritten.has(keys[index] as string),
      });
      const recall = () => state.recall(stateKey, keys, request, clock);
      const pending = rewritten instanceof Promise ? rewritten.then(recall) : recall();
      return pending instanceof Promise ? pending.then(found).catch(this.#unreadable) : found(pending);
    } catch (cause) {
      return this.#unreadable(cause);
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

  readonly #unreadable = (cause: unknown): never => {
    const { scrub } = this.#options;
    const why = cause instanceof Error ? scrub(`${cause.name}: ${cause.message}`) : 'no reason given';
    throw new StateError(
      `the marks of handled events cannot be read from the state (${why}); no event is handled until they can`,
      { cause },
    );
  };
}
