import type * as z from 'zod';
import { hintsOf } from '../schemas/wire.js';
import { describeValue } from './describe.js';
import { describeType } from './fields.js';
import type { IssueCollector } from './issue-collector.js';
import { isObject, type Reader, UNUSABLE } from './value-readers.js';

/** Reads an array in place, element by element. Unusable elements are removed. */
export function listReader(schema: z.ZodArray, readerOf: (schema: z.ZodType) => Reader): Reader {
  const { spreadKey } = hintsOf(schema);
  const element = schema.element as z.ZodType;
  const read = readerOf(element);
  const type = describeType(element);

  return (value, issues) => {
    let list: unknown[];
    if (Array.isArray(value)) list = value;
    else {
      list = [value];
      issues.report('coerced', `expected an array, got ${describeValue(value)}`);
    }
    const parts = spreadKey === undefined ? undefined : spread(list, spreadKey, issues);
    if (parts) list = parts.map(({ part }) => part);
    let kept = 0;
    for (let position = 0; position < list.length; position += 1) {
      // The element's index in the document as the hub sent it.
      const index = parts?.[position]?.index ?? position;
      const raw = list[position];
      const before = issues.count;
      issues.enter(index);
      const result = raw === null || raw === undefined ? UNUSABLE : read(raw, issues);
      if (result === UNUSABLE) {
        if (issues.count === before) issues.report('invalid', `expected ${type}, got ${describeValue(raw)}`);
        issues.report('left_out', `not usable as ${type}; left out`);
      } else {
        if (kept !== position || result !== raw) list[kept] = result;
        kept += 1;
      }
      issues.leave();
    }
    if (kept !== list.length) list.length = kept;
    return list;
  };
}

/**
 * Splits elements whose value under `key` is an array: `[{timePeriods: [a, b], …}]`
 * becomes `[{timePeriods: a, …}, {timePeriods: b, …}]`. Undefined if there are none.
 */
function spread(
  list: readonly unknown[],
  key: string,
  issues: IssueCollector,
): { part: unknown; index: number }[] | undefined {
  if (!list.some((element) => isObject(element) && Array.isArray(element[key]))) return undefined;
  return list.flatMap((element, index) => {
    const parts = isObject(element) ? element[key] : undefined;
    if (!isObject(element) || !Array.isArray(parts)) return [{ part: element, index }];
    issues.enter(index);
    issues.reportAt(key, 'coerced', 'expected one value, got an array; read as one entry per value');
    issues.leave();
    return parts.map((part) => ({ part: { ...element, [key]: part }, index }));
  });
}
