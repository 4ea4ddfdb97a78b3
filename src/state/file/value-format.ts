import type { Expiry } from './expiry.js';
import { checksumOf } from './records.js';

/** The first line of a value's file: whose value it is, and until when. */
export interface ValueHead extends Expiry {
  readonly key: string;
  readonly checksum: string;
}

/** Longer than any head: enough to read the expiry of a file. */
export const HEAD_BYTES = 1024;

/** @returns the content of the file, in chunks: a head and the value, each one line of JSON. */
export function encodeValue(key: string, value: string, expiry: Expiry): string[] {
  const body = JSON.stringify(value);
  const head = JSON.stringify({ version: 1, key, ...expiry, checksum: checksumOf(body) });
  return [`${head}\n`, body, '\n'];
}

/** @returns undefined if the file was cut off, has another version or is not ours. */
export function decodeValue(content: string): (ValueHead & { readonly value: string }) | undefined {
  const head = decodeHead(content);
  if (!head) return undefined;
  const body = content.slice(content.indexOf('\n') + 1, -1);
  if (checksumOf(body) !== head.checksum) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'string' ? { ...head, value } : undefined;
  } catch {
    return undefined;
  }
}

/** @returns undefined if the file does not begin with a head of ours. */
export function decodeHead(content: string): ValueHead | undefined {
  try {
    const given = JSON.parse(content.slice(0, content.indexOf('\n'))) as Record<string, unknown>;
    const { version, key, until, forMs, checksum } = given;
    if (version !== 1 || typeof key !== 'string' || typeof checksum !== 'string') return undefined;
    if (typeof until !== 'number' || typeof forMs !== 'number') return undefined;
    return { key, until, forMs, checksum };
  } catch {
    return undefined;
  }
}
