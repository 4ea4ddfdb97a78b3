/** A key and what leads to it; made an array only where something differs. */
interface Step {
  readonly key: string | number;
  readonly above: Step | undefined;
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
  readonly step: Step | undefined;
}

/**
 * Where two JSON values differ. The order of keys does not count, and an
 * undefined key is an absent one. A list of another length differs at the
 * places that one of them lacks.
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
    // NaN is not JSON, and equals itself here all the same.
    if (pair.before === pair.after || Object.is(pair.before, pair.after)) continue;
    if (!isPair(pair)) {
      found.push(pathTo(pair.step));
      continue;
    }
    for (const key of [...keysOf(pair.before, pair.after)].reverse()) {
      if (pair.step === undefined && skip(String(key))) continue;
      const step = { key, above: pair.step };
      left.push({ before: own(pair.before, key), after: own(pair.after, key), step });
    }
  }
  return found;
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

function* keysOf(before: object, after: object): Generator<string | number> {
  if (Array.isArray(before) && Array.isArray(after)) {
    for (let at = 0; at < Math.max(before.length, after.length); at += 1) yield at;
    return;
  }
  yield* Object.keys(before);
  for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) yield key;
}

function pathTo(step: Step | undefined): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = step; at; at = at.above) path.push(at.key);
  return path.reverse();
}

const own = (object: object, key: string | number): unknown =>
  Object.hasOwn(object, key) ? Reflect.get(object, key) : undefined;
