/** Many numbers, and what is asked about them. */
export class Samples {
  readonly #values: number[] = [];
  #isSorted = true;

  add(value: number): void {
    this.#values.push(value);
    this.#isSorted = false;
  }

  get count(): number {
    return this.#values.length;
  }

  get max(): number {
    return this.quantile(1);
  }

  /** 0 without values. */
  quantile(share: number): number {
    if (!this.#isSorted) this.#values.sort((one, other) => one - other);
    this.#isSorted = true;
    return this.#values[Math.ceil(this.#values.length * share) - 1] ?? 0;
  }

  countOver(limit: number): number {
    return this.#values.reduce((count, value) => count + (value > limit ? 1 : 0), 0);
  }
}
