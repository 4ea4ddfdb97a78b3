import { createHash } from 'node:crypto';

/** The response of the hub as it is kept in the state for the next process. */
export interface StoredCopy {
  /** Epoch ms. */
  readonly fetchedAt: number;
  /** The body as text. */
  readonly text: string;
}

/** @param key - key of the state; part of the checksum, so that the copy of another store is refused. */
export function encodeCopy(key: string, { fetchedAt, text }: StoredCopy): string {
  return `${fetchedAt} ${checksumOf(key, fetchedAt, text)}\n${text}`;
}

/** Undefined if the record is incomplete, changed or from another store. */
export function decodeCopy(key: string, record: string): StoredCopy | undefined {
  const end = record.indexOf('\n');
  const [date, checksum] = record.slice(0, end).split(' ');
  const fetchedAt = Number(date);
  const text = record.slice(end + 1);
  return checksum === checksumOf(key, fetchedAt, text) ? { fetchedAt, text } : undefined;
}

/**
 * Checksum over key, date and text. Without it any JSON found in the state
 * would pass, because an empty document is a valid one.
 */
function checksumOf(key: string, fetchedAt: number, text: string): string {
  return digestOf(`${key}\n${fetchedAt}\n${text}`);
}

export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}
