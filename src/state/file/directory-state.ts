import type { Clock } from '../../clock.js';
import { StateError } from '../../errors.js';
import {
  HANDLED,
  type Lease,
  type LeaseRequest,
  type RecallRequest,
  type Reservation,
  type ReservationRequest,
  type State,
} from '../port.js';
import { reserveUnderLease } from '../quotas.js';
import { DirectoryLock } from './directory-lock.js';
import { expiryIn, WallClockSteps } from './expiry.js';
import { FileValues } from './file-values.js';
import { Journal } from './journal.js';
import { fenceRecord, JournaledEntries, marksRecords } from './journaled-entries.js';
import type { JournalRecord } from './records.js';

/**
 * The state of one directory: values in files; quotas, fences and marks in
 * memory and in a journal.
 *
 * Each method changes the memory, and then waits until the journal has the
 * record. What it returns is on the disk, unless a comment says why not.
 */
export class DirectoryState implements State {
  readonly #directory: string;
  readonly #lock: DirectoryLock;
  readonly #onClose: () => void;
  readonly #entries = new JournaledEntries();
  readonly #values: FileValues;
  readonly #steps = new WallClockSteps();
  #opening: Promise<Journal> | undefined;
  #journal: Journal | undefined;
  /** The clock of the last call. */
  #clock: Clock | undefined;
  #isClosed = false;

  /** @throws {StateError} another live process has the directory, or it cannot be written to. */
  constructor(directory: string, onClose: () => void) {
    this.#directory = directory;
    this.#lock = DirectoryLock.acquire(directory);
    this.#onClose = onClose;
    this.#values = new FileValues(directory, () => this.#lock.throwIfLost());
  }

  /** False after the directory was removed, or taken over by another process. */
  isHeldNow(): boolean {
    return this.#lock.isHeldNow();
  }

  get(key: string, clock: Clock): Promise<string | undefined> {
    return this.#withJournal(clock, () => this.#values.get(key, clock));
  }

  set(key: string, value: string, forMs: number, clock: Clock): Promise<void> {
    return this.#withJournal(clock, () => this.#values.set(key, value, forMs, clock));
  }

  delete(key: string, expected: string | undefined, clock: Clock): Promise<void> {
    return this.#withJournal(clock, () => this.#values.delete(key, expected, clock));
  }

  reserve(key: string, request: ReservationRequest, clock: Clock): Promise<Reservation> {
    return this.#withJournal(clock, async (journal) => {
      const { quotas, leases } = this.#entries;
      const lastFence = leases.fenceOf(key);
      const reservation = reserveUnderLease(quotas, leases, key, request, clock);
      const fenceWritten = this.#writeFence(key, lastFence, request.lease?.holder, journal, clock);
      if (!reservation.granted) {
        await fenceWritten;
        return reservation;
      }
      const { id } = reservation;
      try {
        const slotWritten = journal.append({ kind: 'slot', key, id, ...expiryIn(request.holdMs, clock) });
        await Promise.all([slotWritten, fenceWritten]);
        return reservation;
      } catch (error) {
        quotas.settle(key, id, 0, clock.monotonic());
        throw error;
      }
    });
  }

  settle(key: string, id: string, freeInMs: number, clock: Clock): Promise<void> {
    return this.#withJournal(clock, async (journal) => {
      this.#entries.quotas.settle(key, id, freeInMs, clock.monotonic());
      // Without this record the slot is taken for longer than needed, never shorter.
      journal.note({ kind: 'slot', key, id, ...expiryIn(freeInMs, clock) });
    });
  }

  shut(key: string, forMs: number, clock: Clock): Promise<void> {
    return this.#withJournal(clock, async (journal) => {
      this.#entries.quotas.shut(key, forMs, clock.monotonic());
      await journal.append({ kind: 'shut', key, ...expiryIn(forMs, clock) });
    });
  }

  lease(key: string, request: LeaseRequest, clock: Clock): Promise<Lease> {
    return this.#withJournal(clock, async (journal) => {
      const { leases } = this.#entries;
      const lastFence = leases.fenceOf(key);
      const lease = leases.acquire(key, request, clock.monotonic(), clock.now());
      await this.#writeFence(key, lastFence, request.holder, journal, clock);
      return lease;
    });
  }

  release(key: string, holder: string, clock: Clock): Promise<void> {
    return this.#withJournal(clock, async () => this.#entries.leases.release(key, holder));
  }

  remember(key: string, ids: readonly string[], forMs: number, clock: Clock): Promise<void> {
    return this.#withJournal(clock, async (journal) => {
      this.#entries.marks.set(key, ids, HANDLED, forMs, clock.monotonic());
      await journal.append({ kind: 'marks', key, ids, mark: HANDLED, ...expiryIn(forMs, clock) });
    });
  }

  recall(key: string, ids: readonly string[], request: RecallRequest, clock: Clock): Promise<number[]> {
    return this.#withJournal(clock, async (journal) => {
      const { marks } = this.#entries;
      const counted = new Map<string, number>();
      const renewed = new Map<string, number>();
      const before = marks.recall(key, ids, request, clock.monotonic(), (id, mark, isCounted) => {
        (isCounted ? counted : renewed).set(id, mark);
      });
      // Without this record a mark ends sooner, and is renewed at the next redelivery.
      for (const record of marksRecords(key, renewed, request, clock)) journal.note(record);
      try {
        await appendAll(journal, marksRecords(key, counted, request, clock));
        return before;
      } catch (error) {
        // The caller makes no attempt: with each failed call, the events would be closer to their last one.
        marks.count(key, [...counted.keys()], -1, request.attemptedMs, clock.monotonic());
        throw error;
      }
    });
  }

  count(key: string, ids: readonly string[], by: 1 | -1, forMs: number, clock: Clock): Promise<number[]> {
    return this.#withJournal(clock, async (journal) => {
      const marks = this.#entries.marks.count(key, ids, by, forMs, clock.monotonic());
      const counted = new Map(ids.map((id, index) => [id, marks[index] ?? HANDLED]));
      for (const [id, mark] of counted) if (mark === HANDLED) counted.delete(id);
      await appendAll(journal, marksRecords(key, counted, { handledMs: 0, attemptedMs: forMs }, clock));
      return marks;
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose();
    try {
      await this.#values.idle();
      const journal = await this.#opening?.catch(() => undefined);
      await journal?.close();
    } finally {
      this.#lock.release();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A new fence is on the disk before a caller gets it. */
  async #writeFence(
    key: string,
    lastFence: number,
    holder: string | undefined,
    journal: Journal,
    clock: Clock,
  ): Promise<void> {
    const { leases } = this.#entries;
    const fence = leases.fenceOf(key);
    if (fence === lastFence || holder === undefined) return;
    try {
      await journal.append(fenceRecord(key, fence, clock));
    } catch (error) {
      // Otherwise the next call would get this fence as a renewal, and it would never be written.
      leases.release(key, holder);
      throw error;
    }
  }

  /** Runs `work` after the journal was read. Virtual time waits for it. */
  async #withJournal<T>(clock: Clock, work: (journal: Journal) => Promise<T>): Promise<T> {
    if (this.#isClosed) {
      throw new StateError(`fileState: ${this.#directory} is closed; call fileState() again to open it`);
    }
    // Before anything is changed: the directory may have been removed, and created again by another process.
    this.#lock.throwIfLostNow();
    const release = clock.hold?.();
    try {
      const journal = this.#journal ?? (await this.#open(clock));
      this.#clock = clock;
      if (this.#steps.happened(clock)) journal.rewrite();
      return await work(journal);
    } finally {
      release?.();
    }
  }

  #open(clock: Clock): Promise<Journal> {
    this.#opening ??= this.#openJournal(clock).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #openJournal(clock: Clock): Promise<Journal> {
    const journal = await Journal.open({
      directory: this.#directory,
      replay: (record) => this.#entries.restore(record, clock),
      records: () => this.#entries.records(this.#clock ?? clock),
      throwIfLost: () => this.#lock.throwIfLost(),
    });
    this.#journal = journal;
    await this.#values.sweep(clock).catch(() => {});
    return journal;
  }
}

async function appendAll(journal: Journal, records: readonly JournalRecord[]): Promise<void> {
  await Promise.all(records.map((record) => journal.append(record)));
}
