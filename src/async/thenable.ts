/** Whether `await` would wait for the value: it has a `then` method. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const mayHaveThen = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return mayHaveThen && 'then' in value && typeof value.then === 'function';
}
