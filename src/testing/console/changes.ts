import type { WireAbout, WireMessage, WireRow, WireSummary } from './wire.js';

/** What a section shows now. */
export interface View {
  readonly rows: readonly WireRow[];
  readonly about: WireAbout;
}

/** Remembers what one page has been sent, and finds what it has not. */
export class ChangesForPage {
  #summary = '';
  #about = '';
  #rows = new Map<string, string>();

  /** Empty: nothing has changed. */
  since(summary: WireSummary, { rows, about }: View): Omit<WireMessage, 'time'> {
    const before = { summary: this.#summary, about: this.#about, rows: this.#rows };
    this.#summary = JSON.stringify(summary);
    this.#about = JSON.stringify(about);
    this.#rows = new Map(rows.map((row) => [row.key, JSON.stringify(row)]));
    const set = rows.filter(({ key }) => this.#rows.get(key) !== before.rows.get(key));
    const gone = [...before.rows.keys()].filter((key) => !this.#rows.has(key));
    return {
      ...(this.#summary !== before.summary && { summary }),
      ...(this.#about !== before.about && { about }),
      ...(set.length > 0 && { set }),
      ...(gone.length > 0 && { gone }),
    };
  }
}
