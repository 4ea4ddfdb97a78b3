import type { Issue } from '../errors.js';
import { COLLECTIONS, type CollectionName } from '../schemas/collections.js';
import type { Service } from '../schemas/merchant.js';
import { areaIssues } from './delivery.js';
import { isEntry } from './entries.js';
import type { MenuIndex } from './menu-index.js';
import { shown } from './shown.js';

type Path = readonly (string | number)[];

/**
 * What is wrong between the entries of a document.
 *
 * - `dangling`: it names an id that is not there.
 * - `duplicate`: an id that an earlier entry has; the earlier one stands.
 * - `orphan`: nothing names it, so nobody comes to it.
 * - `unsatisfiable`: more has to be chosen than there is to choose from.
 * - `unreadable`: it is no entry at all, or hours, dates or an area that cannot be read.
 */
export type MenuIssueCode = 'dangling' | 'duplicate' | 'orphan' | 'unsatisfiable' | 'unreadable';

/** What each collection's entries name, and in which other one. */
const REFERENCES: Readonly<
  Partial<Record<CollectionName, ReadonlyArray<readonly [key: string, to: CollectionName]>>>
> = {
  services: [['menuId', 'menus']],
  menus: [['categoryId', 'categories']],
  categories: [
    ['itemOfferId', 'itemOffers'],
    ['availabilityId', 'availabilities'],
  ],
  itemOffers: [
    ['itemId', 'items'],
    ['optionGroupsId', 'optionGroups'],
    ['availabilityId', 'availabilities'],
  ],
};

/** Lists that mean all entries where they are absent (the standard). */
const ABSENT_IS_ALL: ReadonlySet<string> = new Set(['categoryId', 'itemOfferId']);

/** Looks at a whole document; whatever is wrong with an entry takes no other one with it. */
export function lint(index: MenuIndex): Issue[] {
  const issues: Issue[] = [];
  const note = (code: MenuIssueCode, path: Path, message: string) =>
    void issues.push({ path, code, message });
  const entries = new Map(
    COLLECTIONS.map((name) => [name, uniqueEntries(index.merchant[name], [name], note)]),
  );
  const named = new Map(COLLECTIONS.map((name) => [name, new Set<string>()]));
  const allNamed = new Set<CollectionName>();
  const refer = (to: CollectionName, id: unknown, path: Path) => {
    named.get(to)?.add(id as string);
    if (!entries.get(to)?.has(id as string)) note('dangling', path, `${to} has no '${shown(id)}'`);
  };
  const referAll = (from: object, path: Path, key: string, to: CollectionName) => {
    const value: unknown = Reflect.get(from, key);
    if (Array.isArray(value)) for (const [at, id] of value.entries()) refer(to, id, [...path, key, at]);
    else if (value !== undefined && value !== null) refer(to, value, [...path, key]);
    else if (ABSENT_IS_ALL.has(key)) allNamed.add(to);
    else if (key === 'itemId' && path[0] === 'itemOffers')
      note('dangling', [...path, key], 'an offer has to name its item');
  };

  for (const [name, references] of Object.entries(REFERENCES)) {
    for (const { entry, path } of entries.get(name as CollectionName)?.values() ?? []) {
      for (const [key, to] of references) referAll(entry, path, key, to);
    }
  }
  for (const { entry, path } of entries.get('optionGroups')?.values() ?? []) {
    const options: unknown = Reflect.get(entry, 'options');
    const below = uniqueEntries(options, [...path, 'options'], note);
    for (const option of below.values()) referAll(option.entry, option.path, 'itemId', 'items');
    if (index.optionGroups.get(entry.id)?.isUnsatisfiable) {
      note(
        'unsatisfiable',
        [...path, 'minPermitted'],
        'more has to be chosen than its available options allow',
      );
    }
  }
  for (const { entry, path } of entries.get('services')?.values() ?? []) {
    for (const issue of areaIssues(entry as Service))
      issues.push({ ...issue, path: [...path, 'serviceArea', ...issue.path] });
  }
  for (const [name, by] of Object.entries(NAMED_BY)) {
    if (allNamed.has(name as CollectionName)) continue;
    for (const [id, { path }] of entries.get(name as CollectionName) ?? []) {
      if (!named.get(name as CollectionName)?.has(id)) note('orphan', path, `no ${by} names it`);
    }
  }
  return issues;
}

/** What has to name an entry, or nobody comes to it. */
const NAMED_BY = {
  menus: 'service',
  categories: 'menu',
  itemOffers: 'category',
  items: 'offer or option',
  optionGroups: 'offer',
  availabilities: 'category or offer',
} as const satisfies Partial<Record<CollectionName, string>>;

interface Place {
  readonly entry: { readonly id: string };
  readonly path: Path;
}

/** The entries that count, and where they stand. */
function uniqueEntries(
  list: unknown,
  path: Path,
  note: (code: MenuIssueCode, path: Path, message: string) => void,
): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>();
  if (list === undefined || list === null) return found;
  if (!Array.isArray(list)) note('unreadable', path, 'no list');
  else
    for (const [at, entry] of list.entries()) {
      if (!isEntry(entry)) note('unreadable', [...path, at], 'no entry with an id');
      else if (found.has(entry.id)) {
        note('duplicate', [...path, at, 'id'], `'${shown(entry.id)}' stands there before; that one is used`);
      } else found.set(entry.id, { entry, path: [...path, at] });
    }
  return found;
}
