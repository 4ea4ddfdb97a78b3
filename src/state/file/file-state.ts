import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.js';
import { ConfigurationError, StateError } from '../../errors.js';
import { Leases } from '../leases.js';
import { groupByMark, type MarkedIds, Marks } from '../marks.js';
import {
  HANDLED,
  type Lease,
  type LeaseRequest,
  type MarkLifetimes,
  type MaybePromise,
  type Reservation,
  type ReservationRequest,
  type State,
} from '../port.js';
import { Quotas, reserveUnderLease } from '../quotas.js';
import { prepareDirectory } from './directory.js';
import { fileFailure } from './failure.js';
import { Journal } from './journal.js';
import { DirectoryLock } from './lock.js';
import { type JournalRecord, remainingMs } from './records.js';
import { FileValues } from './values.js';

/** State in a directory, which is this process's until it is closed or the process ends. */
export interface FileState extends State {
  /** Writes what is under way and gives the directory back, for all who use it in this process. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Every copy of this package in a process finds the states of the others here. */
const OPEN = Symbol.for('opendelivery-client.fileState');

const FENCE_MS = 10 * 365 * 86_400_000;

/** More than clocks are slewed by between two calls: the wall clock was put, or the machine slept. */
const STEP_MS = 1000;

/**
 * State that survives a restart, a crash and a power cut: tokens, quotas,
 * handled events and the menu in the files of one directory. What was promised
 * is on the disk before it is promised.
 *
 * One process has the directory at a time; two clients of a process that name
 * the same directory share it. It is for a disk of this machine: on a network
 * file system nothing is promised, take `redisState` there.
 *
 * What is found damaged is survived and reported by `process.emitWarning`, with
 * the code `OPENDELIVERY_STATE`.
 *
 * @param dir - a directory of its own, made (0700) where there is none.
 * @throws {StateError} another live process has the directory, other users can
 * write to it, or this one cannot.
 * @throws {ConfigurationError} `dir` is no path.
 */
export function fileState(dir: string): FileState {
  if (typeof dir !== 'string' || dir === '' || dir.includes('\0')) {
    throw new ConfigurationError('dir', "must be the path of a directory such as './hub-state'");
  }
  const directory = prepare(dir);
  const states = openStates();
  const open = states.get(directory);
  if (open?.isHeldNow()) return open;
  // Its directory was removed, or taken over.
  void open?.close().catch(() => {});
  const state = new DirectoryState(directory, () => {
    if (states.get(directory) === state) states.delete(directory);
  });
  states.set(directory, state);
  return state;
}

/** Quotas and handled ids in memory and in a journal, values in files. */
class DirectoryState implements FileState {
  readonly #directory: string;
  readonly #lock: DirectoryLock;
  readonly #onClose: () => void;
  // Ids of an earlier run are still about.
  readonly #quotas = new Quotas(`${randomUUID()}:`);
  // One process has the directory, so its leases end with it; only their fences have to outlive it.
  readonly #leases = new Leases();
  readonly #marks = new Marks();
  readonly #values: FileValues;
  #opening: Promise<Journal> | undefined;
  #journal: Journal | undefined;
  #clock: Clock | undefined;
  #offsetMs: number | undefined;
  #isClosed = false;

  constructor(directory: string, onClose: () => void) {
    this.#directory = directory;
    this.#lock = DirectoryLock.acquire(directory);
    this.#onClose = onClose;
    this.#values = new FileValues(directory, () => this.#lock.throwIfLost());
  }

  isHeldNow(): boolean {
    return this.#lock.isHeldNow();
  }

  get(key: string, clock: Clock): Promise<string | undefined> {
    return this.#ready(clock, () => this.#values.get(key, clock));
  }

  set(key: string, value: string, forMs: number, clock: Clock): Promise<void> {
    return this.#ready(clock, () => this.#values.set(key, value, forMs, clock));
  }

  delete(key: string, expected: string | undefined, clock: Clock): Promise<void> {
    return this.#ready(clock, () => this.#values.delete(key, expected, clock));
  }

  reserve(key: string, request: ReservationRequest, clock: Clock): Promise<Reservation> {
    return this.#ready(clock, async (journal) => {
      const before = this.#leases.fenceOf(key);
      const answer = reserveUnderLease(this.#quotas, this.#leases, key, request, clock);
      const fenced = this.#keepFence(key, before, request.lease?.holder, journal, clock);
      if (!answer.granted) {
        await fenced;
        return answer;
      }
      const { id } = answer;
      try {
        const slot = journal.append({ kind: 'slot', key, id, ...lasting(request.holdMs, clock) });
        await Promise.all([slot, fenced]);
        return answer;
      } catch (error) {
        this.#quotas.settle(key, id, 0, clock.monotonic());
        throw error;
      }
    });
  }

  settle(key: string, id: string, freeInMs: number, clock: Clock): MaybePromise<void> {
    return this.#ready(clock, async (journal) => {
      this.#quotas.settle(key, id, freeInMs, clock.monotonic());
      // Not waited for: without it the slot is taken for longer than needed, never shorter.
      journal.append({ kind: 'slot', key, id, ...lasting(freeInMs, clock) }).catch(() => {});
    });
  }

  shut(key: string, forMs: number, clock: Clock): Promise<void> {
    return this.#ready(clock, async (journal) => {
      this.#quotas.shut(key, forMs, clock.monotonic());
      await journal.append({ kind: 'shut', key, ...lasting(forMs, clock) });
    });
  }

  lease(key: string, request: LeaseRequest, clock: Clock): Promise<Lease> {
    return this.#ready(clock, async (journal) => {
      const before = this.#leases.fenceOf(key);
      const answer = this.#leases.acquire(key, request, clock.monotonic(), clock.now());
      await this.#keepFence(key, before, request.holder, journal, clock);
      return answer;
    });
  }

  release(key: string, holder: string, clock: Clock): Promise<void> {
    return this.#ready(clock, async () => this.#leases.release(key, holder));
  }

  remember(key: string, ids: readonly string[], forMs: number, clock: Clock): Promise<void> {
    return this.#ready(clock, async (journal) => {
      this.#marks.set(key, ids, HANDLED, forMs, clock.monotonic());
      await this.#keepMarks(journal, { key, ids, mark: HANDLED, forMs }, clock);
    });
  }

  recall(key: string, ids: readonly string[], lifetimes: MarkLifetimes, clock: Clock): Promise<number[]> {
    return this.#ready(clock, async (journal) => {
      const now = clock.monotonic();
      const renewed = this.#marks.renew(key, ids, lifetimes, now);
      // Not waited for: without it a mark ends sooner, and is renewed at the next redelivery.
      for (const marked of renewed) this.#keepMarks(journal, marked, clock).catch(() => {});
      return this.#marks.get(key, ids, now);
    });
  }

  count(key: string, ids: readonly string[], by: 1 | -1, forMs: number, clock: Clock): Promise<number[]> {
    return this.#ready(clock, async (journal) => {
      const marks = this.#marks.count(key, ids, by, forMs, clock.monotonic());
      const counted = groupByMark(key, ids, marks, forMs).filter(({ mark }) => mark !== HANDLED);
      await Promise.all(counted.map((marked) => this.#keepMarks(journal, marked, clock)));
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

  /** A new fence is on the disk before anybody sees it. */
  async #keepFence(
    key: string,
    before: number,
    holder: string | undefined,
    journal: Journal,
    clock: Clock,
  ): Promise<void> {
    const fence = this.#leases.fenceOf(key);
    if (fence === before || holder === undefined) return;
    try {
      await journal.append(fenceRecord(key, fence, clock));
    } catch (error) {
      // Or the next try would be granted this fence without writing it.
      this.#leases.release(key, holder);
      throw error;
    }
  }

  #keepMarks(journal: Journal, { key, ids, mark, forMs }: MarkedIds, clock: Clock): Promise<void> {
    return journal.append({ kind: 'marks', key, ids, mark, ...lasting(mark === 0 ? 0 : forMs, clock) });
  }

  /** Does it when the journal is read; time that is held waits for it. */
  async #ready<T>(clock: Clock, work: (journal: Journal) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new StateError(`fileState: ${this.#directory} is closed; open it anew`);
    // Before anything is changed: the directory may have been removed, and made again by another process.
    this.#lock.throwIfLostNow();
    const release = clock.hold?.();
    try {
      const journal = this.#journal ?? (await this.#open(clock));
      this.#heedSteps(clock, journal);
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
    this.#clock = clock;
    const journal = await Journal.open({
      directory: this.#directory,
      replay: (record) => this.#replay(record, clock),
      kept: () => this.#kept(this.#clock ?? clock),
      throwIfLost: () => this.#lock.throwIfLost(),
    });
    this.#journal = journal;
    await this.#values.sweep(clock).catch(() => {});
    return journal;
  }

  #replay(record: JournalRecord, clock: Clock): void {
    const { key } = record;
    const forMs = remainingMs(record, clock.now());
    const now = clock.monotonic();
    if (record.kind === 'slot') this.#quotas.settle(key, record.id, forMs, now);
    else if (record.kind === 'shut') this.#quotas.shut(key, forMs, now);
    else if (record.kind === 'fence') this.#leases.restore(key, record.fence);
    else this.#marks.set(key, record.ids, record.mark, forMs, now);
  }

  *#kept(clock: Clock): Generator<JournalRecord> {
    const now = clock.monotonic();
    const wall = clock.now();
    for (const held of this.#quotas.held(now)) yield { ...held, until: wall + held.forMs };
    for (const { key, fence } of this.#leases.fences()) yield fenceRecord(key, fence, clock);
    for (const marked of this.#marks.all(now)) {
      yield { kind: 'marks', ...marked, until: wall + marked.forMs };
    }
  }

  /** What is written is dated by the wall clock: when that was put, all of it is dated anew. */
  #heedSteps(clock: Clock, journal: Journal): void {
    const offsetMs = clock.now() - clock.monotonic();
    const isSame = this.#clock === clock && this.#offsetMs !== undefined;
    if (isSame && Math.abs(offsetMs - (this.#offsetMs ?? 0)) > STEP_MS) journal.renew();
    this.#clock = clock;
    this.#offsetMs = offsetMs;
  }
}

/** Fences are never forgotten: a smaller one would let a suspended process write again. */
function fenceRecord(key: string, fence: number, clock: Clock): JournalRecord {
  return { kind: 'fence', key, fence, ...lasting(FENCE_MS, clock) };
}

function lasting(forMs: number, clock: Clock): { until: number; forMs: number } {
  return { until: clock.now() + forMs, forMs };
}

function prepare(dir: string): string {
  try {
    return prepareDirectory(dir);
  } catch (error) {
    throw fileFailure('making', dir, error);
  }
}

function openStates(): Map<string, DirectoryState> {
  const shared = globalThis as { [OPEN]?: Map<string, DirectoryState> };
  shared[OPEN] ??= new Map();
  return shared[OPEN];
}
