import { describeValue } from './describe.js';
import type { IssueCollector } from './issue-collector.js';
import { type Reader, UNUSABLE } from './reader.js';

/**
 * Reads the value of one field that is not simply valid. Returns what has to be
 * in its place: the value itself, its converted form, or undefined; `UNUSABLE`
 * makes the whole object unusable.
 */
export type FieldReader = (raw: unknown, key: string, reader: Reader, issues: IssueCollector) => unknown;

/** Without a usable value, the object is unusable. */
export const required: FieldReader = (raw, key, reader, issues) => {
  if (raw !== undefined && raw !== null) return readAt(raw, key, reader, issues, false);
  reportMissing(raw, key, reader, issues);
  return UNUSABLE;
};

/** Required on paper, but often absent. */
export const expected: FieldReader = (raw, key, reader, issues) => {
  if (raw !== undefined && raw !== null) return orNothing(readAt(raw, key, reader, issues, true));
  reportMissing(raw, key, reader, issues);
  return undefined;
};

/** As `expected`; but a number that cannot be an id makes the object unusable, because it could be another object's id. */
export const identifying: FieldReader = (raw, key, reader, issues) => {
  if (typeof raw === 'number') return readAt(raw, key, reader, issues, false);
  return expected(raw, key, reader, issues);
};

export const optional: FieldReader = (raw, key, reader, issues) => {
  if (raw === undefined) return undefined;
  if (raw !== null) return orNothing(readAt(raw, key, reader, issues, true));
  issues.reportAt(key, 'null', 'null; read as absent');
  return undefined;
};

/** What replaces an absent or unusable value. */
export interface Default {
  readonly ifAbsent: string;
  readonly ifNull: string;
  /** A default array or object is not shared between documents. */
  create(): unknown;
}

export function defaultOf(value: unknown): Default {
  const then = `read as ${JSON.stringify(value)}`;
  const create = typeof value === 'object' ? () => structuredClone(value) : () => value;
  return { ifAbsent: `absent; ${then}`, ifNull: `null; ${then}`, create };
}

export function defaulted(
  raw: unknown,
  key: string,
  reader: Reader,
  issues: IssueCollector,
  fallback: Default,
): unknown {
  if (raw === undefined || raw === null) {
    issues.reportAt(key, 'defaulted', raw === null ? fallback.ifNull : fallback.ifAbsent);
    return fallback.create();
  }
  const result = readAt(raw, key, reader, issues, true);
  return result === UNUSABLE ? fallback.create() : result;
}

/** Reads a field that is absent or null from another spelling of its key; otherwise as `readField` does. */
export function aliased(
  raw: unknown,
  key: string,
  reader: Reader,
  issues: IssueCollector,
  readField: FieldReader,
  object: Readonly<Record<string, unknown>>,
  aliases: readonly string[],
): unknown {
  if (raw === undefined || raw === null) {
    const found = readAlias(object, key, aliases, reader, issues);
    if (found !== UNUSABLE) return found;
  }
  return readField(raw, key, reader, issues);
}

function readAlias(
  object: Readonly<Record<string, unknown>>,
  key: string,
  aliases: readonly string[],
  reader: Reader,
  issues: IssueCollector,
): unknown {
  const before = issues.count;
  let unusable: string | undefined;
  for (const alias of aliases) {
    const value = Object.hasOwn(object, alias) ? object[alias] : undefined;
    if (value === undefined || value === null) continue;
    issues.enter(alias);
    const result = reader.read(value, issues);
    issues.leave();
    if (result !== UNUSABLE) {
      issues.reportAt(alias, 'alias', `read as '${key}'`);
      return result;
    }
    issues.truncate(before);
    unusable = alias;
  }
  if (unusable !== undefined) issues.reportAt(unusable, 'invalid', mismatch(reader, object[unusable]));
  return UNUSABLE;
}

const orNothing = (result: unknown) => (result === UNUSABLE ? undefined : result);

function reportMissing(
  raw: null | undefined,
  key: string,
  { expects }: Reader,
  issues: IssueCollector,
): void {
  if (raw === null) issues.reportAt(key, 'null', expects.ifNull);
  else issues.reportAt(key, 'missing', expects.ifAbsent);
}

/** Reads a value. An unusable one has at least one issue afterwards. */
export function readValue(raw: unknown, reader: Reader, issues: IssueCollector): unknown {
  const before = issues.count;
  const result = raw === null || raw === undefined ? UNUSABLE : reader.read(raw, issues);
  if (result === UNUSABLE && issues.count === before) issues.report('invalid', mismatch(reader, raw));
  return result;
}

/** As `readValue`, for the value of a key; also reports that an unusable value is left out, if it has another issue. */
function readAt(
  raw: unknown,
  key: string,
  reader: Reader,
  issues: IssueCollector,
  leavesOut: boolean,
): unknown {
  const before = issues.count;
  issues.enter(key);
  const result = reader.read(raw, issues);
  if (result === UNUSABLE) {
    if (issues.count === before) issues.report('invalid', mismatch(reader, raw));
    else if (leavesOut) issues.report('left_out', reader.expects.ifLeftOut);
  }
  issues.leave();
  return result;
}

/** The message for a value of the wrong type. */
export function mismatch({ expects }: Pick<Reader, 'expects'>, value: unknown): string {
  return `expected ${expects.type}, got ${describeValue(value)}`;
}
