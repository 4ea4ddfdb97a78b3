/** A token that this mock hub issued. */
export const OWN_TOKEN = /mock\.[\w~-]+\.[0-9a-f]{32}\d+/g;

/**
 * A token that names its store, in characters that a header, a path and JSON take as they are.
 *
 * @param unique - hexadecimal digits.
 */
export function tokenOfStore(clientId: string, unique: string): string {
  const name = clientId.replace(/[^\w-]/g, (unit) => `~${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `mock.${name}.${unique}`;
}

/** The client id of the store that a token names; `''`: it names none. */
export function clientIdIn(token: string): string {
  const name = /^mock\.([\w~-]+)\.[^.]+$/.exec(token)?.[1] ?? '';
  return name.replace(/~([0-9a-f]{4})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
