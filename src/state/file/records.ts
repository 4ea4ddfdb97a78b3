import { crc32 } from 'node:zlib';
import { HANDLED } from '../port.js';
import type { Expiry } from './expiry.js';

/**
 * One line of the journal. A later record about the same slot, quota, key or id
 * replaces the earlier one. `entries` are marks of all keys, as a compaction
 * writes them: `encodeEntries` makes the string.
 */
export type JournalRecord = { readonly key: string } & Expiry &
  (
    | { readonly kind: 'slot'; readonly id: string }
    | { readonly kind: 'shut' }
    | { readonly kind: 'fence'; readonly fence: number }
    | { readonly kind: 'marks'; readonly ids: readonly string[]; readonly mark: number }
    | { readonly kind: 'entries'; readonly entries: string }
  );

/** Version, checksum, JSON. A line that was cut off, or written by another version, does not match. */
const LINE = /^1 ([0-9a-f]{8}) (.+)$/s;

/** Every beginning of such a line. */
const BEGINNING = /^1(?: (?:[0-9a-f]{0,8}|[0-9a-f]{8} (?:\{.*)?))?$/s;

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them, so they are a sign of damage.
const CONTROL = /[\0-\x1f]/;

/** @returns a line with its newline. */
export function encodeRecord(record: JournalRecord): string {
  const json = JSON.stringify(record);
  return `1 ${checksumOf(json)} ${json}\n`;
}

/** @returns undefined if the line is not a record. */
export function decodeRecord(line: string): JournalRecord | undefined {
  const [, checksum, json = ''] = LINE.exec(line) ?? [];
  if (checksum === undefined || checksumOf(json) !== checksum) return undefined;
  try {
    return validRecord(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/**
 * Whether a line that is not a record is the beginning of one: the process died
 * while it wrote it, or the disk was full. No call has resolved for that
 * record, so this is not damage.
 */
export function isPartialRecord(line: string): boolean {
  if (!BEGINNING.test(line) || CONTROL.test(line)) return false;
  let depth = 0;
  let isInString = false;
  for (let index = line.indexOf('{'); index !== -1 && index < line.length; index += 1) {
    const char = line[index];
    if (isInString && char === '\\') index += 1;
    else if (char === '"') isInString = !isInString;
    else if (isInString) continue;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    // The JSON is complete, so an error is in it or behind it.
    if (depth === 0) return false;
  }
  return true;
}

/** CRC-32 as eight hex digits. */
export function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

function validRecord(given: unknown): JournalRecord | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const { kind, key, until, forMs, id, ids, mark, fence, entries } = given as Record<string, unknown>;
  if (typeof key !== 'string' || !isFiniteNumber(until) || !isFiniteNumber(forMs)) return undefined;
  if (kind === 'slot' && typeof id === 'string') return { kind, key, until, forMs, id };
  if (kind === 'shut') return { kind, key, until, forMs };
  if (kind === 'fence' && isInteger(fence)) return { kind, key, until, forMs, fence };
  // Written by release 0.1.0, which stored no attempts.
  if (kind === 'handled' && isStrings(ids)) return { kind: 'marks', key, until, forMs, ids, mark: HANDLED };
  if (kind === 'marks' && isStrings(ids) && isInteger(mark)) return { kind, key, until, forMs, ids, mark };
  if (kind === 'entries' && typeof entries === 'string') return { kind, key, until, forMs, entries };
  return undefined;
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
