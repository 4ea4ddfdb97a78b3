import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file completely or not at all: writes `<path>.new`, syncs it to
 * the disk, and renames it. Only this user can read it.
 *
 * @param beforeRename - the last moment to prevent it, by a rejection.
 * @returns the length in bytes.
 */
export async function replaceFile(
  path: string,
  chunks: Iterable<string>,
  beforeRename: () => Promise<void> = async () => {},
): Promise<number> {
  const temporary = `${path}.new`;
  let bytes = 0;
  try {
    await rm(temporary, { force: true });
    const file = await open(temporary, 'wx', 0o600);
    try {
      for (const chunk of chunks) bytes += await writeFully(file, Buffer.from(chunk));
      await file.sync();
    } finally {
      await file.close();
    }
    await beforeRename();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(path));
  return bytes;
}

/** Writes all bytes: one `write` may write a part of them. */
export async function writeFully(file: FileHandle, bytes: Uint8Array): Promise<number> {
  for (let written = 0; written < bytes.length; ) {
    written += (await file.write(bytes, written)).bytesWritten;
  }
  return bytes.length;
}

/** So that the new name survives a power cut. Not every system can sync a directory. */
async function syncDirectory(path: string): Promise<void> {
  try {
    const directory = await open(path, 'r');
    await directory.sync().finally(() => directory.close());
  } catch {
    // The content is on the disk, under one of the two names.
  }
}
