export type FormatName =
  | 'uuid'
  | 'datetime'
  | 'date'
  | 'time'
  | 'currency'
  | 'window'
  | 'cnpj'
  | 'merchantId';

/** A wrong format is an issue, never a failure: some real ids are not UUIDs, and real times end in `.SSSZ`. */
export const FORMATS: Readonly<Record<FormatName, RegExp>> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  datetime: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  time: /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/,
  currency: /^[A-Z]{3}$/,
  window: /^\d+_MINUTES$/,
  cnpj: /^\d{14}$/,
  merchantId: /^\d{14}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
};
