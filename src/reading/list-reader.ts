import type { WireHints } from '../schemas/wire.js';
import { mismatch } from './fields.js';
import type { IssueCollector } from './issue-collector.js';
import { isObject } from './json.js';
import { AN_ARRAY, type Reader, UNUSABLE } from './reader.js';
import type { StringReader } from './value-readers.js';

type ListOptions = Pick<WireHints, 'spreadKey' | 'keepsEmpty' | 'isWhole'>;

export function areStrings(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (let index = 0; index < value.length; index += 1) if (typeof value[index] !== 'string') return false;
  return true;
}

/** Whether the value is an array of strings without an issue. */
export function areAll(value: unknown, reader: StringReader): boolean {
  if (!Array.isArray(value)) return false;
  for (let index = 0; index < value.length; index += 1) if (!reader.accepts(value[index])) return false;
  return true;
}

/**
 * Reads an array in place, element by element. Unusable elements are removed.
 *
 * @param options - see `WireHints`.
 */
export function listOf(element: Reader, { spreadKey, keepsEmpty, isWhole }: ListOptions = {}): Reader {
  return {
    expects: AN_ARRAY,
    read(value, issues) {
      let list: unknown[];
      if (Array.isArray(value)) list = value;
      else {
        list = [value];
        issues.report('coerced', mismatch({ expects: AN_ARRAY }, value));
      }
      const parts = spreadKey === undefined ? undefined : spread(list, spreadKey, keepsEmpty, issues);
      if (parts) list = parts.map(({ part }) => part);
      let kept = 0;
      let indices: number[] | undefined = parts && [];
      issues.enter(0);
      for (let position = 0; position < list.length; position += 1) {
        const raw = list[position];
        const index = parts?.[position]?.index ?? position;
        issues.move(index);
        const before = issues.count;
        const result = raw === null || raw === undefined ? UNUSABLE : element.read(raw, issues);
        if (result === UNUSABLE) {
          if (issues.count === before) issues.report('invalid', mismatch(element, raw));
          issues.report('left_out', element.expects.ifLeftOut, 'sense');
          indices ??= Array.from(list.slice(0, kept).keys());
          continue;
        }
        indices?.push(index);
        if (kept !== position || result !== raw) list[kept] = result;
        kept += 1;
      }
      issues.leave();
      if (isWhole && kept !== list.length) return UNUSABLE;
      if (indices) issues.keep(indices);
      if (kept !== list.length) list.length = kept;
      return list;
    },
  };
}

/**
 * Splits elements whose value under `key` is an array: `[{timePeriods: [a, b], …}]`
 * becomes `[{timePeriods: a, …}, {timePeriods: b, …}]`. Undefined if there are none.
 */
function spread(
  list: readonly unknown[],
  key: string,
  keepsEmpty: true | undefined,
  issues: IssueCollector,
): { part: unknown; index: number }[] | undefined {
  if (!list.some((element) => isObject(element) && Array.isArray(element[key]))) return undefined;
  return list.flatMap((element, index) => {
    const parts = isObject(element) ? element[key] : undefined;
    if (!isObject(element) || !Array.isArray(parts)) return [{ part: element, index }];
    issues.enter(index);
    issues.reportAt(key, 'coerced', 'expected one value, got an array; read as one entry per value');
    issues.leave();
    const values = parts.length === 0 && keepsEmpty ? [undefined] : parts;
    return values.map((part) => ({ part: { ...element, [key]: part }, index }));
  });
}
