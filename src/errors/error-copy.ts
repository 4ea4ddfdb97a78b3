import { BRAND } from './hub-error.js';

/** How many nested causes are copied; this also ends a cycle of causes. */
const MAX_DEPTH = 4;

/** How many errors of an AggregateError are copied. */
const MAX_ERRORS = 10;

type Mask = (text: string) => string;

/**
 * What may be shown of a thrown value. An error of this package has chosen fields. Of any other one, a copy: name,
 * message, stack and codes, of its causes too, and nothing of the objects behind it, such as a request with its
 * headers or a result with a hundred thousand rows.
 *
 * Such an error may be a proxy or have getters, so reading any field may throw. Then the field is left out.
 *
 * @returns undefined if the value is neither an error nor a string.
 */
export function shownError(error: unknown, mask: Mask = (text) => text, depth = 0): unknown {
  if (typeof error === 'string') return mask(error);
  if (!attempt(() => error instanceof Error)) return undefined;
  if (attempt(() => BRAND in (error as Error))) return error;
  const field = (key: string) => attempt(() => Reflect.get(error as Error, key) as unknown);
  const text = (key: string) => {
    const value = field(key);
    return typeof value === 'string' ? mask(value) : undefined;
  };
  const copy = new Error(text('message') ?? '');
  const hidden = { name: text('name') ?? 'Error', stack: text('stack') ?? '' };
  for (const [key, value] of Object.entries(hidden)) Object.defineProperty(copy, key, { value });
  // Serializers take the type from the constructor, and without one from the name.
  Object.defineProperty(copy, 'constructor', { value: undefined });
  for (const key of ['code', 'errno', 'syscall']) {
    const value = field(key);
    const shown = typeof value === 'number' ? value : text(key);
    if (shown !== undefined) Reflect.set(copy, key, shown);
  }
  if (depth === MAX_DEPTH) return copy;
  const cause = shownError(field('cause'), mask, depth + 1);
  if (cause !== undefined) Object.defineProperty(copy, 'cause', { value: cause });
  const errors = field('errors');
  if (Array.isArray(errors)) {
    const shown = errors.slice(0, MAX_ERRORS).map((each) => shownError(each, mask, depth + 1));
    Object.defineProperty(copy, 'errors', { value: shown.filter((each) => each !== undefined) });
  }
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
