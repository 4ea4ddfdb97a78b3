import { copyFile, type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StateError } from '../errors.js';
import { codeOf, fileFailure } from './file-failure.js';
import { decodeRecord, encodeRecord, type JournalRecord } from './file-records.js';
import { replaceFile, writeFully } from './file-replace.js';

export interface JournalOptions {
  readonly directory: string;
  /** Called at opening for every record that can be read, oldest first. */
  readonly replay: (record: JournalRecord) => void;
  /** All that is worth keeping, in the order in which it is to be replayed. */
  readonly kept: () => Iterable<JournalRecord>;
  /** Whether the directory is still this process's. */
  readonly isHeld: () => Promise<boolean>;
}

interface Entry {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (error: StateError) => void;
}

/** A journal below this size is not worth writing anew; above it, one of twice what was kept is. */
const MIN_COMPACTION_BYTES = 1_048_576;

const CHUNK_CHARACTERS = 65_536;

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
      this.#queue.push({ text: encodeRecord(record), resolve, reject });
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
    const { replay } = this.#options;
    const content = await readFile(this.#path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return Buffer.alloc(0);
      throw error;
    });
    let isDamaged = false;
    for (const { line, isWhole } of linesOf(content)) {
      const record = decodeRecord(line);
      if (record) replay(record);
      // The last one broke off when the process died; any other is a mishap of another kind.
      else if (isWhole && line !== '') isDamaged = true;
    }
    if (isDamaged) await copyFile(this.#path, `${this.#path}.damaged`).catch(() => {});
    this.#bytes = content.length;
    this.#isTorn = true;
    // Without room for a second file the first one goes on.
    await this.#compactOrGoOn();
    this.#file ??= await open(this.#path, 'a', 0o600);
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
    this.#file ??= await open(this.#path, 'a', 0o600);
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    try {
      this.#bytes += await writeFully(this.#file, bytes);
      await this.#file.datasync();
      this.#isTorn = false;
    } catch (error) {
      this.#isTorn = true;
      throw error;
    }
    // Looked at after the write: what another process took over before it did not see this record.
    await this.#throwIfLost();
  }

  async #throwIfLost(): Promise<void> {
    const { directory, isHeld } = this.#options;
    if (await isHeld()) return;
    throw new StateError(
      `fileState: ${directory} was taken over by another process, or removed; end this one, or give it another directory`,
    );
  }

  async #compactOrGoOn(): Promise<void> {
    try {
      await this.#compact();
    } catch {
      // As good as before, only larger; not tried again at every record.
      this.#compactAtBytes = this.#bytes + MIN_COMPACTION_BYTES;
    }
    this.#mustCompact = false;
  }

  async #compact(): Promise<void> {
    const bytes = await replaceFile(this.#path, chunksOf(this.#options.kept()), async () => {
      await this.#throwIfLost();
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

function* linesOf(content: Buffer): Generator<{ line: string; isWhole: boolean }> {
  for (let from = 0; from < content.length; ) {
    const end = content.indexOf(0x0a, from);
    const isWhole = end !== -1;
    const to = isWhole ? end : content.length;
    yield { line: content.toString('utf8', from, to), isWhole };
    from = to + 1;
  }
}

function* chunksOf(records: Iterable<JournalRecord>): Generator<string> {
  let chunk = '';
  for (const record of records) {
    chunk += encodeRecord(record);
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk) yield chunk;
}
