/**
 * What a deviation is against.
 *
 * - `standard`: the OpenDelivery standard v1.7.1 forbids it.
 * - `spec`: the standard allows it; the spec of this hub is narrower.
 * - `sense`: it cannot be used as it is: an id that does not exist or is there twice, a total that does not add up, a
 *   value that was removed because of another issue, an order that your own schema refused.
 */
export type IssueAgainst = 'standard' | 'spec' | 'sense';

/** One deviation of a document from the standard, from the spec or from what makes sense. */
export interface Issue {
  /** Where the deviation is: keys and indices from the document's root, as the hub sent them. */
  readonly path: ReadonlyArray<string | number>;
  /** The kind of deviation, for your `switch`; `IssueCode` lists the codes of this package. */
  readonly code: string;
  /** The deviation in words. */
  readonly message: string;
  /** What the deviation is against. A document that is valid by the standard has no issue against `standard`. */
  readonly against: IssueAgainst;
}
