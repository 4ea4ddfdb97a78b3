/** The kinds of credentials; a mask names its kind and a number. */
export type CredentialKind = 'token' | 'api key' | 'client secret' | 'credential';

/** What of a request can contain credentials. */
export interface Written {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Names of headers, parameters and fields whose values are credentials. */
const SENSITIVE =
  /secret|token|passw|credential|cookie|authoriz|assertion|api[-_]?key|(?<!idempotency)[-_]key$|(?:^|[-_])auth(?:$|[-_])/i;
/** A text without any of these has no sensitive name, not even an escaped one. */
const HINT = /secret|token|passw|credential|cookie|auth|assertion|key|%|\\u/i;
const SCHEME = /^(bearer|basic|digest) +(\S.*)$/i;
const PAIR = /(^|[?&])([^=&]*)=([^&]*)/g;
/** A token that this mock hub issued. */
const OWN_TOKEN = /mock\.[^.\s/?&]+\.[0-9a-f]{32}\d+/g;

/** Shorter values are not searched for in the rest of the request: they would be found in its words. */
const SEARCHED_LENGTH = 8;
/** So many values of one request are searched for, which bounds the work. */
const MAX_SEARCHED = 8;
/** So many credentials keep their numbers. */
const MAX_NUMBERED = 10_000;

/**
 * Masks the credentials of requests. Each has a number, in the order in which
 * the hub issued or first received it: a test can tell two tokens apart, and
 * nobody can use them.
 */
export class CredentialMask {
  readonly #masks = new Map<string, string>();
  readonly #counts = new Map<CredentialKind, number>();

  /** The mask of a credential: always the same one, such as `[token 1]`. */
  of(kind: CredentialKind, value: string): string {
    const key = `${kind} ${value}`;
    const known = this.#masks.get(key);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const mask = `[${kind} ${count}]`;
    if (this.#masks.size >= MAX_NUMBERED) this.#masks.clear();
    this.#masks.set(key, mask);
    return mask;
  }

  /** Begins to count at 1 again. */
  clear(): void {
    this.#masks.clear();
    this.#counts.clear();
  }

  /** The same request without its credentials, wherever they are in it. */
  request({ path, headers, body }: Written): Written {
    const found = new Map<string, string>();
    const hide = (kind: CredentialKind, value: string, ...spellings: string[]) => {
      const mask = this.of(kind, value);
      for (const each of [value, ...spellings]) {
        if (each.length >= SEARCHED_LENGTH && found.size < MAX_SEARCHED) found.set(each, mask);
      }
      return mask;
    };
    const left = {
      path: path.includes('?') ? maskPairs(path, hide) : path,
      headers: mapValues(headers, (value, name) => maskHeader(name, value, hide)),
      body: maskBody(body, hide),
    };
    const search = (text: string) => this.#search(text, found);
    return { path: search(left.path), headers: mapValues(left.headers, search), body: search(left.body) };
  }

  #search(text: string, found: ReadonlyMap<string, string>): string {
    let left = text.includes('mock.') ? text.replace(OWN_TOKEN, (token) => this.of('token', token)) : text;
    if (left.length < SEARCHED_LENGTH) return left;
    for (const [value, mask] of found) {
      left = left.replaceAll(value, mask);
      const written = encoded(value);
      if (written !== value) left = left.replaceAll(written, mask);
    }
    return left;
  }
}

type Hide = (kind: CredentialKind, value: string, ...spellings: string[]) => string;

function mapValues(
  record: Readonly<Record<string, string>>,
  map: (value: string, name: string) => string,
): Record<string, string> {
  const mapped: Record<string, string> = {};
  for (const name in record) mapped[name] = map(record[name] as string, name);
  return mapped;
}

function maskHeader(name: string, value: string, hide: Hide): string {
  if (value === '' || !SENSITIVE.test(name)) return value;
  const [, scheme, credential] = SCHEME.exec(value) ?? [];
  if (scheme === undefined || credential === undefined) return hide(kindOf(name), value);
  return `${scheme} ${hide(/^bearer$/i.test(scheme) ? 'token' : 'credential', credential)}`;
}

function kindOf(name: string): CredentialKind {
  if (/api[-_]?key/i.test(name)) return 'api key';
  if (/secret/i.test(name)) return 'client secret';
  return /token/i.test(name) ? 'token' : 'credential';
}

/** A query or a form: `name=value` between ampersands. */
function maskPairs(text: string, hide: Hide): string {
  return text.replace(PAIR, (pair, before: string, name: string, value: string) => {
    const readable = decoded(name);
    if (value === '' || !SENSITIVE.test(readable)) return pair;
    return `${before}${name}=${hide(kindOf(readable), decoded(value), value)}`;
  });
}

function maskBody(body: string, hide: Hide): string {
  if (!HINT.test(body)) return body;
  if (/^\s*[[{]/.test(body)) return maskJson(body, hide);
  return /^\S*$/.test(body.trim()) ? maskPairs(body, hide) : withheld(body);
}

function maskJson(body: string, hide: Hide): string {
  let isMasked = false;
  try {
    const document: unknown = JSON.parse(body, (name, value: unknown) => {
      if (!SENSITIVE.test(name) || value === null || value === '') return value;
      isMasked = true;
      return hide(kindOf(name), typeof value === 'string' ? value : JSON.stringify(value));
    });
    return isMasked ? JSON.stringify(document) : body;
  } catch {
    return withheld(body);
  }
}

/** Of a body that may contain a credential and is neither a form nor JSON. */
const withheld = ({ length }: string) => `[${length} characters withheld]`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text; // half of a character has no encoding
  }
}
