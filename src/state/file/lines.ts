import type { FileHandle } from 'node:fs/promises';
import { StateError } from '../../errors.js';
import { encodeRecord, type JournalRecord } from './records.js';

/** A longer line was not written by us, and is not kept in memory. */
export const MAX_LINE_BYTES = 16 * 1_048_576;

const CHUNK_CHARACTERS = 65_536;
const READ_BYTES = 1_048_576;
const NEWLINE = 0x0a;

/**
 * Reads a file of any size line by line. At most one block and one line of it
 * are in memory; Node itself cannot read a file above 2 GiB at once.
 *
 * @param onLine - is called with undefined for a line that is too long.
 * @returns the size in bytes.
 */
export async function readLines(
  file: FileHandle,
  onLine: (line: string | undefined) => void,
  maxLineBytes = MAX_LINE_BYTES,
): Promise<number> {
  const block = Buffer.allocUnsafe(READ_BYTES);
  let parts: Buffer[] = [];
  let partBytes = 0;
  const add = (part: Buffer) => {
    partBytes += part.length;
    if (partBytes > maxLineBytes) parts = [];
    else parts.push(Buffer.from(part));
  };
  const end = () => {
    onLine(partBytes > maxLineBytes ? undefined : Buffer.concat(parts).toString('utf8'));
    parts = [];
    partBytes = 0;
  };
  for (let bytes = 0; ; ) {
    const { bytesRead } = await file.read(block, 0, READ_BYTES, bytes);
    if (bytesRead === 0) {
      if (partBytes > 0) end();
      return bytes;
    }
    bytes += bytesRead;
    const read = block.subarray(0, bytesRead);
    let from = 0;
    for (let to = read.indexOf(NEWLINE); to !== -1; to = read.indexOf(NEWLINE, from)) {
      add(read.subarray(from, to));
      end();
      from = to + 1;
    }
    add(read.subarray(from));
  }
}

/**
 * One line, or several for ids that do not fit into one.
 *
 * @param onTooLong - returns what to write for an id that does not fit into a line.
 * @throws {StateError} by default in that case.
 */
export function encodeLines(record: JournalRecord, onTooLong: () => string = throwTooLong): string {
  const line = encodeRecord(record);
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
  if (!('ids' in record) || record.ids.length < 2) return onTooLong();
  const half = Math.ceil(record.ids.length / 2);
  return [record.ids.slice(0, half), record.ids.slice(half)]
    .map((ids) => encodeLines({ ...record, ids }, onTooLong))
    .join('');
}

/** The lines of many records, joined to few strings. A record that was refused as too long is left out. */
export function* encodeChunks(records: Iterable<JournalRecord>): Generator<string> {
  let chunk = '';
  for (const record of records) {
    chunk += encodeLines(record, () => '');
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk) yield chunk;
}

function throwTooLong(): never {
  throw new StateError(
    `fileState: an entry of more than ${MAX_LINE_BYTES} bytes cannot be stored; use a shorter id`,
  );
}
