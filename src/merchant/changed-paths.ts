/** A key and what leads to it; made an array only where something differs. */
interface Step {
  readonly key: string | number;
  readonly above: Pair;
  readonly depth: number;
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly step: Step | undefined;
}

/** Paths go no deeper: a path for each level of a deep nesting is the square of it. */
const DEEPEST = 64;

/**
 * Where two JSON values differ. The order of keys does not count, and an
 * undefined key is an absent one. A list of another length differs at the
 * places that one of them lacks. What differs more than 64 steps down is told
 * by the place there.
 *
 * @param skip - keys of the root that do not count.
 */
export function changedPaths(
  before: unknown,
  after: unknown,
  skip: (key: string) => boolean = () => false,
): (string | number)[][] {
  const found: (string | number)[][] = [];
  // A list of what is left to do, not recursion: a hub may nest as deep as it likes.
  const left: Pair[] = [{ before, after, step: undefined }];
  for (let pair = left.pop(); pair; pair = left.pop()) {
    if (!isPair(pair)) found.push(pathTo(pair.step));
    else if (pair.step?.depth === DEEPEST) {
      if (!isEqual(pair)) found.push(pathTo(pair.step));
    } else if (!isWithinItself(pair)) {
      for (const below of pairsBelow(pair).reverse()) {
        if (pair.step || !skip(String(below.step?.key))) left.push(below);
      }
    }
  }
  return found;
}

/** Whether nothing differs, however deep. */
function isEqual(root: ObjectPair): boolean {
  const left: Pair[] = [root];
  const seen = new Map<object, Set<object>>();
  for (let pair = left.pop(); pair; pair = left.pop()) {
    if (!isPair(pair)) return false;
    const others = seen.get(pair.before) ?? new Set();
    if (others.has(pair.after)) continue;
    seen.set(pair.before, others.add(pair.after));
    for (const below of pairsBelow(pair)) left.push(below);
  }
  return true;
}

/** JSON has no cycles; an object that an application made may. */
function isWithinItself({ before, after, step }: ObjectPair): boolean {
  for (let at = step?.above; at; at = at.step?.above) {
    if (at.before === before && at.after === after) return true;
  }
  return false;
}

/** The pairs of the values below that are not the same at sight. */
function pairsBelow(pair: ObjectPair): Pair[] {
  const depth = (pair.step?.depth ?? 0) + 1;
  const below: Pair[] = [];
  for (const key of keysOf(pair.before, pair.after)) {
    const before = own(pair.before, key);
    const after = own(pair.after, key);
    // NaN is not JSON, and equals itself here all the same.
    if (before === after || Object.is(before, after)) continue;
    below.push({ before, after, step: { key, above: pair, depth } });
  }
  return below;
}

interface ObjectPair extends Pair {
  readonly before: object;
  readonly after: object;
}

/** Whether both are lists, or both objects. */
function isPair(pair: Pair): pair is ObjectPair {
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
  for (let at = step; at; at = at.above.step) path.push(at.key);
  return path.reverse();
}

const own = (object: object, key: string | number): unknown =>
  Object.hasOwn(object, key) ? Reflect.get(object, key) : undefined;
