import type { WireAbout, WireRow, WireSummary } from './wire.js';

/** What a section shows now. */
export interface View {
  readonly rows: readonly WireRow[];
  readonly about: WireAbout;
}

/** What changed between two moments. */
export interface Changes {
  summary?: WireSummary;
  about?: WireAbout;
  set?: readonly WireRow[];
  gone?: readonly string[];
}

/** Remembers what one page has been sent, and finds what it has not. */
export class ChangesForPage {
  #summary = '';
  #about = '';
  #rows = new Map<string, string>();

  /** Undefined: nothing has changed. */
  since(summary: WireSummary, { rows, about }: View): Changes | undefined {
    const found: Changes = {};
    const summaryText = JSON.stringify(summary);
    if (summaryText !== this.#summary) found.summary = summary;
    this.#summary = summaryText;
    const aboutText = JSON.stringify(about);
    if (aboutText !== this.#about) found.about = about;
    this.#about = aboutText;
    const texts = new Map(rows.map((row) => [row.key, JSON.stringify(row)]));
    const set = rows.filter(({ key }) => texts.get(key) !== this.#rows.get(key));
    const gone = [...this.#rows.keys()].filter((key) => !texts.has(key));
    if (set.length > 0) found.set = set;
    if (gone.length > 0) found.gone = gone;
    this.#rows = texts;
    return Object.keys(found).length > 0 ? found : undefined;
  }
}
