import { closeSync, openSync, readSync } from 'node:fs';
import { ConfigurationError } from '../errors.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory; check the path',
  ENOTDIR: 'there is no such file or directory; check the path',
  EACCES: 'this user may not open it; change its permissions, or name another file',
  EPERM: 'this user may not open it; change its permissions, or name another file',
  EISDIR: 'it is a directory; name a file in it',
  EROFS: 'its file system is read-only; name another file',
  ENOSPC: 'the disk is full; make room, or name another file',
};

/** Why a file could not be opened, in words and with a remedy. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ''] ?? message;
}

/**
 * The text of a file that an option or a variable names; also of a pipe (`<(command)`).
 *
 * @throws {ConfigurationError} it cannot be read, or is larger than `maxBytes`.
 */
export function readFile(name: string, path: string, maxBytes: number): string {
  const buffer = Buffer.alloc(Math.min(maxBytes + 1, 1024 * 1024));
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
    throw new ConfigurationError(name, `${path} cannot be read: ${reasonOf(error)}`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
  if (size > maxBytes) {
    const unit = maxBytes < 1024 * 1024 ? `${maxBytes / 1024} KiB` : `${maxBytes / 1024 / 1024} MiB`;
    throw new ConfigurationError(name, `${path} is larger than ${unit}; name the right file`);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * A JSON document of a file.
 *
 * @throws {ConfigurationError} it cannot be read, or is not JSON.
 */
export function readJsonFile(name: string, path: string): unknown {
  const text = readFile(name, path, 256 * 1024 * 1024);
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new ConfigurationError(name, `${path} cannot be read as JSON: ${(error as Error).message}`);
  }
}
