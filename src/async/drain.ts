/** The first of a set, again and again while the loop changes it, until it is empty. */
export function* drain<T>(set: ReadonlySet<T>): Generator<T> {
  for (let next = set.values().next(); !next.done; next = set.values().next()) yield next.value;
}
