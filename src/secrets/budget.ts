/** Steps per character of the text. An ordinary page needs one or two, the worst encoded page about eight. */
const STEPS_PER_CHARACTER = 16;
/** Added for short texts, in which a secret may consist of more escapes than the text has other characters. */
const BASE_STEPS = 20_000;

/** The search has used up its steps, so the text must be withheld. */
export class BudgetExceeded extends Error {}

/** Limits the work of one search. It counts steps and not time, so that the same text always has the same result. */
export class Budget {
  readonly limit: number;
  #left: number;

  constructor(textLength: number) {
    this.limit = BASE_STEPS + STEPS_PER_CHARACTER * textLength;
    this.#left = this.limit;
  }

  get spent(): number {
    return this.limit - this.#left;
  }

  /** @throws {BudgetExceeded} fewer steps are left. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetExceeded('too many steps');
  }
}
