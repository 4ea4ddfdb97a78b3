/** One deviation of a document from its schema. */
export interface Issue {
  /** Where the deviation is: keys and indices from the document's root, as the hub sent them. */
  readonly path: ReadonlyArray<string | number>;
  /** The kind of deviation, for your `switch`; `IssueCode` lists the codes of this package. */
  readonly code: string;
  /** The deviation in words. */
  readonly message: string;
}
