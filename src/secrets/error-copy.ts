/** How many nested causes are copied; this also ends a cycle of causes. */
const MAX_DEPTH = 4;

/**
 * Copies an error of another library: its strings are masked, and of its other
 * fields only numeric codes are kept.
 *
 * Such an error may be a proxy or have getters, so reading any field may throw.
 * Then the field is left out, or withheld if it is the message.
 *
 * @returns undefined if the value is neither an error nor a string.
 */
export function maskedCopy(error: unknown, mask: (text: unknown) => string, depth = 0): unknown {
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
  if (cause !== undefined) copy.cause = maskedCopy(cause, mask, depth + 1);
  return copy;
}

/** The result of `read`; undefined if it throws. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
