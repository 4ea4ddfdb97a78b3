import { constants } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { ignoreMissing } from './errors.js';
import { readLines } from './lines.js';
import { isSameFile, openOwnFile } from './own-file.js';
import { replaceFile, writeFully } from './replace-file.js';

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT } = constants;

/** The journal's file: read once, then appended to, and replaced when `Journal` decides so. */
export class JournalFile {
  readonly path: string;
  #file: FileHandle | undefined;
  #bytes = 0;
  /** Whether the file may end in the middle of a line. */
  #mayBeTorn = true;
  #isSynced = true;

  constructor(path: string) {
    this.path = path;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Reads all lines; a missing file has no lines. */
  async read(onLine: (line: string | undefined) => void): Promise<void> {
    const file = await openOwnFile(this.path, O_RDONLY).catch(ignoreMissing);
    if (!file) return;
    try {
      this.#bytes = await readLines(file, onLine);
    } finally {
      await file.close();
    }
  }

  /** Creates the file if it does not exist, and opens it. */
  async create(): Promise<void> {
    this.#file ??= await openOwnFile(this.path, O_WRONLY | O_APPEND | O_CREAT);
  }

  /**
   * Writes the lines to the file, and with `mustSync` everything in it to the disk.
   *
   * @throws the system's ENOENT if the file was removed. It is not created
   * again here, because an empty file would lack the earlier records.
   */
  async append(lines: string, mustSync: boolean): Promise<void> {
    this.#file ??= await openOwnFile(this.path, O_WRONLY | O_APPEND);
    const bytes = Buffer.from(this.#mayBeTorn ? `\n${lines}` : lines);
    this.#mayBeTorn = true;
    this.#bytes += await writeFully(this.#file, bytes);
    this.#isSynced = false;
    if (mustSync) await this.sync();
    this.#mayBeTorn = false;
  }

  /** Writes to the disk what was appended without that. */
  async sync(): Promise<void> {
    if (this.#isSynced) return;
    await this.#file?.datasync();
    this.#isSynced = true;
  }

  /** Puts a new file in the place of this one, which is then closed. */
  async replace(chunks: Iterable<string>, beforeRename: () => Promise<void>): Promise<void> {
    this.#bytes = await replaceFile(this.path, chunks, async () => {
      await beforeRename();
      // Not every system can replace an open file.
      await this.close();
    });
    this.#mayBeTorn = false;
  }

  /** Whether the next process will read the file that was written to. */
  async isInPlace(): Promise<boolean> {
    const named = await lstat(this.path, { bigint: true }).catch(ignoreMissing);
    return isSameFile(named, await this.#file?.stat({ bigint: true }));
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}
