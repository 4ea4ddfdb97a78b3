/** Shorter values are not keys, and masking them would mask parts of ordinary words. */
const MIN_SECRET_LENGTH = 8;

/** Headers whose values are not secret and may well be part of an error page. */
const PUBLIC_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'cache-control',
  'from',
  'pragma',
  'referer',
  'user-agent',
]);

/**
 * The values of the extra headers that may be secret, such as a partner's key:
 * each whole value, and the credential behind a scheme (`Basic …`) or a name (`session=…`).
 */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers)
    .filter(([name]) => !PUBLIC_HEADERS.has(name))
    .flatMap(([, value]) => [
      value,
      ...value.split(/[\s;,]+/).flatMap((part) => [part, part.replace(/^[^=]+=(?=.)/, '')]),
    ])
    .filter((value) => value.length >= MIN_SECRET_LENGTH);
}
