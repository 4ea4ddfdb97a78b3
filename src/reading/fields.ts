import type { Issue, IssueAgainst } from '../errors/index.js';
import { IssueCollector, type SentIndices } from './issue-collector.js';
import { isObject } from './json.js';
import { describeType, type Reader, UNUSABLE } from './reader.js';
import { id, string } from './value-readers.js';

type Json = Record<string, unknown>;

/** Reads one field; changes the object if another value has to be there. @returns whether the object can be used. */
export type FieldReader = (
  object: Json,
  raw: unknown,
  key: string,
  reader: Reader,
  issues: IssueCollector,
) => boolean;

/** Without a usable value, the object cannot be used. */
export const required: FieldReader = (object, raw, key, reader, issues) => {
  if (raw === undefined || raw === null) {
    reportMissing(raw, key, reader, issues);
    return false;
  }
  const value = readAt(raw, key, reader, issues, false);
  if (value === UNUSABLE) return false;
  if (value !== raw) object[key] = value;
  return true;
};

const expectedBy =
  (against: IssueAgainst): FieldReader =>
  (object, raw, key, reader, issues) => {
    if (raw !== undefined && raw !== null) return readIn(object, raw, key, reader, issues);
    reportMissing(raw, key, reader, issues, against);
    if (raw === null) object[key] = undefined;
    return true;
  };

/** Required on paper, but often absent. */
export const expected = /* @__PURE__ */ expectedBy('standard');

/** As `expected`, of a field that the standard does not require. */
export const expectedBySpec = /* @__PURE__ */ expectedBy('spec');

/** As `expected`; but a number that cannot be an id makes the object unusable, because it could be another object's id. */
export const identifying: FieldReader = (object, raw, key, reader, issues) =>
  (typeof raw === 'number' ? required : expected)(object, raw, key, reader, issues);

export const optional: FieldReader = (object, raw, key, reader, issues) => {
  if (raw === undefined) return true;
  if (raw !== null) return readIn(object, raw, key, reader, issues);
  issues.reportAt(key, 'null', 'null; read as absent');
  object[key] = undefined;
  return true;
};

/** A value that cannot be read makes the object unusable: without the value, it means something else. */
const decisiveOr =
  (ifAbsent: FieldReader): FieldReader =>
  (object, raw, key, reader, issues) =>
    (raw === undefined || raw === null ? ifAbsent : required)(object, raw, key, reader, issues);

export const decisive = /* @__PURE__ */ decisiveOr(optional);
export const decisiveBySpec = /* @__PURE__ */ decisiveOr(expectedBySpec);

/** What replaces an absent or unusable value. */
export interface Default {
  readonly ifAbsent: string;
  readonly ifNull: string;
  /** What an absent value is against. */
  readonly against: IssueAgainst;
  /** A default array or object is not shared between documents. */
  create(): unknown;
}

/** @param against - what an absent value is against: `spec` if the standard does not require it. */
export function defaultOf(value: unknown, against: IssueAgainst = 'standard'): Default {
  const then = `read as ${JSON.stringify(value)}`;
  const create = typeof value === 'object' ? () => structuredClone(value) : () => value;
  return { ifAbsent: `absent; ${then}`, ifNull: `null; ${then}`, against, create };
}

export function defaulted(
  object: Json,
  raw: unknown,
  key: string,
  reader: Reader,
  issues: IssueCollector,
  fallback: Default,
): boolean {
  if (raw !== undefined && raw !== null) return readIn(object, raw, key, reader, issues, fallback);
  // The standard forbids null everywhere.
  if (raw === null) issues.reportAt(key, 'defaulted', fallback.ifNull);
  else issues.reportAt(key, 'defaulted', fallback.ifAbsent, fallback.against);
  object[key] = fallback.create();
  return true;
}

/** Reads a field that is absent or null from another spelling of its key; otherwise as `readField` does. */
export function aliased(
  object: Json,
  raw: unknown,
  key: string,
  reader: Reader,
  issues: IssueCollector,
  readField: FieldReader,
  aliases: readonly string[],
): boolean {
  if (raw === undefined || raw === null) {
    const before = issues.count;
    const found = readAlias(object, key, aliases, reader, issues);
    // Where the standard requires nothing, the other spelling is to it a key that it does not know.
    if (readField === optional) issues.regard(before, 'sense');
    if (found !== UNUSABLE) {
      object[key] = found;
      return true;
    }
  }
  return readField(object, raw, key, reader, issues);
}

/** Reads a value that is present. An unusable one is replaced by the default, or by undefined. */
function readIn(
  object: Json,
  raw: unknown,
  key: string,
  reader: Reader,
  issues: IssueCollector,
  fallback?: Default,
): boolean {
  // Most values are strings, and of most strings nothing more is expected.
  if (typeof raw === 'string' && (reader === string || reader === id)) return true;
  const value = readAt(raw, key, reader, issues, true);
  if (value === UNUSABLE) object[key] = fallback?.create();
  else if (value !== raw) object[key] = value;
  return true;
}

function readAlias(
  object: Readonly<Json>,
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

function reportMissing(
  raw: null | undefined,
  key: string,
  { expects }: Reader,
  issues: IssueCollector,
  against?: IssueAgainst,
): void {
  if (raw === null) issues.reportAt(key, 'null', expects.ifNull);
  else issues.reportAt(key, 'missing', expects.ifAbsent, against);
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
    else if (leavesOut) issues.report('left_out', reader.expects.ifLeftOut, 'sense');
  }
  issues.leave();
  return result;
}

/** The message for a value of the wrong type. */
export function mismatch({ expects }: Pick<Reader, 'expects'>, value: unknown): string {
  return `expected ${expects.type}, got ${describeType(value)}`;
}

export type Reading<T> =
  | { readonly usable: true; readonly value: T; readonly issues: Issue[]; readonly indices: SentIndices }
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
  // One for all readings: `take` empties it.
  const collector = new IssueCollector();
  return (value) => {
    collector.take();
    const isUsable = identifyingKeys.length === 0 || isIdentified(value, identifyingKeys, collector);
    const result = isUsable ? readValue(value, reader, collector) : UNUSABLE;
    const { issues, indices } = collector.take();
    return result === UNUSABLE
      ? { usable: false, issues }
      : { usable: true, value: result as T, issues, indices };
  };
}

/** False, with an issue, for an object without any of the identifying keys. */
function isIdentified(value: unknown, keys: readonly string[], collector: IssueCollector): boolean {
  // An array with one element is read as that element.
  const object: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (!isObject(object)) return true;
  if (keys.some((key) => Object.hasOwn(object, key))) return true;
  collector.report('invalid', `an object with none of the keys ${keys.join(', ')}`);
  return false;
}
