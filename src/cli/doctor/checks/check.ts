import type { Issue } from '../../../errors/index.js';
import type { EndpointName } from '../../../hub/endpoints.js';
import { describeType } from '../../../reading/reader.js';
import { formatAgainst, formatCount, formatTimes, shortened, tally } from '../../format.js';
import type { Observed } from './observed.js';

export interface Verdict {
  /** `not_seen`: the examination had no response that could show it. */
  readonly result: 'as_described' | 'differs' | 'not_seen';
  /**
   * What this hub did, one sentence per line. It contains no text of the hub, only numbers, names of
   * the standard, and sentences of this program: a report is sent to others.
   */
  readonly did: readonly string[];
}

/**
 * How the sentences of a check vary although the hub has not changed: `always`, with time and load; `with_the_queue`,
 * if events are pending in one examination only; `with_the_order`, which is another one each time.
 */
export type Variation = 'always' | 'with_the_queue' | 'with_the_order';

export interface Check {
  /** Such as `token.lifetime`; it never changes, so that reports can be compared. */
  readonly id: string;
  readonly endpoint: EndpointName;
  /** Section of the spec, such as `§4.3`. */
  readonly section: string;
  readonly title: string;
  readonly standard: string;
  readonly spec: string;
  /** What the client makes of a hub that differs. */
  readonly client: string;
  /** Absent: the sentences vary only if the hub changes. */
  readonly varies?: Variation;
  examine(observed: Observed): Verdict;
}

type Described = Pick<Check, 'standard' | 'spec' | 'client' | 'varies'>;

/** @param id - the endpoint, a dot and a name. */
export function check(
  id: string,
  section: string,
  title: string,
  { examine, ...described }: Described & { examine: (observed: Observed, endpoint: EndpointName) => Verdict },
): Check {
  const endpoint = id.split('.', 1)[0] as EndpointName;
  return { id, endpoint, section, title, ...described, examine: (observed) => examine(observed, endpoint) };
}

export const asDescribed = (...did: readonly string[]): Verdict => ({ result: 'as_described', did });
export const differs = (...did: readonly string[]): Verdict => ({ result: 'differs', did });
export const notSeen = (why: string): Verdict => ({ result: 'not_seen', did: [why] });

export const NOTHING = 'says nothing';

/** What may be shown of values that a hub sent. Anything that is not on a list here is described, never quoted. */

const MEDIA_TYPES = ['application/json', 'application/problem+json', 'text/html', 'text/plain'];

export function mediaTypeOf(header: string | undefined): string {
  return header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function shownMediaType(header: string | undefined): string {
  if (header === undefined) return 'no content type';
  const type = mediaTypeOf(header);
  return MEDIA_TYPES.includes(type) ? type : 'another content type';
}

/** A number of at most seven digits: enough for any limit and lifetime. A longer one may be a phone number, a postal code or a key. */
export function shownNumber(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return kindOf(text);
  if (/^-?\d{1,7}$/.test(text)) return typeof value === 'number' ? text : `"${text}"`;
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return `a number of ${text.length} characters`;
  return Number.isNaN(Date.parse(text)) ? 'a string that is not a number' : 'a date';
}

/** The kind of a JSON value, with its article. */
export function kindOf(value: unknown): string {
  return value === undefined ? 'nothing' : describeType(value);
}

const MAX_KINDS = 12;

const ISSUE_CODES: Readonly<Record<string, string>> = {
  missing: 'is missing',
  defaulted: 'is missing; the default of the standard is used',
  null: 'is null, which counts as missing',
  coerced: 'has another type with the same meaning',
  alias: 'has another spelling',
  unknown_value: 'has a value that the standard does not name',
  format: 'has another format',
  invalid: 'has a type that cannot be read',
  left_out: 'cannot be used and is left out',
  duplicate_id: 'has an id that is there twice, with different content',
  total: 'does not add up',
};

/** The deviations of a document, without its values: the same code at the same place is one line. */
export function issuesVerdict(issues: readonly Issue[], what: string): Verdict {
  if (issues.length === 0) return asDescribed(`${what} has every required field, in its type and format`);
  const kinds = tally(
    issues.map(
      ({ path, code, against }) =>
        `${shownPath(path)} ${ISSUE_CODES[code] ?? 'deviates'} (${formatAgainst(against)})`,
    ),
  ).sort(([, one], [, other]) => other - one);
  return differs(
    ...shortened(kinds.map(formatTimes), MAX_KINDS, (left) => `and ${formatCount(left, 'more kind')}`),
  );
}

/** A key that is not a plain word may be a value, such as the name of a customer. */
function shownPath(path: Issue['path']): string {
  const keys = path.map((key) => (typeof key === 'string' && /^[A-Za-z_]{1,40}$/.test(key) ? key : '*'));
  return keys.join('.') || 'the document';
}
