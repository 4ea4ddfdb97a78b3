import { constants } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError } from '../../errors.js';
import { dropAside, isBrokenOff, keepAside, reportDamage } from './damage.js';
import { codeOf, fileFailure, warnOfState } from './failure.js';
import { chunksOf, linesOf, readLines } from './lines.js';
import { decodeRecord, type JournalRecord } from './records.js';
import { replaceFile, writeFully } from './replace.js';
import { openOwnFile } from './safety.js';

export interface JournalOptions {
  readonly directory: string;
  /** Called at opening for every record that can be read, oldest first. */
  readonly replay: (record: JournalRecord) => void;
  /** All that is worth keeping, in the order in which it is to be replayed. */
  readonly kept: () => Iterable<JournalRecord>;
  /** Rejects when the directory is another process's by now. */
  readonly throwIfLost: () => Promise<void>;
}

interface Entry {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (error: StateError) => void;
}

/** A journal below this size is not worth writing anew; above it, one of twice what was kept is. */
const MIN_COMPACTION_BYTES = 1_048_576;

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT } = constants;

/**
 * Records appended to one file, on the disk when their promise resolves.
 *
 * What was queued while a write was under way goes out together with the next.
 * When half of the file is outdated it is written anew beside and put in its
 * place.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #path: string;
  #file: FileHandle | undefined;
  #bytes = 0;
  #compactAtBytes = MIN_COMPACTION_BYTES;
  #mustCompact = false;
  /** The last write broke off, maybe in the middle of a line. */
  #isTorn = false;
  #queue: Entry[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #isGrowthReported = false;

  private constructor(options: JournalOptions) {
    this.#options = options;
    this.#path = join(options.directory, 'journal');
  }

  /** @throws {StateError} the journal is there and cannot be read, or cannot be written. */
  static async open(options: JournalOptions): Promise<Journal> {
    const journal = new Journal(options);
    try {
      await journal.#open();
      return journal;
    } catch (error) {
      throw fileFailure('opening', options.directory, error);
    }
  }

  /** @throws {StateError} it could not be written; a part of it may be on the disk all the same. */
  append(record: JournalRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ text: linesOf(record), resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Has the journal written anew before the next record: what it holds is dated wrongly. */
  renew(): void {
    this.#mustCompact = true;
  }

  async close(): Promise<void> {
    await this.#writing;
    this.#isClosed = true;
    await this.#file?.close();
  }

  async #open(): Promise<void> {
    // Left by a process that died between the two steps of putting a damaged journal aside.
    await dropAside(this.#path);
    const damagedLines = await this.#read();
    const failure = damagedLines > 0 ? await keepAside(this.#path) : undefined;
    this.#isTorn = true;
    // Without room for a second file the first one goes on.
    await this.#compactOrGoOn();
    const isUnchanged = await dropAside(this.#path);
    if (damagedLines > 0)
      reportDamage(this.#path, damagedLines, isUnchanged ? 'it is still in use' : failure);
    this.#file ??= await openOwnFile(this.#path, O_WRONLY | O_APPEND | O_CREAT);
  }

  /** @returns how many lines are damaged. */
  async #read(): Promise<number> {
    const file = await openOwnFile(this.#path, O_RDONLY).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
    if (!file) return 0;
    let damagedLines = 0;
    try {
      this.#bytes = await readLines(file, (line) => {
        const record = line === undefined ? undefined : decodeRecord(line);
        if (record) this.#options.replay(record);
        else if (line !== '' && (line === undefined || !isBrokenOff(line))) damagedLines += 1;
      });
    } finally {
      await file.close();
    }
    return damagedLines;
  }

  async #writeAll(): Promise<void> {
    // Whoever comes in the same turn goes along.
    await null;
    while (this.#queue.length > 0) {
      if (this.#mustCompact || this.#bytes > this.#compactAtBytes) await this.#compactOrGoOn();
      const entries = this.#queue;
      this.#queue = [];
      try {
        await this.#write(entries.map(({ text }) => text).join(''));
        for (const { resolve } of entries) resolve();
      } catch (error) {
        const failure = fileFailure('writing to', this.#options.directory, error);
        for (const { reject } of entries) reject(failure);
      }
    }
    this.#writing = undefined;
  }

  async #write(text: string): Promise<void> {
    if (this.#isClosed) throw new StateError(`fileState: ${this.#options.directory} is closed`);
    await this.#append(text);
    // Looked at after the write: what another process took over before it did not see this record.
    await this.#options.throwIfLost();
    if (await this.#isInPlace()) return;
    warnOfState(`fileState: ${this.#path} was removed or replaced while it was in use; it is written anew`);
    await this.#compact();
    await this.#append(text);
    if (await this.#isInPlace()) return;
    throw new StateError(
      `fileState: ${this.#path} is removed or replaced again and again; end what does that`,
    );
  }

  async #append(text: string): Promise<void> {
    this.#file ??= await this.#reopen();
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    try {
      this.#bytes += await writeFully(this.#file, bytes);
      await this.#file.datasync();
      this.#isTorn = false;
    } catch (error) {
      this.#isTorn = true;
      throw error;
    }
  }

  /** Where the file is gone it is not made again empty, but of all that is known. */
  async #reopen(): Promise<FileHandle> {
    const flags = O_WRONLY | O_APPEND;
    return openOwnFile(this.#path, flags).catch(async (error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      await this.#compact();
      return openOwnFile(this.#path, flags);
    });
  }

  /** Whether what was written is in the file that the next process will read. */
  async #isInPlace(): Promise<boolean> {
    const named = await lstat(this.#path, { bigint: true }).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
    const written = await this.#file?.stat({ bigint: true });
    return named !== undefined && named.ino === written?.ino && named.dev === written.dev;
  }

  async #compactOrGoOn(): Promise<void> {
    try {
      await this.#compact();
    } catch (error) {
      this.#reportGrowth(error);
      // As good as before, only larger; not tried again at every record.
      this.#compactAtBytes = this.#bytes + MIN_COMPACTION_BYTES;
    }
    this.#mustCompact = false;
  }

  #reportGrowth(error: unknown): void {
    if (this.#isGrowthReported || error instanceof StateError) return;
    this.#isGrowthReported = true;
    const { message } = fileFailure('rewriting the journal in', this.#options.directory, error);
    warnOfState(`${message}. Until then it grows`);
  }

  async #compact(): Promise<void> {
    const bytes = await replaceFile(this.#path, chunksOf(this.#options.kept()), async () => {
      await this.#options.throwIfLost();
      // Not every system puts a file in the place of an open one.
      const old = this.#file;
      this.#file = undefined;
      await old?.close();
    });
    this.#bytes = bytes;
    this.#compactAtBytes = Math.max(MIN_COMPACTION_BYTES, 2 * bytes);
    this.#isTorn = false;
  }
}
