import type { FileHandle } from 'node:fs/promises';
import { StateError } from '../../errors.js';
import { encodeRecord, type JournalRecord } from './records.js';

/** A longer line was not written by us, and is not kept in memory. */
export const MAX_LINE_BYTES = 16 * 1_048_576;

const CHUNK_CHARACTERS = 65_536;
const PIECE_BYTES = 1_048_576;
const NEWLINE = 0x0a;

/**
 * Reads a file of any size line by line, with no more of it in memory than one
 * piece and one line. Node reads no file above 2 GiB at once.
 *
 * @param onLine - gets undefined for a line that is too long.
 * @returns the size in bytes.
 */
export async function readLines(
  file: FileHandle,
  onLine: (line: string | undefined) => void,
  maxLineBytes = MAX_LINE_BYTES,
): Promise<number> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
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
    const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, bytes);
    if (bytesRead === 0) {
      if (partBytes > 0) end();
      return bytes;
    }
    bytes += bytesRead;
    const read = piece.subarray(0, bytesRead);
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
 * @param onTooLong - what to write for a record that fits into none.
 */
export function linesOf(record: JournalRecord, onTooLong: () => string = throwTooLong): string {
  const text = encodeRecord(record);
  if (Buffer.byteLength(text) <= MAX_LINE_BYTES) return text;
  if (!('ids' in record) || record.ids.length < 2) return onTooLong();
  const half = Math.ceil(record.ids.length / 2);
  return [record.ids.slice(0, half), record.ids.slice(half)]
    .map((ids) => linesOf({ ...record, ids }, onTooLong))
    .join('');
}

/** What was refused as too long is left out. */
export function* chunksOf(records: Iterable<JournalRecord>): Generator<string> {
  let chunk = '';
  for (const record of records) {
    chunk += linesOf(record, () => '');
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk) yield chunk;
}

function throwTooLong(): never {
  throw new StateError(
    `fileState: an entry of more than ${MAX_LINE_BYTES} bytes is not kept; shorten its id`,
  );
}
