/** One section of the page while it is shown. */
export interface Section {
  /** What it asks the stream for, beside its name and the store; `clientId` replaces the store. */
  query?(): Readonly<Record<string, string>>;
  /** The hub has sent something. */
  update(): void;
  /** Some time has passed: four times a second. */
  tick?(): void;
  /** The rest of the address has changed, such as the number of a request. */
  open?(rest: readonly string[]): void;
}

/** What a section may ask of the page. */
export interface Page {
  /** The store that is selected; '' for all. */
  readonly clientId: () => string;
  /** Rows of more than one store may be shown, so each names its store. */
  readonly hasManyStores: () => boolean;
  /** Connects again, because the section asks for something else. */
  readonly reconnect: () => void;
}

export type OpenSection = (root: HTMLElement, page: Page) => Section;
