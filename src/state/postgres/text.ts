import { createHash } from 'node:crypto';

/*
 * A text of Postgres cannot contain NUL nor half of a surrogate pair, and an
 * index row at most 2,700 bytes. What we write for such strings begins with
 * this quote, and other strings that begin with it are treated like them.
 */
const QUOTE = '"';

const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** UTF-8 has at most three bytes for each UTF-16 unit of a string. */
const MAX_INDEXED_LENGTH = 400;

/** A value as a text that `fromText` can read. */
export function toText(value: string): string {
  return value.startsWith(QUOTE) || UNSTORABLE.test(value) ? JSON.stringify(value) : value;
}

/** @returns undefined if we did not write the text. */
export function fromText(text: string): string | undefined {
  if (!text.startsWith(QUOTE)) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A key or an id as a text that is different for each string. An unusual one is replaced by its hash. */
export function toIndexedText(id: string): string {
  const isStorable = id.length <= MAX_INDEXED_LENGTH && !id.startsWith(QUOTE) && !UNSTORABLE.test(id);
  return isStorable ? id : QUOTE + createHash('sha256').update(JSON.stringify(id)).digest('hex');
}
