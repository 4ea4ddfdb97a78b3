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

/** Every day of the calendar: February has 29 in a year that is divisible by 4 and, if it ends in 00, by 400. */
const DAY = [
  String.raw`\d{4}-(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])`,
  String.raw`\d{4}-(?:0[469]|11)-(?:0[1-9]|[12]\d|30)`,
  String.raw`\d{4}-02-(?:0[1-9]|1\d|2[0-8])`,
  String.raw`(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29`,
].join('|');
const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})`;

/** A wrong format is an issue, never a failure: some real ids are not UUIDs, and real times end in `.SSSZ`. */
export const FORMATS: Readonly<Record<FormatName, Format>> = {
  uuid: { pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i },
  datetime: { pattern: new RegExp(`^(?:${DAY})T${TIME}$`, 'i') },
  date: { pattern: new RegExp(`^(?:${DAY})$`) },
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
