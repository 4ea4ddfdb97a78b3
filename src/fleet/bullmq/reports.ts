/** Passes each error on once until things are good again: while Redis is away, every try to connect fails. */
export class Reports {
  readonly #pass: (error: unknown) => void;
  readonly #known = new Set<string>();

  constructor(pass: (error: unknown) => void) {
    this.#pass = pass;
  }

  readonly report = (error: unknown): void => {
    const text = String(error);
    if (this.#known.has(text)) return;
    this.#known.add(text);
    this.#pass(error);
  };

  clear(): void {
    this.#known.clear();
  }
}
