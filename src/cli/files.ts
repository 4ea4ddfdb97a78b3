import { closeSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';
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

function describeFileError(error: unknown): string {
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

/**
 * Writes a text file.
 *
 * @param option - the option that names the file, for the error.
 * @param flag - `a`: only checks that it can be written, if the text is empty.
 */
export function writeFile(option: string, path: string, text: string, flag: 'a' | 'w' = 'w'): void {
  attempt(option, path, () => writeFileSync(path, text, { flag }));
}

/** As `writeFile`; a failure leaves the file as it was. */
export function replaceFile(option: string, path: string, text: string): void {
  attempt(option, path, () => {
    writeFileSync(`${path}.part`, text);
    renameSync(`${path}.part`, path);
  });
}

function attempt(option: string, path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new ConfigurationError(option, `${path} cannot be written: ${describeFileError(error)}`);
  }
}
