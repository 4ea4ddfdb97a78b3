/** Base64 and hex of fewer bytes would be found in every longer text. */
const MIN_CODED_LENGTH = 4;

/** What a character can begin; see `Patterns.classes`. */
export const FIRST = 1;
export const ESCAPE = 2;
/** It is in a secret, or a part of an escape or of base64. */
export const USEFUL = 4;

/** Of these masks the first is used that cannot be a part of a secret or join with its neighbours to one. */
const MASKS = ['[secret]', '***', '•••', '███', '▒▒▒'] as const;

/** The secrets of a `Redactor`, prepared for the search. */
export interface Patterns {
  /** In the order of their UTF-16 units, so that those with a common beginning are neighbours. */
  readonly sorted: readonly string[];
  /** By unit below 256: whether a secret begins with it, and whether it begins an escape. */
  readonly classes: Uint8Array;
  /** Beginnings above that. */
  readonly wide: ReadonlySet<number>;
  /** By a hash of two units: whether a secret may begin with them. */
  readonly pairs: Uint8Array;
  readonly shortest: number;
  readonly hasBlank: boolean;
  readonly hasBackslash: boolean;
  readonly hasPercent: boolean;
  /** Whether every character of every secret is printable ASCII. */
  readonly isPrintable: boolean;
  readonly isAscii: boolean;
  readonly mask: string;
  /** Those that are searched in base64 and hex too. */
  readonly coded: Patterns | undefined;
}

/** The forms of a secret that are searched: trimmed, because a hub may trim it, and as it is sent in UTF-8. */
export function formsOf(secret: string): string[] {
  const trimmed = secret.trim() || secret;
  if (trimmed === '') return [];
  // A lone surrogate is sent as U+FFFD.
  const sent = Buffer.from(trimmed).toString();
  return sent === trimmed ? [trimmed] : [trimmed, sent];
}

export function compilePatterns(secrets: Iterable<string>): Patterns | undefined {
  const forms = new Set([...secrets].flatMap(formsOf));
  return compile([...forms].sort());
}

function compile(sorted: readonly string[]): Patterns | undefined {
  if (sorted.length === 0) return undefined;
  const has = (pattern: RegExp) => sorted.some((each) => pattern.test(each));
  const hasBlank = has(/ /);
  const isAscii = !has(/[^\0-\x7f]/);
  const classes = new Uint8Array(256);
  const wide = new Set<number>();
  const pairs = new Uint8Array(PAIRS);
  for (const each of sorted) {
    const unit = each.charCodeAt(0);
    if (unit < 256) classes[unit] = (classes[unit] ?? 0) | FIRST;
    else wide.add(unit);
    if (each.length === 1) pairs.fill(1);
    else pairs[hashOf(unit, each.charCodeAt(1))] = 1;
    for (let at = 0; at < each.length; at += 1) {
      const inner = each.charCodeAt(at);
      if (inner < 256) classes[inner] = (classes[inner] ?? 0) | USEFUL;
    }
  }
  for (const part of SYNTAX) {
    const unit = part.charCodeAt(0);
    classes[unit] = (classes[unit] ?? 0) | USEFUL;
  }
  for (const begins of hasBlank ? '%\\&+' : '%\\&') {
    const unit = begins.charCodeAt(0);
    classes[unit] = (classes[unit] ?? 0) | ESCAPE;
  }
  const long = sorted.filter((each) => each.length >= MIN_CODED_LENGTH);
  const patterns = {
    sorted,
    classes,
    wide,
    pairs,
    shortest: Math.min(...sorted.map((each) => each.length)),
    hasBlank,
    hasBackslash: has(/\\/),
    hasPercent: has(/%/),
    isPrintable: !has(/[^ -~]/),
    isAscii,
    mask: maskFor(sorted),
  };
  if (long.length < sorted.length) return { ...patterns, coded: compile(long) };
  return {
    ...patterns,
    get coded() {
      return this;
    },
  };
}

/** What escapes and base64 consist of. */
const SYNTAX = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_\\%&#;{}\r\n';

const PAIRS = 1024;

const hashOf = (unit: number, next: number) => (unit * 31 + next) % PAIRS;

/** Whether a secret begins with this unit. */
export function isFirst({ classes, wide }: Patterns, code: number): boolean {
  if (code < 256) return ((classes[code] ?? 0) & FIRST) !== 0;
  return wide.size > 0 && wide.has(code < 0x10000 ? code : 0xd7c0 + (code >> 10));
}

/** Whether a secret may begin with these two; behind the end of a text there is no number. */
export function mayBeginWith({ pairs }: Patterns, unit: number, next: number): boolean {
  return pairs[hashOf(unit, next)] === 1 || Number.isNaN(next);
}

function maskFor(secrets: readonly string[]): string {
  const isApart = (mask: string) =>
    !secrets.some(
      (secret) =>
        secret.includes(mask.charAt(0)) ||
        secret.includes(mask.charAt(mask.length - 1)) ||
        mask.includes(secret),
    );
  return MASKS.find(isApart) ?? '…';
}
