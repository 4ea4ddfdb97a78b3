/** Shorter secrets are not searched in base64 and hex: their few encoded bytes would match in any longer text. */
const MIN_ENCODED_LENGTH = 4;

/** Flags of `Patterns.classes`: a secret begins with the character. */
export const BEGINS_SECRET = 1;
/** An escape begins with the character. */
export const BEGINS_ESCAPE = 2;
/** The character is part of a secret, of an escape or of base64; any other can be skipped. */
export const RELEVANT = 4;

/** The first of these masks is used that is not part of a secret and cannot form one with the text around it. */
const MASKS = ['[secret]', '***', '•••', '███', '▒▒▒'] as const;

/** The characters of escapes and of base64. */
const SYNTAX = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_\\%&#;{}\r\n';

/** The secrets of a `Redactor`, prepared for the search. */
export interface Patterns {
  /** Sorted by their UTF-16 units, so that secrets with a common prefix are neighbours. */
  readonly sorted: readonly string[];
  /** The flags above, by UTF-16 unit below 256. */
  readonly classes: Uint8Array;
  /** First units of secrets, from 256. */
  readonly wideFirstUnits: ReadonlySet<number>;
  /** 1 if a secret may begin with two units, by their hash. */
  readonly firstPairs: Uint8Array;
  /** Length of the shortest secret. */
  readonly shortest: number;
  readonly hasBlank: boolean;
  readonly hasBackslash: boolean;
  readonly hasPercent: boolean;
  /** Whether all secrets consist of printable ASCII. */
  readonly isPrintable: boolean;
  readonly isAscii: boolean;
  /** Replaces a secret in the text. */
  readonly mask: string;
  /** The secrets that are long enough to be searched in base64 and hex too. */
  readonly encoded: Patterns | undefined;
}

/** @returns undefined if there is no secret to search. */
export function compilePatterns(secrets: Iterable<string>): Patterns | undefined {
  const forms = new Set([...secrets].flatMap(formsOf));
  return compile([...forms].sort());
}

/** The forms of a secret that are searched: trimmed, because a hub may trim it, and as UTF-8 transmits it. */
function formsOf(secret: string): string[] {
  const trimmed = secret.trim() || secret;
  if (trimmed === '') return [];
  // UTF-8 transmits a lone surrogate as U+FFFD.
  const transmitted = Buffer.from(trimmed).toString();
  return transmitted === trimmed ? [trimmed] : [trimmed, transmitted];
}

function compile(sorted: readonly string[]): Patterns | undefined {
  if (sorted.length === 0) return undefined;
  const has = (pattern: RegExp) => sorted.some((secret) => pattern.test(secret));
  const hasBlank = has(/ /);
  const patterns = {
    sorted,
    classes: classesOf(sorted, hasBlank ? '%\\&+' : '%\\&'),
    wideFirstUnits: new Set(sorted.map((secret) => secret.charCodeAt(0)).filter((unit) => unit >= 256)),
    firstPairs: firstPairsOf(sorted),
    shortest: Math.min(...sorted.map((secret) => secret.length)),
    hasBlank,
    hasBackslash: has(/\\/),
    hasPercent: has(/%/),
    isPrintable: !has(/[^ -~]/),
    isAscii: !has(/[^\0-\x7f]/),
    mask: maskFor(sorted),
  };
  const long = sorted.filter((secret) => secret.length >= MIN_ENCODED_LENGTH);
  if (long.length < sorted.length) return { ...patterns, encoded: compile(long) };
  return {
    ...patterns,
    get encoded() {
      return this;
    },
  };
}

function classesOf(secrets: readonly string[], escapes: string): Uint8Array {
  const classes = new Uint8Array(256);
  const add = (unit: number, flag: number) => {
    if (unit < 256) classes[unit] = (classes[unit] ?? 0) | flag;
  };
  const addAll = (text: string, flag: number) => {
    for (let at = 0; at < text.length; at += 1) add(text.charCodeAt(at), flag);
  };
  for (const secret of secrets) {
    add(secret.charCodeAt(0), BEGINS_SECRET);
    addAll(secret, RELEVANT);
  }
  addAll(SYNTAX, RELEVANT);
  addAll(escapes, BEGINS_ESCAPE);
  return classes;
}

const PAIR_HASHES = 1024;

const hashOf = (unit: number, next: number) => (unit * 31 + next) % PAIR_HASHES;

function firstPairsOf(secrets: readonly string[]): Uint8Array {
  const pairs = new Uint8Array(PAIR_HASHES);
  for (const secret of secrets) {
    if (secret.length === 1) pairs.fill(1);
    else pairs[hashOf(secret.charCodeAt(0), secret.charCodeAt(1))] = 1;
  }
  return pairs;
}

/** Whether a secret begins with this character. */
export function mayBeginWith({ classes, wideFirstUnits }: Patterns, code: number): boolean {
  if (code < 256) return ((classes[code] ?? 0) & BEGINS_SECRET) !== 0;
  return wideFirstUnits.size > 0 && wideFirstUnits.has(code < 0x10000 ? code : 0xd7c0 + (code >> 10));
}

/** Whether a secret may begin with these two units. `next` is NaN behind the end of a text. */
export function mayBeginWithPair({ firstPairs }: Patterns, unit: number, next: number): boolean {
  return firstPairs[hashOf(unit, next)] === 1 || Number.isNaN(next);
}

function maskFor(secrets: readonly string[]): string {
  const isSafe = (mask: string) =>
    !secrets.some(
      (secret) =>
        secret.includes(mask.charAt(0)) ||
        secret.includes(mask.charAt(mask.length - 1)) ||
        mask.includes(secret),
    );
  return MASKS.find(isSafe) ?? '…';
}
