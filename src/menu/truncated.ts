/** A value of any type for a message: strings are cut to 80 characters, arrays and objects only named. */
export function truncated(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  const text = String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
