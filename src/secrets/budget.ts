/** Steps for each character of a text; an ordinary page costs one or two, the worst encoded page about eight. */
const STEPS_PER_CHARACTER = 16;
/** Short texts get this many in addition: a secret may have more escapes than the text around it. */
const STEPS_AT_LEAST = 20_000;

/** The search has used up its steps: the text is withheld. */
export class BudgetExceeded extends Error {}

/** Bounds the work of one search, in steps and not in time, so that the same text always has the same result. */
export class Budget {
  readonly limit: number;
  #left: number;

  constructor(length: number) {
    this.limit = STEPS_AT_LEAST + STEPS_PER_CHARACTER * length;
    this.#left = this.limit;
  }

  get spent(): number {
    return this.limit - this.#left;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetExceeded('too many steps');
  }
}
