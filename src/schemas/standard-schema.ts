/**
 * The part of the Standard Schema interface, version 1, that this package uses. The schemas of zod, valibot
 * and arktype have it.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Output> {
  /** The one property that the interface defines. */
  readonly '~standard': {
    /** The version of the interface. */
    readonly version: 1;
    /** The name of the schema library. */
    readonly vendor: string;
    /** Validates a parsed JSON value. It can return a promise. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Exists only in the types. TypeScript infers `Output` from it. */
    readonly types?:
      | {
          /** The type that the schema accepts. */
          readonly input: unknown;
          /** The type that the schema returns. */
          readonly output: Output;
        }
      | undefined;
  };
}

/** The result of a validation: the value, or the issues. */
export type StandardResult<Output> =
  | {
      /** The validated value. The schema can have transformed it. */
      readonly value: Output;
      /** Always undefined for a valid value. */
      readonly issues?: undefined;
    }
  | {
      /** Why the value is not valid: at least one issue. */
      readonly issues: ReadonlyArray<StandardIssue>;
    };

/** One reason why a value is not valid. */
export interface StandardIssue {
  /** The reason, as the schema library words it. */
  readonly message: string;
  /** Where in the value: the keys from the root. Absent: the root. */
  readonly path?:
    | ReadonlyArray<
        | PropertyKey
        | {
            /** The key, from a library that wraps it. */
            readonly key: PropertyKey;
          }
      >
    | undefined;
}
