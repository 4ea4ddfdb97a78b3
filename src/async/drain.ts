/**
 * Yields the set's first element until the set is empty. The loop body must delete it.
 *
 * With one iterator: each new one would begin at the places of all elements that were deleted before.
 */
export function* drain<T>(set: ReadonlySet<T>): Generator<T> {
  for (const element of set) while (set.has(element)) yield element;
}
