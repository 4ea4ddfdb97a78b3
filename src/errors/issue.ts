/** One deviation of a document from its schema. */
export interface Issue {
  /** Where: keys and indices from the document's root, as the hub sent them. */
  readonly path: ReadonlyArray<string | number>;
  /** Which kind of deviation, to switch on; `IssueCode` lists those of our own readers. */
  readonly code: string;
  /** The deviation in words. */
  readonly message: string;
}
