const MASK = '[secret]';

/**
 * Takes secrets out of text, in every spelling a hub might echo them: plain,
 * URL- and form-encoded, JSON-escaped, base64 at any alignment.
 *
 * Secrets are added as they become known (a rotated one, each token) and never
 * shown again by anything that went through `text`.
 */
export class Redactor {
  /** Kept for good: what the application has given. */
  readonly #lasting = new Map<string, readonly string[]>();
  /** The last of those that come and go. */
  readonly #passing = new Map<string, readonly string[]>();

  /** Tokens and rotated secrets of the past weeks, not of a year. */
  static readonly #MAX_PASSING = 32;

  /** A secret that stays. */
  add(secret: string): void {
    if (secret !== '') this.#lasting.set(secret, spellingsOf(secret));
  }

  /** A secret that another one will follow: a token, the value of a function. */
  addPassing(secret: string): void {
    if (secret === '' || this.#lasting.has(secret)) return;
    const known = this.#passing.get(secret);
    this.#passing.delete(secret);
    this.#passing.set(secret, known ?? spellingsOf(secret));
    if (this.#passing.size > Redactor.#MAX_PASSING) {
      const oldest = this.#passing.keys().next().value;
      if (oldest !== undefined) this.#passing.delete(oldest);
    }
  }

  text(text: string): string {
    let clean = text;
    for (const spellings of [...this.#lasting.values(), ...this.#passing.values()]) {
      for (const spelling of spellings) clean = clean.replaceAll(spelling, MASK);
    }
    return clean;
  }

  /** A copy of a foreign error that holds nothing but scrubbed name, message, stack, codes and cause. */
  cause(error: unknown, depth = 0): unknown {
    if (!(error instanceof Error)) return typeof error === 'string' ? this.text(error) : undefined;
    const copy = new Error(this.text(error.message));
    copy.name = this.text(error.name);
    copy.stack = this.text(error.stack ?? '');
    for (const key of ['code', 'errno', 'syscall'] as const) {
      const value: unknown = Reflect.get(error, key);
      if (typeof value === 'string') Reflect.set(copy, key, this.text(value));
      if (typeof value === 'number') Reflect.set(copy, key, value);
    }
    if (error.cause !== undefined && depth < 4) copy.cause = this.cause(error.cause, depth + 1);
    return copy;
  }
}

function spellingsOf(secret: string): string[] {
  const url = encodeURIComponent(secret);
  const form = new URLSearchParams({ s: secret }).toString().slice(2);
  const json = JSON.stringify(secret).slice(1, -1);
  const escaped = secret.replace(/[^A-Za-z0-9]/g, unicodeEscape);
  const spellings = new Set([
    secret,
    url,
    lowerCaseHex(url),
    encodeURI(secret),
    form,
    lowerCaseHex(form),
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[^\x20-\x7e]/g, unicodeEscape),
    escaped,
    escaped.replace(/\\u[0-9a-f]{4}/g, (part) => `\\u${part.slice(2).toUpperCase()}`),
    htmlEscape(secret),
    ...base64Spellings(secret),
  ]);
  // Longest first, so that a short spelling never leaves half of a longer one behind.
  return [...spellings].sort((a, b) => b.length - a.length);
}

const lowerCaseHex = (text: string) => text.replace(/%[0-9A-F]{2}/g, (part) => part.toLowerCase());

const unicodeEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const htmlEscape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Base64 of the secret inside any longer text: the three alignments, without the digits its neighbours share. */
function base64Spellings(secret: string): string[] {
  const spellings: string[] = [];
  for (const before of [0, 1, 2]) {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const start = before === 0 ? 0 : before + 1;
    const shared = bytes.length % 3 === 0 ? 0 : 1;
    const digits = bytes.toString('base64').replace(/=+$/, '');
    const own = digits.slice(start, digits.length - shared);
    if (own.length < 4) continue;
    spellings.push(own, own.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return spellings;
}
