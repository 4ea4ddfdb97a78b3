interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly step: Step | undefined;
}

/** The key that leads from a pair to a pair below it. Paths are built from steps only where something differs. */
interface Step {
  readonly key: string | number;
  readonly parent: Pair;
  readonly depth: number;
}

/** The longest path. With a path per level, deep nesting would cost the square of its depth. */
const MAX_DEPTH = 64;

/**
 * The paths at which two JSON objects or arrays differ. The order of keys does not matter,
 * and an undefined value equals an absent key. Arrays of different length
 * differ at each index that only one of them has. A difference deeper than 64
 * levels is reported once, by the first 64 keys of its path.
 */
export function changedPaths(before: object, after: object): (string | number)[][] {
  const paths: (string | number)[][] = [];
  // A stack instead of recursion, because a document may be nested deeper than the call stack allows.
  const pending: Pair[] = [{ before, after, step: undefined }];
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    if (!isObjectPair(pair)) paths.push(pathTo(pair.step));
    else if (pair.step?.depth === MAX_DEPTH) {
      if (!isEqual(pair)) paths.push(pathTo(pair.step));
    } else if (!isCyclic(pair)) {
      for (const child of differingChildren(pair).reverse()) pending.push(child);
    }
  }
  return paths;
}

function isEqual(root: ObjectPair): boolean {
  const pending: Pair[] = [root];
  const compared = new Map<object, Set<object>>();
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    if (!isObjectPair(pair)) return false;
    const others = compared.get(pair.before) ?? new Set();
    if (others.has(pair.after)) continue;
    compared.set(pair.before, others.add(pair.after));
    for (const child of differingChildren(pair)) pending.push(child);
  }
  return true;
}

/** Whether the same pair is among its own ancestors. JSON has no cycles, but an object built by an application may. */
function isCyclic({ before, after, step }: ObjectPair): boolean {
  for (let ancestor = step?.parent; ancestor; ancestor = ancestor.step?.parent) {
    if (ancestor.before === before && ancestor.after === after) return true;
  }
  return false;
}

function differingChildren(pair: ObjectPair): Pair[] {
  const depth = (pair.step?.depth ?? 0) + 1;
  const children: Pair[] = [];
  for (const key of keysOf(pair.before, pair.after)) {
    const before = ownValue(pair.before, key);
    const after = ownValue(pair.after, key);
    // `===` also treats 0 and -0 as equal, `Object.is` also NaN and NaN.
    if (before === after || Object.is(before, after)) continue;
    children.push({ before, after, step: { key, parent: pair, depth } });
  }
  return children;
}

interface ObjectPair extends Pair {
  readonly before: object;
  readonly after: object;
}

function isObjectPair(pair: Pair): pair is ObjectPair {
  const { before, after } = pair;
  return (
    typeof before === 'object' &&
    typeof after === 'object' &&
    before !== null &&
    after !== null &&
    Array.isArray(before) === Array.isArray(after)
  );
}

function keysOf(before: object, after: object): Iterable<string | number> {
  if (Array.isArray(before) && Array.isArray(after)) {
    return new Array(Math.max(before.length, after.length)).keys();
  }
  return [...Object.keys(before), ...Object.keys(after).filter((key) => !Object.hasOwn(before, key))];
}

function pathTo(step: Step | undefined): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = step; at; at = at.parent.step) path.push(at.key);
  return path.reverse();
}

const ownValue = (object: object, key: string | number): unknown =>
  Object.hasOwn(object, key) ? Reflect.get(object, key) : undefined;
