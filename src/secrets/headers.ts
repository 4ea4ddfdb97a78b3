/** Shorter ones are no keys, and would be taken out of every other word. */
const MIN_SECRET_LENGTH = 8;

/** Headers whose values are no secrets and may well stand in an error page. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'cache-control',
  'from',
  'pragma',
  'referer',
  'user-agent',
]);

/** The partner keys among extra headers: each value, and the credential behind a scheme (`Basic …`) or a name (`session=…`). */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers)
    .filter(([name]) => !HARMLESS_HEADERS.has(name))
    .flatMap(([, value]) => [
      value,
      ...value.split(/[\s;,]+/).flatMap((part) => [part, part.replace(/^[^=]+=(?=.)/, '')]),
    ])
    .filter((value) => value.length >= MIN_SECRET_LENGTH);
}
