/** The mark of a handled event. A smaller mark is the number of attempts. */
export const HANDLED = 2047;

/** The largest mark that is a number of attempts; counting stops there. */
export const MAX_COUNTED_ATTEMPTS = HANDLED - 1;

/** The lifetimes that `recall` gives to the marks it renews, in milliseconds. */
export interface MarkLifetimes {
  /** For ids that are handled (mark 2047). */
  readonly handledMs: number;
  /** For ids that have attempts only (marks 1 to 2046). */
  readonly attemptedMs: number;
}

/** Which attempts `recall` counts. */
export interface AttemptsToCount {
  /** Each of these gets one attempt more, also if it is here twice. All of them are in the `ids` of the call too. */
  readonly ids: readonly string[];
  /** Only marks below this number are counted: 1 counts new ids only, Infinity all ids that are not handled. */
  readonly below: number;
}

/** What `recall` does in the step in which it reads the marks. */
export interface RecallRequest extends MarkLifetimes {
  /** The attempts to count. Absent: none. */
  readonly count?: AttemptsToCount | undefined;
}

/** Ten years. Adapters keep nothing for longer; larger instants do not fit into the scores of marks. */
export const MAX_LIFETIME_MS = 10 * 365 * 86_400_000;
