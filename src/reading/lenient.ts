import type { Issue } from '../errors.js';
import { readValue } from './fields.js';
import { IssueCollector } from './issue-collector.js';
import { type Reader, UNUSABLE } from './reader.js';
import { isObject } from './value-readers.js';

export type Reading<T> =
  | { readonly usable: true; readonly value: T; readonly issues: Issue[] }
  | { readonly usable: false; readonly issues: Issue[] };

/**
 * Reads documents leniently: an unusable entry never affects other entries, and
 * every deviation is reported as an issue.
 *
 * A document is changed in place, because copying costs more than all checks
 * together: pass a document that no other code holds.
 *
 * @typeParam T - what the reader returns.
 * @param reader - generated from a schema.
 * @param identifyingKeys - the object must have at least one of these; otherwise it is something else (an
 * error page in JSON), not an empty document.
 */
export function lenientReader<T>(
  reader: Reader,
  identifyingKeys: readonly string[] = [],
): (value: unknown) => Reading<T> {
  // One collector for all readings: with one per reading, V8 drops the optimized code at every garbage collection.
  const collector = new IssueCollector();
  return (value) => {
    collector.take();
    const result = isIdentified(value, identifyingKeys, collector)
      ? readValue(value, reader, collector)
      : UNUSABLE;
    const issues = collector.take();
    return result === UNUSABLE ? { usable: false, issues } : { usable: true, value: result as T, issues };
  };
}

/** False, with an issue, for an object without any of the identifying keys. */
function isIdentified(value: unknown, keys: readonly string[], collector: IssueCollector): boolean {
  // An array with one element is read as that element.
  const object: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (keys.length === 0 || !isObject(object)) return true;
  if (keys.some((key) => Object.hasOwn(object, key))) return true;
  collector.report('invalid', `an object with none of the keys ${keys.join(', ')}`);
  return false;
}
