const MASK = '[secret]';

/** Escapes within escapes that are looked under: a page in a URL in a text of JSON. */
const MAX_LAYERS = 4;

/**
 * Takes secrets out of text, in every spelling a hub might echo them: plain,
 * URL- and form-encoded, JSON-escaped, base64 at any alignment.
 *
 * Secrets are added as they become known (a rotated one, each token) and never
 * shown again by anything that went through `text`.
 */
export class Redactor {
  /** Kept for good: what the application has given. */
  readonly #lasting = new Map<string, RegExp>();
  /** The last of those that come and go. */
  readonly #passing = new Map<string, RegExp>();

  /** Tokens and rotated secrets of the past weeks, not of a year. */
  static readonly #MAX_PASSING = 32;

  /** A secret that stays. */
  add(secret: string): void {
    if (secret !== '') this.#lasting.set(secret, patternOf(secret));
  }

  /** A secret that another one will follow: a token, the value of a function. */
  addPassing(secret: string): void {
    if (secret === '' || this.#lasting.has(secret)) return;
    const known = this.#passing.get(secret);
    this.#passing.delete(secret);
    this.#passing.set(secret, known ?? patternOf(secret));
    if (this.#passing.size > Redactor.#MAX_PASSING) {
      const oldest = this.#passing.keys().next().value;
      if (oldest !== undefined) this.#passing.delete(oldest);
    }
  }

  /** The text without secrets; where one stood under several layers of escapes, they are gone too. */
  text(text: string): string {
    const clean = this.#masked(text);
    let layer = clean;
    for (let depth = 0; depth < MAX_LAYERS; depth += 1) {
      const under = peeled(layer);
      if (under === layer) break;
      layer = this.#masked(under);
      if (layer !== under) return this.text(layer);
    }
    return clean;
  }

  #masked(text: string): string {
    let clean = text;
    for (const pattern of [...this.#lasting.values(), ...this.#passing.values()]) {
      clean = clean.replace(pattern, MASK);
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

/** Matches the secret in every spelling, whichever encoders wrote it and however they mixed them. */
function patternOf(secret: string): RegExp {
  const parts = secret.match(/\\+|[^\\]/gu) ?? [];
  const spelt = parts
    .map((part) => (part.startsWith('\\') ? backslashes(part.length) : character(part)))
    .join('');
  return new RegExp([...base64Spellings(secret).map(escapePattern), spelt].join('|'), 'gu');
}

/**
 * One character plain, URL- and form-encoded, JSON- and HTML-escaped. JSON in
 * JSON doubles backslashes, so a few may stand before it; an unbounded number
 * would make the search take for ever on a page of them.
 */
function character(plain: string): string {
  const units = Array.from({ length: plain.length }, (_, index) => plain.charCodeAt(index));
  const escaped = units.map((unit) => anyCase(`u${unit.toString(16).padStart(4, '0')}`)).join('\\\\{1,4}');
  if (UNRESERVED.test(plain)) return `(?:${escapePattern(plain)}|\\\\{1,4}${escaped})`;
  const bytes = [...Buffer.from(plain)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`);
  const point = plain.codePointAt(0) ?? 0;
  const named = HTML_NAMES[plain];
  const spellings = [
    anyCase(bytes.join('')),
    escaped,
    `&#0*${point};`,
    `&#[xX]0*${anyCase(point.toString(16))};`,
    ...(named ? [`&${named};`] : []),
    ...(plain === ' ' ? ['\\+'] : []),
    escapePattern(plain),
  ];
  return `\\\\{0,4}(?:${spellings.join('|')})`;
}

/** A run of backslashes, which escaping makes longer. */
function backslashes(count: number): string {
  const each = ['%5[cC]', '\\\\{1,4}u005[cC]', '&#0*92;', '&#[xX]0*5[cC];'].map(
    (one) => `(?:${one}){${count}}`,
  );
  return `(?:\\\\{${count},${count * 8}}|${each.join('|')})`;
}

/** No encoder touches these but one that escapes everything. */
const UNRESERVED = /^[A-Za-z0-9._-]$/;

const HTML_NAMES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Hexadecimal digits in either case. */
const anyCase = (pattern: string) =>
  pattern.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

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
    if (before === 0) spellings.push(Buffer.from(secret).toString('base64').replace(/=+$/, ''));
    spellings.push(own, own.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return spellings;
}

const HTML_CHARACTERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(HTML_NAMES).map(([plain, name]) => [name, plain]),
);

/** The text with one layer of every escape undone, those of plain letters too. */
function peeled(text: string): string {
  return text
    .replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
    .replace(/&#(\d{1,12});/g, (_, point) => characterAt(Number(point)))
    .replace(/&#x([0-9a-f]{1,12});/gi, (_, point) => characterAt(Number.parseInt(point, 16)))
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name) => HTML_CHARACTERS[name] ?? '')
    .replace(/\\(?:u([0-9a-fA-F]{4})|(["\\/]))/g, (_, unit?: string, plain?: string) =>
      unit === undefined ? (plain ?? '') : String.fromCharCode(Number.parseInt(unit, 16)),
    );
}

const characterAt = (point: number) => (point <= 0x10ffff ? String.fromCodePoint(point) : '');

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
