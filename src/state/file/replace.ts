import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Puts a file in the place of another, whole or not at all: written beside it,
 * on the disk before it gets its name, readable by this user only.
 *
 * @param beforeRename - the last moment to think better of it.
 * @returns its length in bytes.
 */
export async function replaceFile(
  path: string,
  chunks: Iterable<string>,
  beforeRename: () => Promise<void> = async () => {},
): Promise<number> {
  const beside = `${path}.new`;
  let bytes = 0;
  try {
    await rm(beside, { force: true });
    const file = await open(beside, 'wx', 0o600);
    try {
      for (const chunk of chunks) bytes += await writeFully(file, Buffer.from(chunk));
      await file.sync();
    } finally {
      await file.close();
    }
    await beforeRename();
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(path));
  return bytes;
}

export async function writeFully(file: FileHandle, bytes: Uint8Array): Promise<number> {
  for (let written = 0; written < bytes.length; ) {
    written += (await file.write(bytes, written)).bytesWritten;
  }
  return bytes.length;
}

/** So that the file keeps its new name through a power cut; not every system can. */
async function syncDirectory(path: string): Promise<void> {
  try {
    const directory = await open(path, 'r');
    await directory.sync().finally(() => directory.close());
  } catch {
    // The content is on the disk under one of the two names.
  }
}
