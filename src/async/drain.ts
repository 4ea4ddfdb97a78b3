/** Yields the set's first element until the set is empty. The loop body must delete it. */
export function* drain<T>(set: ReadonlySet<T>): Generator<T> {
  for (let next = set.values().next(); !next.done; next = set.values().next()) yield next.value;
}
