import type { Issue } from '../errors/index.js';
import { COLLECTIONS, type CollectionName, isEntry } from '../schemas/collections.js';
import type { Service } from '../schemas/merchant/service.js';
import type { Merchant } from '../schemas/merchant.js';
import { areaIssues } from './delivery.js';
import { MenuIndex } from './menu-index.js';

type Path = readonly (string | number)[];
type Report = (code: MenuIssueCode, path: Path, message: string) => void;

/**
 * The codes of `menu.issues`.
 *
 * - `dangling`: the entry refers to an id that does not exist.
 * - `duplicate`: an earlier entry has the same id; the earlier one is used.
 * - `orphan`: no entry refers to this one, so a customer cannot reach it.
 * - `unsatisfiable`: a group requires more options than are available.
 * - `unreadable`: the value is not an entry; or hours, dates or an area cannot be read.
 */
export type MenuIssueCode = 'dangling' | 'duplicate' | 'orphan' | 'unsatisfiable' | 'unreadable';

interface Reference {
  readonly key: string;
  readonly to: CollectionName;
  /** Whether the entry refers to all entries of `to` if the key is absent (the standard). */
  readonly allIfAbsent?: true;
  /** Whether an absent key is an issue. */
  readonly isRequired?: true;
}

/** The keys with ids of other entries. Options, which are nested in groups, are checked apart. */
const REFERENCES: Readonly<Partial<Record<CollectionName, readonly Reference[]>>> = {
  services: [{ key: 'menuId', to: 'menus' }],
  menus: [{ key: 'categoryId', to: 'categories', allIfAbsent: true }],
  categories: [
    { key: 'itemOfferId', to: 'itemOffers', allIfAbsent: true },
    { key: 'availabilityId', to: 'availabilities' },
  ],
  itemOffers: [
    { key: 'itemId', to: 'items', isRequired: true },
    { key: 'optionGroupsId', to: 'optionGroups' },
    { key: 'availabilityId', to: 'availabilities' },
  ],
};

const OPTION_REFERENCE: Reference = { key: 'itemId', to: 'items' };

/** Which entries refer to those of a collection. Services are reached without a reference. */
const REFERRERS = {
  menus: 'service',
  categories: 'menu',
  itemOffers: 'category',
  items: 'offer or option',
  optionGroups: 'offer',
  availabilities: 'category or offer',
} as const satisfies Partial<Record<CollectionName, string>>;

/** What lenient reading, which sees one entry after the other, cannot find: ids that do not exist or are there twice. */
export function linkIssues(merchant: Merchant): Issue[] {
  return lint(new MenuIndex(merchant)).filter(({ code }) => code === 'dangling' || code === 'duplicate');
}

/** More than `MAX_ISSUES` of the reader, which says that there are more. */
const MAX_LISTED = 200_000;

/** Checks all references of a document. A wrong entry does not affect the issues of others. */
export function lint(index: MenuIndex): Issue[] {
  const issues: Issue[] = [];
  const report: Report = (code, path, message) =>
    issues.length < MAX_LISTED && issues.push({ path, code, message, against: 'sense' });
  const collections = new Map(
    COLLECTIONS.map((name) => [name, uniqueEntries(index.merchant[name], [name], report)]),
  );
  const entriesOf = (name: CollectionName) => collections.get(name) as ReadonlyMap<string, PlacedEntry>;
  const referenced = new Map(COLLECTIONS.map((name) => [name, new Set<unknown>()]));
  const fullyReferenced = new Set<CollectionName>();

  const checkId = (to: CollectionName, id: unknown, path: Path) => {
    referenced.get(to)?.add(id);
    if (!entriesOf(to).has(id as string)) report('dangling', path, `${to} has no entry with this id`);
  };
  const checkReference = ({ entry, path }: PlacedEntry, { key, to, allIfAbsent, isRequired }: Reference) => {
    const value: unknown = Reflect.get(entry, key);
    if (Array.isArray(value)) for (const [at, id] of value.entries()) checkId(to, id, [...path, key, at]);
    else if (value !== undefined && value !== null) checkId(to, value, [...path, key]);
    else if (allIfAbsent) fullyReferenced.add(to);
    else if (isRequired) report('dangling', [...path, key], `${key} is missing`);
  };

  for (const [name, references] of Object.entries(REFERENCES)) {
    for (const placed of entriesOf(name as CollectionName).values()) {
      for (const reference of references) checkReference(placed, reference);
    }
  }
  for (const { entry, path } of entriesOf('optionGroups').values()) {
    const options = uniqueEntries(Reflect.get(entry, 'options'), [...path, 'options'], report);
    for (const option of options.values()) checkReference(option, OPTION_REFERENCE);
    if (index.optionGroups.get(entry.id)?.isUnsatisfiable) {
      const message = 'the group requires more options than are available';
      report('unsatisfiable', [...path, 'minPermitted'], message);
    }
  }
  for (const { entry, path } of entriesOf('services').values()) {
    for (const issue of areaIssues(entry as Service)) {
      issues.push({ ...issue, path: [...path, 'serviceArea', ...issue.path] });
    }
  }
  for (const [name, referrer] of Object.entries(REFERRERS) as [CollectionName, string][]) {
    if (fullyReferenced.has(name)) continue;
    for (const [id, { path }] of entriesOf(name)) {
      if (!referenced.get(name)?.has(id)) report('orphan', path, `no ${referrer} refers to it`);
    }
  }
  return issues;
}

interface PlacedEntry {
  readonly entry: { readonly id: string };
  readonly path: Path;
}

/** The first entry of each id, with its path. Other values and duplicates are reported. */
function uniqueEntries(array: unknown, path: Path, report: Report): ReadonlyMap<string, PlacedEntry> {
  const entries = new Map<string, PlacedEntry>();
  if (array === undefined || array === null) return entries;
  if (!Array.isArray(array)) {
    report('unreadable', path, 'not an array');
    return entries;
  }
  for (const [at, entry] of array.entries()) {
    if (!isEntry(entry)) report('unreadable', [...path, at], 'not an object with a string id');
    else if (entries.has(entry.id)) {
      report('duplicate', [...path, at, 'id'], 'another entry with this id is used');
    } else entries.set(entry.id, { entry, path: [...path, at] });
  }
  return entries;
}
