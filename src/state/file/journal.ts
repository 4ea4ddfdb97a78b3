import { join } from 'node:path';
import { nextTurn } from '../../async/next-turn.js';
import { StateError } from '../../errors.js';
import { dropSecondName, keepDamagedFile, warnOfDamage } from './damaged-file.js';
import { emitStateWarning, ignoreMissing, toStateError } from './errors.js';
import { JournalFile } from './journal-file.js';
import { encodeChunks, encodeLines } from './lines.js';
import { decodeRecord, isPartialRecord, type JournalRecord } from './records.js';

export interface JournalOptions {
  readonly directory: string;
  /** Is called at opening for every record that can be read, oldest first. */
  readonly replay: (record: JournalRecord) => void;
  /** Everything that has not expired, in the order in which it must be replayed. */
  readonly records: () => Iterable<JournalRecord>;
  /** Rejects if another process has taken the directory over. */
  readonly throwIfLost: () => Promise<void>;
}

interface Entry {
  readonly lines: string;
  readonly mustSync: boolean;
  readonly resolve: () => void;
  readonly reject: (error: StateError) => void;
}

/** Compact above this size, and then whenever the file has doubled since the last compaction. */
const MIN_COMPACTION_BYTES = 1_048_576;

/**
 * Records that are appended to one file, and are on the disk when the promise
 * of `append` resolves. Records of one turn of the event loop are written and
 * synced together, and so are those that arrive during a write.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #file: JournalFile;
  #compactAtBytes = MIN_COMPACTION_BYTES;
  #mustCompact = false;
  #queue: Entry[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;
  #hasWarnedOfGrowth = false;

  private constructor(options: JournalOptions) {
    this.#options = options;
    this.#file = new JournalFile(join(options.directory, 'journal'));
  }

  /** @throws {StateError} the file exists and cannot be read, or it cannot be written. */
  static async open(options: JournalOptions): Promise<Journal> {
    const journal = new Journal(options);
    try {
      await journal.#open();
      return journal;
    } catch (error) {
      throw toStateError('opening', options.directory, error);
    }
  }

  /** @throws {StateError} the record could not be written; a part of it may be on the disk. */
  append(record: JournalRecord): Promise<void> {
    return this.#add(record, true);
  }

  /**
   * Writes the record to the file after this turn of the event loop, and to the
   * disk with the next `append`. Only for records that may be lost: a process
   * that is killed later does not lose them, a power cut can. A record that cannot be written is left out.
   */
  note(record: JournalRecord): void {
    this.#add(record, false).catch(() => {});
  }

  /** Rewrites the journal before the next record, because the expiries in it are wrong. */
  rewrite(): void {
    this.#mustCompact = true;
  }

  async close(): Promise<void> {
    await this.#writing;
    this.#isClosed = true;
    // For the records of `note`, which may be lost.
    await this.#file.sync().catch(() => {});
    await this.#file.close();
  }

  #add(record: JournalRecord, mustSync: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ lines: encodeLines(record), mustSync, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async #open(): Promise<void> {
    const { path } = this.#file;
    // A process can have died after it gave a damaged journal its second name.
    await dropSecondName(path);
    const damagedLines = await this.#replay();
    const failure = damagedLines > 0 ? await keepDamagedFile(path) : undefined;
    await this.#tryToCompact();
    const isInUse = await dropSecondName(path);
    if (damagedLines > 0) warnOfDamage(path, damagedLines, isInUse ? 'it is still in use' : failure);
    await this.#file.create();
  }

  /** @returns the number of damaged lines. */
  async #replay(): Promise<number> {
    let damagedLines = 0;
    await this.#file.read((line) => {
      const record = line === undefined ? undefined : decodeRecord(line);
      if (record) this.#options.replay(record);
      else if (line !== '' && (line === undefined || !isPartialRecord(line))) damagedLines += 1;
    });
    return damagedLines;
  }

  async #writeAll(): Promise<void> {
    // Records of this turn of the event loop are written together, whichever promise they wait for.
    await nextTurn();
    while (this.#queue.length > 0) {
      if (this.#mustCompact || this.#file.bytes > this.#compactAtBytes) await this.#tryToCompact();
      const entries = this.#queue;
      this.#queue = [];
      try {
        const lines = entries.map((entry) => entry.lines).join('');
        await this.#write(
          lines,
          entries.some(({ mustSync }) => mustSync),
        );
        for (const { resolve } of entries) resolve();
      } catch (error) {
        const failure = toStateError('writing to', this.#options.directory, error);
        for (const { reject } of entries) reject(failure);
      }
    }
    this.#writing = undefined;
  }

  async #write(lines: string, mustSync: boolean): Promise<void> {
    if (this.#isClosed) throw new StateError(`fileState: ${this.#options.directory} is closed`);
    await this.#append(lines, mustSync);
    // The next record that is synced finds out whether this one is in the right file.
    if (!mustSync) return;
    // Checked after the write: a process that took the directory over before it has not read these records.
    await this.#options.throwIfLost();
    if (await this.#file.isInPlace()) return;
    const { path } = this.#file;
    emitStateWarning(`fileState: ${path} was removed or replaced while it was in use; it is written again`);
    await this.#compact();
    await this.#append(lines, true);
    if (await this.#file.isInPlace()) return;
    throw new StateError(
      `fileState: ${path} is removed or replaced again and again; stop the program that does it`,
    );
  }

  /** A missing file is written again with all records. */
  async #append(lines: string, mustSync: boolean): Promise<void> {
    await this.#file.append(lines, mustSync).catch(async (error: unknown) => {
      ignoreMissing(error);
      await this.#compact();
      await this.#file.append(lines, mustSync);
    });
  }

  /** Without space for a second file the journal stays as it is, and grows; it is not tried again for every record. */
  async #tryToCompact(): Promise<void> {
    try {
      await this.#compact();
    } catch (error) {
      this.#warnOfGrowth(error);
      this.#compactAtBytes = this.#file.bytes + MIN_COMPACTION_BYTES;
    }
    this.#mustCompact = false;
  }

  #warnOfGrowth(error: unknown): void {
    if (this.#hasWarnedOfGrowth || error instanceof StateError) return;
    this.#hasWarnedOfGrowth = true;
    const { message } = toStateError('rewriting the journal in', this.#options.directory, error);
    emitStateWarning(`${message}. The journal grows until this is fixed`);
  }

  /** Replaces the file by one without outdated records. */
  async #compact(): Promise<void> {
    await this.#file.replace(encodeChunks(this.#options.records()), this.#options.throwIfLost);
    this.#compactAtBytes = Math.max(MIN_COMPACTION_BYTES, 2 * this.#file.bytes);
  }
}
