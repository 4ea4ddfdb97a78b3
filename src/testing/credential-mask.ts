import type { MockStore } from './mock-store.js';
import { OWN_TOKEN } from './own-token.js';

/** A mask consists of the kind and a number, such as `[token 1]`. */
type CredentialKind = 'token' | 'api key' | 'client secret' | 'credential';

/** The parts of a request that can contain credentials. */
interface RequestText {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Names of headers, parameters and fields whose values are credentials. */
const SENSITIVE =
  /secret|token|passw|credential|cookie|authoriz|assertion|api[-_]?key|(?<!idempotency)[-_]key$|(?:^|[-_])auth(?:$|[-_])/i;
/** A body that does not match this has no sensitive name, not even an escaped one. */
const HINT = /secret|token|passw|credential|cookie|auth|assertion|key|%|\\u/i;
const SCHEME = /^(bearer|basic|digest) +(\S.*)$/i;
/** A value ends at `&`, or where `;` begins another pair. */
const PAIR = /(^|[?&;])([^=&;?/]*?)(=|%3d)((?:(?!;[\w%.-]+=)[^&])*)/gi;

/** Shorter credentials are masked only in their own field: elsewhere they could be part of a word. */
const MIN_SEARCHED_LENGTH = 8;
/** At most this many credentials of a request are searched for in the rest of it, to bound the work. */
const MAX_SEARCHED = 8;
/** When this many credentials have a number, they are forgotten, to bound the memory. */
const MAX_NUMBERED = 10_000;

/**
 * Masks the credentials in requests. Each credential gets a number, in the order
 * in which the hub issued or first received it. So a test can distinguish two
 * tokens, and the journal contains no credential.
 */
export class CredentialMask {
  readonly #sensitive: RegExp;
  readonly #hint: RegExp;
  readonly #masks = new Map<string, string>();
  readonly #counts = new Map<CredentialKind, number>();

  /** @param secretField - the name of the client secret in token requests. */
  constructor(secretField = 'client_secret') {
    const isKnown = SENSITIVE.test(secretField);
    const own = secretField.replace(/[^\w-]/g, '\\$&');
    this.#sensitive = isKnown ? SENSITIVE : new RegExp(`${SENSITIVE.source}|^${own}$`, 'i');
    this.#hint = isKnown ? HINT : new RegExp(`${HINT.source}|${own}`, 'i');
  }

  /** The mask of a credential; the same credential always gets the same mask. */
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

  clear(): void {
    this.#masks.clear();
    this.#counts.clear();
  }

  /** Masks the credentials of stores, and every token that this hub has issued, wherever they are in a text. */
  own(text: string, stores: readonly MockStore[]): string {
    let masked = text.includes('mock.') ? text.replace(OWN_TOKEN, (token) => this.of('token', token)) : text;
    for (const { clientId, clientSecret, apiKey } of stores.map(({ credentials }) => credentials)) {
      for (const [kind, value] of [
        ['client secret', clientSecret],
        ['api key', apiKey],
      ] as const) {
        // The client id is not a secret.
        if (value.length < MIN_SEARCHED_LENGTH || value === clientId) continue;
        masked = replaceIn(masked, value, () => this.of(kind, value));
      }
    }
    return masked;
  }

  /** Whether a body may contain a credential that has a name. */
  isHintedIn(body: string): boolean {
    return this.#hint.test(body);
  }

  /** Masks all credentials of a request, also where another part of it repeats them, and those of `stores`. */
  request({ path, headers, body }: RequestText, stores: readonly MockStore[]): RequestText {
    const found = new Map<string, string>();
    const hide = (kind: CredentialKind, value: string, ...spellings: string[]) => {
      const mask = this.of(kind, value);
      for (const each of [value, ...spellings]) {
        if (each.length >= MIN_SEARCHED_LENGTH && found.size < MAX_SEARCHED) found.set(each, mask);
      }
      return mask;
    };
    const masked = {
      path: maskPairs(path, this.#sensitive, hide),
      headers: mapValues(headers, (value, name) => maskHeader(name, value, this.#sensitive, hide)),
      body: this.isHintedIn(body) ? maskBody(body, this.#sensitive, hide) : body,
    };
    const replace = (text: string) => {
      let replaced = text;
      for (const [value, mask] of found) replaced = replaceIn(replaced, value, () => mask);
      return this.own(replaced, stores);
    };
    return {
      path: replace(masked.path),
      headers: mapValues(masked.headers, replace),
      body: replace(masked.body),
    };
  }
}

/** Replaces a value, also as a URL or JSON spells it. */
function replaceIn(text: string, value: string, mask: () => string): string {
  if (text.length < MIN_SEARCHED_LENGTH) return text;
  let replaced = text;
  for (const spelling of new Set([value, encoded(value), JSON.stringify(value).slice(1, -1)])) {
    replaced = replaced.replaceAll(spelling, mask);
  }
  return replaced;
}

/** Registers a credential and its spellings, and returns its mask. */
type Hide = (kind: CredentialKind, value: string, ...spellings: string[]) => string;

function mapValues(
  record: Readonly<Record<string, string>>,
  map: (value: string, name: string) => string,
): Record<string, string> {
  // A header may be named `__proto__`.
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

function maskHeader(name: string, value: string, sensitive: RegExp, hide: Hide): string {
  if (value === '' || !sensitive.test(name)) return value;
  const [, scheme, credential] = SCHEME.exec(value) ?? [];
  if (scheme === undefined || credential === undefined) return hide(kindOf(name), value);
  return `${scheme} ${hide(/^bearer$/i.test(scheme) ? 'token' : 'credential', credential)}`;
}

function kindOf(name: string): CredentialKind {
  if (/api[-_]?key/i.test(name)) return 'api key';
  if (/secret/i.test(name)) return 'client secret';
  return /token/i.test(name) ? 'token' : 'credential';
}

/** Masks the values of a query string or a form: `name=value` pairs. */
function maskPairs(text: string, sensitive: RegExp, hide: Hide): string {
  return text.replace(PAIR, (pair, before: string, name: string, equals: string, value: string) => {
    const decodedName = decoded(name);
    if (value === '' || !sensitive.test(decodedName)) return pair;
    return `${before}${name}${equals}${hide(kindOf(decodedName), decoded(value), value)}`;
  });
}

function maskBody(body: string, sensitive: RegExp, hide: Hide): string {
  if (/^\s*[[{]/.test(body)) return maskJson(body, sensitive, hide);
  return /^\S*$/.test(body.trim()) ? maskPairs(body, sensitive, hide) : withheld(body);
}

function maskJson(body: string, sensitive: RegExp, hide: Hide): string {
  let isMasked = false;
  try {
    const document: unknown = JSON.parse(body, (name, value: unknown) => {
      if (!sensitive.test(name) || value === null || value === '') return value;
      isMasked = true;
      return hide(kindOf(name), typeof value === 'string' ? value : JSON.stringify(value));
    });
    return isMasked ? JSON.stringify(document) : body;
  } catch {
    return withheld(body);
  }
}

/** Replaces a body that may contain a credential, and nobody knows where. */
export const withheld = ({ length }: string) => `[${length} characters withheld]`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** As a URL spells it: a lone surrogate cannot be encoded. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
