import type { Issue, IssueAgainst } from '../errors/index.js';

/**
 * The codes of issues; `MenuIssueCode` has those of `menu.issues`.
 *
 * - `missing`: the spec or the standard requires the field; it stays absent.
 * - `defaulted`: the field is absent or null; the standard's default is used.
 * - `null`: the value is null, which is treated as absent.
 * - `coerced`: the value has another type or spelling with the same meaning (`"15.90"` for 15.9, `kg` for `KG`) and was
 *   converted.
 * - `alias`: the field was found under another spelling of its key.
 * - `unknown_value`: the value is not one that the standard names; it is kept.
 * - `format`: the value does not have the format of the spec or the standard; it is kept.
 * - `invalid`: the value has a type that cannot be converted; it is removed.
 * - `left_out`: an entry or a value could not be used and was removed.
 * - `dangling`, `duplicate`: an entry of the menu names an id that does not exist, or has an id that is there twice.
 * - `duplicate_id`: two events have one id and different content; both are handled.
 * - `total`: the sums in `total` or `payments` of an order do not add up; they are kept.
 * - `other_version`: the order has the shape of version 2 of the standard.
 * - `schema`: the schema that was passed to `orders.get` has refused the order.
 */
export type IssueCode =
  | 'missing'
  | 'defaulted'
  | 'null'
  | 'coerced'
  | 'alias'
  | 'unknown_value'
  | 'format'
  | 'invalid'
  | 'left_out'
  | 'dangling'
  | 'duplicate'
  | 'duplicate_id'
  | 'total'
  | 'other_version'
  | 'schema';

/**
 * More issues than the largest real menu has. Without a limit, a document with
 * millions of unusable entries, which costs a hub nothing to send, would fill
 * the memory with issues.
 */
export const MAX_ISSUES = 100_000;

/** Added after the last issue if there were more than `MAX_ISSUES`. It is against what the gravest of the others is against. */
export const NOT_ALL: Readonly<Record<IssueAgainst, Issue>> = {
  spec: notAll('spec'),
  sense: notAll('sense'),
  standard: notAll('standard'),
};

function notAll(against: IssueAgainst): Issue {
  const message = `more than ${MAX_ISSUES} issues; only the first ${MAX_ISSUES} are listed`;
  return Object.freeze({ path: [], code: 'left_out', message, against });
}

/** The first `MAX_ISSUES`; if there are more, that is added. */
export function upToMaxIssues(issues: readonly Issue[]): readonly Issue[] {
  const { [MAX_ISSUES]: last } = issues;
  if (!last) return issues;
  return [...issues.slice(0, MAX_ISSUES), last.code === 'left_out' ? last : NOT_ALL.sense];
}

/** By the path of a list: the index that each of its elements had in the document as the hub sent it. */
export type SentIndices = ReadonlyMap<string, readonly number[]>;

/** The path of a value in the document as the hub sent it, instead of the one that was read. */
export function sentPath(path: Issue['path'], indices: SentIndices): Issue['path'] {
  const sent: (string | number)[] = [];
  for (const key of path) {
    const ofList = typeof key === 'number' ? indices.get(sent.join('.')) : undefined;
    sent.push(ofList?.[key as number] ?? key);
  }
  return sent;
}

/** From the least to the gravest. */
const GRAVITY: readonly IssueAgainst[] = ['spec', 'sense', 'standard'];

type Key = string | number;

/** Collects the issues of one reading. It knows the path of the value that is being read. */
export class IssueCollector {
  #issues: Issue[] = [];
  readonly #path: Key[] = [];
  #depth = 0;
  #indices = new Map<string, readonly number[]>();

  /** Returns what was collected, and resets the collector for the next reading. */
  take(): { issues: Issue[]; indices: SentIndices } {
    const taken = { issues: this.#issues, indices: this.#indices };
    this.#issues = [];
    this.#indices = new Map();
    this.#depth = 0;
    return taken;
  }

  /** The list that is being read keeps these elements only, by their indices as the hub sent them. */
  keep(indices: readonly number[]): void {
    // Each such list has an issue, so this limits the lists too.
    if (this.#issues.length < MAX_ISSUES)
      this.#indices.set(prefix(this.#path, this.#depth).join('.'), indices);
  }

  get count(): number {
    return this.#issues.length;
  }

  enter(key: Key): void {
    this.#path[this.#depth] = key;
    this.#depth += 1;
  }

  /** Goes from the present key to another one of the same value. */
  move(key: Key): void {
    this.#path[this.#depth - 1] = key;
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Reports an issue of the value that is being read. */
  report(code: IssueCode, message: string, against: IssueAgainst = 'standard'): void {
    if (this.#issues.length >= MAX_ISSUES) this.#leaveOut(against);
    else this.#issues.push({ path: prefix(this.#path, this.#depth), code, message, against });
  }

  add(issue: Issue): void {
    if (this.#issues.length >= MAX_ISSUES) this.#leaveOut(issue.against);
    else this.#issues.push(issue);
  }

  /** Reports an issue of the value under a key of the value that is being read. */
  reportAt(key: Key, code: IssueCode, message: string, against?: IssueAgainst): void {
    this.enter(key);
    this.report(code, message, against);
    this.leave();
  }

  /** Changes what the issues after the first `count` are against. */
  regard(count: number, against: IssueAgainst): void {
    for (let at = count; at < Math.min(this.#issues.length, MAX_ISSUES); at += 1) {
      const issue = this.#issues[at];
      if (issue) this.#issues[at] = { ...issue, against };
    }
  }

  #leaveOut(against: IssueAgainst): void {
    const gravest = this.#issues[MAX_ISSUES]?.against ?? against;
    this.#issues[MAX_ISSUES] =
      NOT_ALL[GRAVITY.indexOf(against) > GRAVITY.indexOf(gravest) ? against : gravest];
  }

  /** Removes all issues except the first `count`. */
  truncate(count: number): void {
    this.#issues.length = count;
  }
}

/**
 * Copies the first `count` keys. Depths 3 and 5 are by far the commonest, and a
 * literal is measurably faster than `slice` there.
 */
function prefix(keys: readonly Key[], count: number): Key[] {
  const at = keys as readonly [Key, Key, Key, Key, Key];
  if (count === 3) return [at[0], at[1], at[2]];
  if (count === 5) return [at[0], at[1], at[2], at[3], at[4]];
  return keys.slice(0, count);
}
