import { closeSync, openSync, readSync } from 'node:fs';
import { ConfigurationError } from '../errors/index.js';

const KIB = 1024;
const MIB = 1024 * KIB;

const NOT_FOUND = 'no such file or directory; check the path';
const NOT_PERMITTED = 'permission denied; change its permissions, or use another file';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: NOT_FOUND,
  ENOTDIR: NOT_FOUND,
  EACCES: NOT_PERMITTED,
  EPERM: NOT_PERMITTED,
  EISDIR: 'it is a directory; use a file',
  EROFS: 'the file system is read-only; use another file',
  ENOSPC: 'the disk is full; free some space, or use another file',
};

export function describeFileError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ''] ?? message;
}

/**
 * Reads a text file, or a pipe such as `<(command)`.
 *
 * @param name - the option or variable that names the file, for the error.
 */
export function readFile(name: string, path: string, maxBytes: number): string {
  const buffer = Buffer.alloc(Math.min(maxBytes + 1, MIB));
  const chunks: Buffer[] = [];
  let size = 0;
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    for (let count = -1; count !== 0 && size <= maxBytes; size += count) {
      count = readSync(file, buffer, 0, buffer.length, null);
      chunks.push(Buffer.from(buffer.subarray(0, count)));
    }
  } catch (error) {
    throw new ConfigurationError(name, `${path} cannot be read: ${describeFileError(error)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
  if (size > maxBytes) {
    const limit = maxBytes < MIB ? `${maxBytes / KIB} KiB` : `${maxBytes / MIB} MiB`;
    throw new ConfigurationError(name, `${path} is larger than ${limit}; check that it is the right file`);
  }
  return decoded(Buffer.concat(chunks));
}

/** UTF-8, or UTF-16 with a byte order mark, as PowerShell and Notepad write it. The mark is left out. */
function decoded(bytes: Buffer): string {
  const mark = bytes.toString('hex', 0, 2);
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

export function readJsonFile(name: string, path: string): unknown {
  const text = readFile(name, path, 256 * MIB);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(name, `${path} is not valid JSON: ${(error as Error).message}`);
  }
}
