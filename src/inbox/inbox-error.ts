import { StateError } from '../errors/index.js';

/** A table or a column, as SQLite and Postgres say it. A database that does not exist needs something else. */
const MISSING = /no such (?:table|column)|42P01|42703/i;

/**
 * Only name, message and code of what the database throws are kept: other fields of a driver's error can contain an order.
 *
 * @param remedy - what follows if the tables are there.
 * @param quote - masks secrets.
 */
export function inboxError(cause: unknown, remedy: string, quote = (text: string) => text): StateError {
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  const code = String(cause instanceof Error ? (Reflect.get(cause, 'code') ?? '') : '');
  const shown = Object.assign(new Error(quote(message || code || name)), { name });
  const isMissing = MISSING.test(`${code} ${message}`);
  const then = isMissing ? 'call `await inbox.migrate()` once, before the first use' : remedy;
  return new StateError(`the inbox cannot be reached (${shown.name}: ${shown.message}); ${then}`, {
    cause: shown,
  });
}
