import { StateError } from '../errors/index.js';

/** A table or a column, as SQLite and Postgres say it. A database that does not exist needs something else. */
const MISSING = /no such (?:table|column)|42P01|42703/i;

/** The first match counts. */
const REMEDIES: ReadonlyArray<readonly [pattern: RegExp, remedy: string]> = [
  [/25006|read-?only/i, 'it accepts no writes: connect to the primary, or make the file writable'],
  [
    /(?:inside|within) a transaction/,
    'a transaction of yours is open on this connection: end it before you await, or give the inbox its own connection',
  ],
  [/42501/, 'the user of the pool lacks a permission; docs/inbox.md lists the ones that it needs'],
  [
    /40001/,
    'set default_transaction_isolation to read committed for the user of the pool, with `alter role … set`',
  ],
];

export const FOREIGN_TABLE =
  'a table of that name is there that is not of this inbox: give the inbox another schema, or rename the table';

const MIGRATE = 'call `await inbox.migrate()` once, before the first use';

/** Whether the tables of the inbox were not there. */
export const isInboxMissing = ({ message }: StateError): boolean => message.endsWith(MIGRATE);

/**
 * Only name, message and code of what the database throws are kept: other fields of a driver's error can contain an order.
 *
 * @param remedy - what follows if the tables are there.
 * @param quote - masks secrets.
 * @param ifMissing - what follows if they are not, or are others.
 */
export function inboxError(
  cause: unknown,
  remedy: string,
  quote = (text: string) => text,
  ifMissing = MIGRATE,
): StateError {
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  const code = String(cause instanceof Error ? (Reflect.get(cause, 'code') ?? '') : '');
  const shown = Object.assign(new Error(quote(message || code || name)), code ? { name, code } : { name });
  const said = `${code} ${message}`;
  const [, then = remedy] = MISSING.test(said)
    ? [MISSING, ifMissing]
    : (REMEDIES.find(([pattern]) => pattern.test(said)) ?? []);
  return new StateError(`the inbox cannot be reached (${shown.name}: ${shown.message}); ${then}`, {
    cause: shown,
  });
}
