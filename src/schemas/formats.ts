export type FormatName =
  | 'uuid'
  | 'datetime'
  | 'date'
  | 'time'
  | 'currency'
  | 'window'
  | 'cnpj'
  | 'merchantId';

export interface Format {
  /** Strings without an issue. */
  readonly pattern: RegExp;
  /** Strings that only the spec forbids. */
  readonly standard?: RegExp;
}

/** A wrong format is an issue, never a failure: some real ids are not UUIDs, and real times end in `.SSSZ`. */
export const FORMATS: Readonly<Record<FormatName, Format>> = {
  uuid: { pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i },
  datetime: { pattern: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i },
  date: { pattern: /^\d{4}-\d{2}-\d{2}$/ },
  time: {
    pattern: /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/,
    // The full-time of RFC 3339.
    standard: /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i,
  },
  currency: { pattern: /^[A-Z]{3}$/ },
  window: { pattern: /^\d+_MINUTES$/ },
  cnpj: { pattern: /^\d{14}$/ },
  merchantId: { pattern: /^\d{14}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, standard: /^.{36,100}$/su },
};
