type Key = string | number;

/** What two objects have at the same key. */
interface Pair<Value = unknown> {
  readonly before: Value;
  readonly after: Value;
}

/** The longest path. With a path per level, deep nesting would cost the square of its depth. */
const MAX_DEPTH = 64;

/**
 * The paths at which two JSON objects or arrays differ. The order of keys does not matter,
 * and an undefined value equals an absent key. Arrays of different length
 * differ at each index that only one of them has. A difference deeper than 64
 * levels is reported once, by the first 64 keys of its path.
 */
export function changedPaths(before: object, after: object): Key[][] {
  const found: Key[][] = [];
  const path: Key[] = [];
  const above: Pair<object>[] = [];
  const compare = (pair: Pair<object>) => {
    // JSON has no cycles, but an object built by an application may.
    if (above.some(({ before, after }) => before === pair.before && after === pair.after)) return;
    above.push(pair);
    for (const child of differing(pair)) {
      path.push(child.key);
      const isBelow = areObjects(child);
      if (isBelow && path.length < MAX_DEPTH) compare(child);
      else if (!isBelow || !isEqual(child)) found.push([...path]);
      path.pop();
    }
    above.pop();
  };
  compare({ before, after });
  return found;
}

/** With a stack instead of recursion, because a document may be nested deeper than the call stack allows. */
function isEqual(root: Pair<object>): boolean {
  const pending: Pair[] = [root];
  const compared = new Map<object, Set<object>>();
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    if (!areObjects(pair)) return false;
    const { before, after } = pair;
    const others = compared.get(before) ?? new Set();
    if (others.has(after)) continue;
    compared.set(before, others.add(after));
    for (const child of differing(pair)) pending.push(child);
  }
  return true;
}

function differing(pair: Pair<object>): (Pair & { readonly key: Key })[] {
  const found = [];
  for (const key of keysOf(pair.before, pair.after)) {
    const before = ownValue(pair.before, key);
    const after = ownValue(pair.after, key);
    // `===` also treats 0 and -0 as equal, `Object.is` also NaN and NaN.
    if (before !== after && !Object.is(before, after)) found.push({ key, before, after });
  }
  return found;
}

function areObjects(pair: Pair): pair is Pair<object> {
  const { before, after } = pair;
  return (
    typeof before === 'object' &&
    typeof after === 'object' &&
    before !== null &&
    after !== null &&
    Array.isArray(before) === Array.isArray(after)
  );
}

function keysOf(before: object, after: object): Iterable<Key> {
  if (Array.isArray(before) && Array.isArray(after)) {
    return new Array(Math.max(before.length, after.length)).keys();
  }
  return [...Object.keys(before), ...Object.keys(after).filter((key) => !Object.hasOwn(before, key))];
}

const ownValue = (object: object, key: Key): unknown =>
  Object.hasOwn(object, key) ? Reflect.get(object, key) : undefined;
