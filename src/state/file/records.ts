import { crc32 } from 'node:zlib';
import { HANDLED } from '../port.js';

/** Until when something holds, in epoch ms, and for how long that was when it was written. */
interface Lasting {
  readonly key: string;
  readonly until: number;
  readonly forMs: number;
}

/** One line of the journal; a later one about the same thing counts. */
export type JournalRecord =
  | ({ readonly kind: 'slot'; readonly id: string } & Lasting)
  | ({ readonly kind: 'shut' } & Lasting)
  | ({ readonly kind: 'fence'; readonly fence: number } & Lasting)
  | ({ readonly kind: 'marks'; readonly ids: readonly string[]; readonly mark: number } & Lasting);

/** Version, checksum, JSON: a line that was torn, or written by another version, is none. */
const VERSION = '1';
const LINE = /^1 ([0-9a-f]{8}) (.+)$/s;

export function encodeRecord(record: JournalRecord): string {
  const json = JSON.stringify(record);
  return `${VERSION} ${checksumOf(json)} ${json}\n`;
}

/** @returns undefined where the line is no record. */
export function decodeRecord(line: string): JournalRecord | undefined {
  const [, checksum, json = ''] = LINE.exec(line) ?? [];
  if (checksum === undefined || checksumOf(json) !== checksum) return undefined;
  try {
    return readRecord(JSON.parse(json));
  } catch {
    return undefined;
  }
}

export function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** How long it still holds by the wall clock; that clock having been put back does not make it longer. */
export function remainingMs({ until, forMs }: Pick<Lasting, 'until' | 'forMs'>, now: number): number {
  return Math.min(until - now, forMs);
}

function readRecord(given: unknown): JournalRecord | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const { kind, key, until, forMs, id, ids, mark, fence } = given as Record<string, unknown>;
  if (typeof key !== 'string' || !isDuration(until) || !isDuration(forMs)) return undefined;
  if (kind === 'slot' && typeof id === 'string') return { kind, key, until, forMs, id };
  if (kind === 'shut') return { kind, key, until, forMs };
  if (kind === 'fence' && isWhole(fence)) return { kind, key, until, forMs, fence };
  // Of release 0.1.0, which kept no other marks.
  if (kind === 'handled' && isTexts(ids)) return { kind: 'marks', key, until, forMs, ids, mark: HANDLED };
  if (kind === 'marks' && isTexts(ids) && isWhole(mark)) return { kind, key, until, forMs, ids, mark };
  return undefined;
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
