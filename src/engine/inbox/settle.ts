import { ConfigurationError, LeaseLostError } from '../../errors/index.js';
import type { Commit, Outbox } from '../../inbox/inbox.js';
import type { Committed } from '../../inbox/tables.js';
import { startTimer } from '../../time/clock.js';
import { ListenerContext } from '../context.js';
import { retryAtOf } from '../due.js';
import { type Engine, reportError } from '../engine.js';
import type { Handling, Settling } from '../handling.js';
import { IterationEnded } from '../iterate.js';
import { acquireLease, hasLease } from '../lease.js';
import { reportFailed } from '../report-events.js';
import type { Run } from '../run.js';
import type { OpenEvent, Store } from '../store.js';
import {
  addToRunOnce,
  forgetWork,
  inTables,
  ownerOf,
  partsOf,
  storedNameOf,
  type TableStep,
  type Work,
} from './record.js';

/** Handled events of which this many are written with one statement, and how long the first one waits for others. */
const WRITTEN_TOGETHER = 100;
const WRITE_AFTER_MS = 50;

const CALLED_TWICE = 'was called before for this event; one call commits all';
const CALLED_LATE = 'was called after its listener had ended; return its promise';

/** What is handled under one lease of the store. */
export interface Term extends Handling {
  readonly settler: InboxSettler;
  readonly work: Work;
}

/** What becomes of the events that a process has claimed with one lease. */
export class InboxSettler implements Settling {
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #work: Work;
  readonly owner: string;
  #handled: OpenEvent[] = [];
  #writing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(engine: Engine, store: Store, work: Work) {
    this.#engine = engine;
    this.#store = store;
    this.#work = work;
    this.owner = ownerOf(engine, store);
  }

  /** All listeners have resolved. A committed event is handled already; of others, those of one moment are written together. */
  handled(open: OpenEvent): void {
    this.#store.handled += 1;
    if (this.#work.lastFailed?.key === open.key) this.#work.lastFailed = undefined;
    if (open.isMarked) this.#drop(open);
    else this.mark(open);
  }

  /** Nothing is left to do for it. */
  mark(open: OpenEvent): void {
    open.status = 'handled';
    this.#handled.push(open);
    // Without a lane, nobody else would write the last ones.
    const { lanes } = this.#work;
    if (lanes === 0 || this.#handled.length >= WRITTEN_TOGETHER) this.#startWriting();
    else
      this.#cancelTimer ??= startTimer(this.#engine.services.clock, WRITE_AFTER_MS, () =>
        this.#startWriting(),
      );
  }

  #startWriting(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#writing ??= this.#writeHandled().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when what is handled so far is written, or was tried. */
  async written(): Promise<void> {
    if (this.#handled.length > 0) this.#startWriting();
    while (this.#writing) await this.#writing;
  }

  async #writeHandled(): Promise<void> {
    while (this.#handled.length > 0) {
      const events = this.#handled;
      this.#handled = [];
      await this.#write(async () => {
        const keys = events.map(({ key }) => key);
        await this.#inTables((tables, key, now) => tables.handled(key, keys, this.owner, now));
        for (const open of events) this.#drop(open);
      });
    }
  }

  /**
   * Its listener has failed.
   *
   * @returns whether the later events of the order may follow: it is dead, or it is committed and failed after that.
   */
  async failed(run: Run, error: unknown): Promise<boolean> {
    const { open, attempt } = run;
    const { options, services } = this.#engine;
    const isReported = !run.isOwnAbort(error);
    if (open.isMarked) {
      if (isReported) reportFailed(this.#engine, this.#store, open, error, attempt);
      this.handled(open);
      return true;
    }
    if (error instanceof IterationEnded) {
      // As if it had not been tried: the loop that comes next gets it.
      open.counted = 'ahead';
      await this.release([open]);
      return false;
    }
    const isDead = open.attempts >= options.maxAttempts;
    const now = services.clock.monotonic();
    Object.assign(open, { status: 'failed', error, failedAt: now });
    const waitMs = retryAtOf(open, options, now, now) - now;
    this.#work.lastFailed = open;
    // What was given up is in the report already.
    if (!run.isGivenUp) addToRunOnce(this.#store, open, error);
    if (isReported) reportFailed(this.#engine, this.#store, open, error, attempt);
    let isOurs = true;
    await this.#write(async () => {
      const change = { owner: this.owner, error: storedNameOf(error), isDead };
      isOurs = await this.#inTables((tables, key, wallNow) =>
        tables.failed(key, open.key, { ...change, now: wallNow, dueAt: wallNow + waitMs }),
      );
      // Its commit was carried out and only the answer was lost, or another process has claimed it.
      if (!isOurs && this.#work.lastFailed === open) this.#work.lastFailed = undefined;
      this.#drop(open);
    });
    if (isDead && isOurs) this.callDeadLetter(run);
    return isDead;
  }

  /** Dead-letter listeners observe: the event is kept, whatever they do. */
  callDeadLetter(run: Run): void {
    const { event, attempts, error } = run.open;
    const { listeners } = this.#engine;
    for (const registration of listeners.deadLetter().registrations) {
      if (registration.once) listeners.end(registration, true);
      const failed = (thrown: unknown) => reportError(this.#engine, this.#store, thrown);
      try {
        const call = registration.listener as (letter: object, context: object) => unknown;
        Promise.resolve(call({ event, attempts, error }, new ListenerContext(run))).catch(failed);
      } catch (thrown) {
        failed(thrown);
      }
    }
  }

  /** Gives claimed events back that were not tried. */
  async release(events: readonly OpenEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.#write(async () => {
      const rows = events.map((open) => ({ key: open.key, isCounted: open.counted === 'ahead' }));
      await this.#inTables((tables, key) => tables.release(key, rows, this.owner));
      for (const open of events) this.#drop(open);
    });
  }

  /** Wraps a listener: it ends when its commit has ended too, and fails if that fails. */
  listenerOf(run: Run, listener: (...given: unknown[]) => unknown): (...given: unknown[]) => unknown {
    return async (...given) => {
      let returned: unknown;
      try {
        returned = await listener(...given);
      } finally {
        if (run.committing) await run.committing;
        run.hasEnded = true;
      }
      if (run.commitFailure) throw run.commitFailure.error;
      return returned;
    };
  }

  commitOf(run: Run): Commit<unknown> {
    return async <Result>(callback: (tx: unknown, outbox: Outbox) => Result): Promise<Awaited<Result>> => {
      if (run.hasEnded || run.committing) {
        throw new ConfigurationError('commit', run.committing ? CALLED_TWICE : CALLED_LATE);
      }
      const committed = this.#commit(run, callback);
      run.committing = committed.then(
        () => {
          run.open.status = 'marked';
        },
        (error: unknown) => {
          run.commitFailure = { error };
        },
      );
      const { result, hasCommands } = await committed;
      if (hasCommands) {
        this.#work.hasCommands = true;
        this.#engine.wakeInbox(this.#store);
      }
      return result;
    };
  }

  /** The statement checks the owner; the lease is checked first, so that a listener without it does not even begin. */
  async #commit<Result>(
    { open, fence }: Run,
    callback: (tx: unknown, outbox: Outbox) => Result,
  ): Promise<Committed<Result>> {
    const engine = this.#engine;
    const store = this.#store;
    const { clock } = engine.services;
    // Its time may be over while nobody else has had it: the listener kept the process from renewing it.
    if (store.lease?.fence === fence) await acquireLease(engine, store);
    if (!hasLease(store, clock, fence)) throw new LeaseLostError(0);
    const [tables, key, now] = partsOf(engine, store);
    const request = { key: open.key, eventId: open.event.eventId, owner: this.owner, now };
    return tables.commit(key, request, callback);
  }

  #inTables<Result>(step: TableStep<Result>): Promise<Result> {
    return inTables(this.#engine, this.#store, step);
  }

  /** What cannot be written now is written later: until then the event stays claimed, and nobody runs it again. */
  async #write(change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } catch (error) {
      this.#work.unwritten.add(change);
      reportError(this.#engine, this.#store, error);
    }
  }

  #drop(open: OpenEvent): void {
    const work = this.#work;
    work.held.delete(open.key);
    // The next event of its order may run.
    work.isWoken ||= work.hasBlocked;
    work.hasBlocked = false;
    forgetWork(this.#store);
  }
}
