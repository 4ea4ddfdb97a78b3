/** The type of a value, for messages such as `expected a number, got a string`. The value itself is never shown: it may be a customer's. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
