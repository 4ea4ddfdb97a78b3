import type { Clock } from '../clock.js';
import type { State } from '../state/port.js';
import type { Entry } from './entry.js';

export interface HandledMarksOptions {
  readonly state: State;
  readonly stateKey: string;
  readonly clock: Clock;
}

/** Hears what became of a mark. */
export interface MarkOwner {
  /** Called when the state has the mark, or has refused it with `error`; memory keeps it then. */
  markTried(entry: Entry, error: unknown): void;
}

/** Handled events whose marks are to be written with one call. */
interface Batch {
  readonly entries: Entry[];
  readonly rememberMs: number;
  readonly owner: MarkOwner;
}

/**
 * A mark that is not written when its process is killed costs a second run of
 * its event's listeners, so no more than this many wait.
 */
export const MAX_WAITING_MARKS = 200;

/**
 * Writes the marks of handled events, many with one call of the state: those of
 * events that were handled in one turn of the event loop, or while the last call
 * was under way. All pollers of a client share it.
 */
export class HandledMarks {
  readonly #options: HandledMarksOptions;
  /** The last one still takes entries. */
  #waiting: Batch[] = [];
  #waitingEntries = 0;
  #isScheduled = false;
  /** The call under way. */
  #writing: Promise<void> | undefined;
  /** The events of that call. */
  #beingWritten: readonly Entry[] = [];
  /** Marks that the state did not take, and their lifetimes. */
  readonly #refused = new Map<string, number>();

  constructor(options: HandledMarksOptions) {
    this.#options = options;
  }

  /** Whether the next event must wait until marks are written. */
  get isFull(): boolean {
    return this.#waitingEntries >= MAX_WAITING_MARKS;
  }

  /** Whether the state has every mark. */
  get isEmpty(): boolean {
    return this.#waitingEntries === 0 && !this.#writing && this.#refused.size === 0;
  }

  /** Keys of handled events that the state does not have. */
  unwritten(): ReadonlySet<string> {
    const keys = new Set<string>();
    for (const { key } of this.#beingWritten) keys.add(key);
    for (const { entries } of this.#waiting) for (const { key } of entries) keys.add(key);
    for (const key of this.#refused.keys()) keys.add(key);
    return keys;
  }

  add(entry: Entry, rememberMs: number, owner: MarkOwner): void {
    const last = this.#waiting.at(-1);
    if (last?.owner === owner && last.rememberMs === rememberMs) last.entries.push(entry);
    else this.#waiting.push({ entries: [entry], rememberMs, owner });
    this.#waitingEntries += 1;
    if (this.isFull) this.#write();
    else if (!this.#isScheduled) {
      this.#isScheduled = true;
      queueMicrotask(() => {
        this.#isScheduled = false;
        this.#write();
      });
    }
  }

  /** Resolves when every mark so far was tried; undefined if there is nothing to wait for. */
  flush(): Promise<void> | undefined {
    this.#write();
    return this.#writing;
  }

  /**
   * Tries once more to write what the state has refused.
   *
   * @throws the state's error.
   */
  writeRefused(): void | Promise<void> {
    if (this.#refused.size === 0) return undefined;
    const keys = [...this.#refused.keys()];
    const rememberMs = Math.max(...this.#refused.values());
    const written = () => {
      for (const key of keys) this.#refused.delete(key);
    };
    const pending = this.#mark(keys, rememberMs);
    return pending instanceof Promise ? pending.then(written) : written();
  }

  /** Like `writeRefused`, and gives up if the state refuses them again. */
  async tryRefused(): Promise<void> {
    try {
      await this.writeRefused();
    } catch {
      // Reported when it was refused for the first time.
    }
  }

  /** Writes one batch after another. */
  #write(): void {
    while (!this.#writing) {
      const batch = this.#waiting.shift();
      if (!batch) return;
      this.#waitingEntries -= batch.entries.length;
      this.#writeBatch(batch);
    }
  }

  #writeBatch(batch: Batch): void {
    const { entries, rememberMs } = batch;
    const keys = entries.map(({ key }) => key);
    const refused = (error: unknown) => {
      for (const key of keys) this.#refused.set(key, rememberMs);
      this.#tried(batch, error ?? new Error('no reason given'));
    };
    try {
      const pending = this.#mark(keys, rememberMs);
      if (pending instanceof Promise) {
        this.#beingWritten = entries;
        this.#writing = pending.then(() => this.#tried(batch, undefined), refused);
        return;
      }
    } catch (error) {
      refused(error);
      return;
    }
    this.#tried(batch, undefined);
  }

  #tried({ entries, owner }: Batch, error: unknown): void {
    this.#beingWritten = [];
    this.#writing = undefined;
    for (const entry of entries) owner.markTried(entry, error);
    this.#write();
  }

  #mark(keys: readonly string[], rememberMs: number): void | Promise<void> {
    const { state, stateKey, clock } = this.#options;
    return state.mark(stateKey, keys, { handled: true, forMs: rememberMs }, clock);
  }
}
