import type { Account } from '../auth/account.js';
import type { Quote } from '../observe/redactor.js';
import type { ListenerError } from './reports.js';

/** The message of a thrown value, which can be anything, even a value that has no string form. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message || thrown.name : thrown);
  } catch {
    return 'a listener threw a value that cannot be converted to a string';
  }
}

/** The thrown value; or an error, if not even `instanceof` can look at it, as at a revoked proxy. */
export function readable(thrown: unknown): unknown {
  try {
    Object.getPrototypeOf(Object(thrown));
    return thrown;
  } catch {
    return new Error('a listener threw a value that cannot be read');
  }
}

/** Its name and its message are all that is shown of a thrown value. */
export function listenerErrorOf(thrown: unknown, quote: Quote): ListenerError {
  return { name: quote(nameOf(thrown)), message: quote(messageOf(thrown)) };
}

/** @param otherwise - for a value that is no error. */
export function nameOf(thrown: unknown, otherwise = 'Error'): string {
  try {
    if (!(thrown instanceof Error)) return otherwise;
    // A field that the class declares and nobody has set hides the name.
    const name: unknown = thrown.name;
    return typeof name === 'string' ? name : 'Error';
  } catch {
    return 'Error';
  }
}

/** One failure stays as it is; several become an AggregateError. */
export function oneError(errors: readonly unknown[]): unknown {
  if (errors.length === 1) return errors[0];
  return new AggregateError(errors, `${errors.length} listeners failed: ${errors.map(messageOf).join('; ')}`);
}

/** The error of a listener may be another library's, with a request behind it and a secret in it. */
export function shownThrown(account: Account, error: unknown): unknown {
  const copy = account.maskError(error);
  return copy instanceof Error ? copy : new Error(account.quote(messageOf(error), Number.POSITIVE_INFINITY));
}
