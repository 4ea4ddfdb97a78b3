import type * as z from 'zod';
import { hintsOf } from '../schemas/wire.js';
import { nameOf } from './fields.js';
import { type IssueCollector, isObject, kindOf } from './issue-collector.js';
import { type Reader, UNUSABLE } from './value-readers.js';

/** Reads a list element by element, in place; what cannot be used is left out of it. */
export function listReader(schema: z.ZodArray, readerOf: (schema: z.ZodType) => Reader): Reader {
  const { spreadKey } = hintsOf(schema);
  const element = schema.element as z.ZodType;
  const read = readerOf(element);
  const name = nameOf(element);

  return (value, notes) => {
    let list: unknown[];
    if (Array.isArray(value)) list = value;
    else {
      list = [value];
      notes.add('coerced', `expected a list, got ${kindOf(value)}`);
    }
    const parts = spreadKey === undefined ? undefined : spread(list, spreadKey, notes);
    if (parts) list = parts.map(({ part }) => part);
    let kept = 0;
    for (let position = 0; position < list.length; position += 1) {
      // Where it stands in the document as it was sent.
      const index = parts?.[position]?.index ?? position;
      const raw = list[position];
      const before = notes.count;
      notes.enter(index);
      const result = raw === null || raw === undefined ? UNUSABLE : read(raw, notes);
      if (result === UNUSABLE) {
        if (notes.count === before) notes.add('invalid', `expected ${name}, got ${kindOf(raw)}`);
        notes.add('left_out', `${name} cannot be used`);
      } else {
        if (kept !== position || result !== raw) list[kept] = result;
        kept += 1;
      }
      notes.leave();
    }
    if (kept !== list.length) list.length = kept;
    return list;
  };
}

/** `[{timePeriods: [a, b], …}]` as `[{timePeriods: a, …}, {timePeriods: b, …}]`. */
function spread(
  list: readonly unknown[],
  key: string,
  notes: IssueCollector,
): { part: unknown; index: number }[] | undefined {
  if (!list.some((each) => isObject(each) && Array.isArray(each[key]))) return undefined;
  return list.flatMap((each, index) => {
    const parts = isObject(each) ? each[key] : undefined;
    if (!isObject(each) || !Array.isArray(parts)) return [{ part: each, index }];
    notes.enter(index);
    notes.addAt(key, 'coerced', 'a list, read as one entry for each');
    notes.leave();
    return parts.map((part) => ({ part: { ...each, [key]: part }, index }));
  });
}
