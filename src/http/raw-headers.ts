/**
 * Every value of each header, by its name in lower case.
 *
 * Not `headersDistinct`: on Node 20.18 and 22.12 it throws for a header `constructor` or `__proto__`.
 *
 * @param rawHeaders - names and values in turn, as `node:http` has them.
 */
export function headerValues(rawHeaders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = String(rawHeaders[at]).toLowerCase();
    const known = values.get(name);
    if (known) known.push(String(rawHeaders[at + 1]));
    else values.set(name, [String(rawHeaders[at + 1])]);
  }
  return values;
}

/** The same headers for a `Request`. Leaves out what is not a valid header, such as `:method` of HTTP/2. */
export function headersOf(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  for (const [name, values] of headerValues(rawHeaders)) {
    for (const value of values) {
      try {
        headers.append(name, value);
      } catch {}
    }
  }
  return headers;
}
