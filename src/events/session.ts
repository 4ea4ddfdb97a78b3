import { onAbort } from '../async/abort.js';
import { Alarm } from '../async/timer.js';
import { ClosedError, ConfigurationError, type LeaseLostError } from '../errors.js';
import type { ClaimOwner } from './claim.js';
import type { Dispatcher } from './dispatcher.js';
import type { EventRunner } from './event-runner.js';
import type { Ledger } from './ledger.js';
import type { Outcomes } from './outcomes.js';
import type { PollerContext } from './poller-context.js';
import type { StopReport } from './poller-events.js';

export interface SessionParts {
  readonly ledger: Ledger;
  readonly dispatcher: Dispatcher;
  readonly runner: EventRunner;
  readonly outcomes: Outcomes;
  /** Whose session it is, for `Claim`. */
  readonly owner: ClaimOwner;
  readonly onLeaseLost: () => void;
}

/** A `start` until its `stop`, or one `runOnce`. */
interface Activity {
  readonly call: 'start' | 'runOnce';
  readonly controller: AbortController;
  /** Removes our listener from the caller's signal. */
  readonly release: () => void;
}

/**
 * When the poller may poll and when it ends: one `start` or `runOnce` at a
 * time, only with the store's lease, and without losing work at the end.
 */
export class Session {
  readonly #context: PollerContext;
  readonly #parts: SessionParts;
  #activity: Activity | undefined;
  #stopping: Promise<StopReport> | undefined;
  /** When the stop under way gives up, in monotonic ms. */
  #stopsAt = Number.POSITIVE_INFINITY;
  readonly #stopAlarm: Alarm;

  constructor(context: PollerContext, parts: SessionParts) {
    this.#context = context;
    this.#parts = parts;
    this.#stopAlarm = new Alarm(context.clock);
  }

  /** The call that has begun and not ended. */
  get call(): Activity['call'] | undefined {
    return this.#activity?.call;
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /**
   * @param onAborted - called when the caller's signal aborts.
   * @returns a signal that aborts with the caller's signal and on `stop`.
   * @throws {ConfigurationError} the poller runs, or another one of the client does.
   */
  begin(call: Activity['call'], signal: AbortSignal | undefined, onAborted?: () => void): AbortSignal {
    const { outcomes, owner } = this.#parts;
    const { claim, throwIfClosed } = this.#context;
    signal?.throwIfAborted();
    if (this.#activity) throw new ConfigurationError(call, 'the poller is already running');
    throwIfClosed();
    claim.take(owner);
    const controller = new AbortController();
    const abort = () => {
      controller.abort(signal?.reason);
      onAborted?.();
    };
    this.#activity = { call, controller, release: signal ? onAbort(signal, abort) : () => {} };
    outcomes.begin();
    return controller.signal;
  }

  /**
   * Acquires the store's lease, or keeps it.
   *
   * @returns 0, or how long another poller still has the lease, in ms.
   */
  async acquireLease(): Promise<number> {
    const { lease, leaseMs } = this.#context;
    return lease.acquire(leaseMs, (error) => this.#leaseLost(error));
  }

  /** The end of a `runOnce`. */
  async end(): Promise<void> {
    this.#activity?.release();
    await this.#drain();
    await this.#releaseLease(false);
    this.#leave();
  }

  /**
   * The end of a `start`, and the early end of a `runOnce`. A second call shares the first one's result, and can
   * only make it come sooner.
   */
  stop(timeoutMs: number): Promise<StopReport> {
    this.#parts.runner.exemptCurrentRun();
    this.#stopsAt = Math.min(this.#stopsAt, this.#context.clock.monotonic() + timeoutMs);
    this.#stopAlarm.wake();
    this.#stopping ??= this.#stop().finally(() => {
      this.#stopping = undefined;
      this.#stopsAt = Number.POSITIVE_INFINITY;
    });
    return this.#stopping;
  }

  async #stop(): Promise<StopReport> {
    const { runs, observers, claim } = this.#context;
    const { dispatcher, runner, outcomes } = this.#parts;
    const { acknowledger } = outcomes;
    const activity = this.#activity;
    const stopped = new ClosedError('the poller is stopped');
    activity?.controller.abort(stopped);
    activity?.release();
    dispatcher.stop();
    const finished = runner.settled().then(() => this.#drain());
    const timedOut = await this.#isTimedOut(finished);
    if (timedOut) {
      runner.abortAll(stopped);
      acknowledger.abort(stopped);
      runs.abandon(runner);
      await this.#drain();
    }
    // Otherwise another poller of the client runs by now, and has the lease.
    const isActive = activity !== undefined && activity === this.#activity;
    if (isActive || !claim.owner) await this.#releaseLease(timedOut);
    const report = outcomes.report(timedOut);
    if (activity?.call === 'start') {
      this.#leave();
      observers.emit('stopped', report);
    }
    return report;
  }

  async #isTimedOut(work: Promise<void>): Promise<boolean> {
    let isOver = false;
    void work.then(() => {
      isOver = true;
      this.#stopAlarm.wake();
    });
    const leftMs = () => Math.max(0, this.#stopsAt - this.#context.clock.monotonic());
    // A later call of `stop` wakes it too.
    do await this.#stopAlarm.wait(leftMs());
    while (!isOver && leftMs() > 0);
    return !isOver;
  }

  /** Sends the last acknowledgments and writes the last marks, as far as hub and state can be reached. */
  async #drain(): Promise<void> {
    const { outcomes, ledger } = this.#parts;
    const { handledMarks } = this.#context;
    await outcomes.marksWritten();
    await Promise.all([outcomes.acknowledger.drain(), ledger.attemptsWritten(), handledMarks.tryRefused()]);
  }

  /**
   * Releases the lease immediately, or when the runs that were left behind have
   * settled: until then no other process may run their events.
   */
  async #releaseLease(isImmediate: boolean): Promise<void> {
    const { lease, runs, claim } = this.#context;
    const left = isImmediate ? [] : runs.needingLease();
    if (left.length === 0) return lease.release();
    void Promise.all(left.map(({ settled }) => settled)).then(() => {
      if (!claim.owner && runs.needingLease().length === 0) return lease.release();
    });
  }

  #leave(): void {
    this.#activity = undefined;
    this.#context.claim.release(this.#parts.owner);
  }

  /** Another poller may run the same events now: nothing more is dispatched; handled events are still acknowledged. */
  #leaseLost(error: LeaseLostError): void {
    const { dispatcher, runner, outcomes, onLeaseLost } = this.#parts;
    dispatcher.stop();
    runner.abortAll(error);
    onLeaseLost();
    outcomes.emitError(error);
  }
}
