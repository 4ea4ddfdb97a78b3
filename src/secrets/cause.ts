/** Causes of causes that are copied; a cycle ends here too. */
const MAX_DEPTH = 4;

/**
 * A copy of a foreign error that holds masked strings and numbers only.
 *
 * A foreign error may be a proxy or have getters, so each field may throw: the
 * field is left out then, and its message is withheld.
 *
 * @returns undefined for what is neither an error nor a string.
 */
export function copyOf(error: unknown, mask: (text: unknown) => string, depth = 0): unknown {
  if (typeof error === 'string') return mask(error);
  if (!attempt(() => error instanceof Error)) return undefined;
  const field = (key: string) => attempt(() => Reflect.get(error as Error, key) as unknown);
  const copy = new Error(mask(field('message')));
  copy.name = mask(field('name') ?? 'Error');
  copy.stack = mask(field('stack') ?? '');
  for (const key of ['code', 'errno', 'syscall']) {
    const value = field(key);
    if (typeof value === 'string') Reflect.set(copy, key, mask(value));
    if (typeof value === 'number') Reflect.set(copy, key, value);
  }
  const cause = depth < MAX_DEPTH ? field('cause') : undefined;
  if (cause !== undefined) copy.cause = copyOf(cause, mask, depth + 1);
  return copy;
}

/** What `read` gives; undefined where it throws. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
