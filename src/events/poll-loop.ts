import { abandonOnAbort, linkedController } from '../async/abort.js';
import type { Clock } from '../clock.js';
import { AuthenticationError, ClosedError, isLocalFailure, LeaseLostError } from '../errors.js';
import { backoffAfter, untilDue } from './schedule.js';

export interface PollLoopOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Acquires the store's lease, or keeps it; 0, or how long another poller still has it, in ms. */
  readonly acquire: () => Promise<number>;
  /** Another poller has the lease; called once until it is acquired. */
  readonly onStandby: (retryAfterMs: number) => void;
  /** One cycle; calls `sent` when its poll goes out, `succeeded` when its events can be handled. */
  readonly cycle: (signal: AbortSignal, sent: () => void, succeeded: () => void) => Promise<unknown>;
  readonly onBackoff: (error: unknown, delayMs: number, failures: number) => void;
  readonly onRecovered: (failures: number) => void;
}

/** A poller on standby looks for the lease this often in an interval: one that was released is noticed soon. */
const LOOKS_PER_INTERVAL = 3;

const PAUSED = new ClosedError('the poller is paused');

/** Cycle after cycle, each when it is due; holds nothing of events. */
export class PollLoop {
  readonly #options: PollLoopOptions;
  #pause: { readonly over: Promise<void>; readonly end: () => void } | undefined;
  #wake: AbortController | undefined;
  /** A poll that waits for its slot; a pause calls it back. */
  #unsent: AbortController | undefined;
  #lastStartedAt: number | undefined;
  #pauseMs = 0;
  #started = false;
  #isOnStandby = false;
  #failures = 0;
  #lastError: unknown;

  constructor(options: PollLoopOptions) {
    this.#options = options;
  }

  get paused(): boolean {
    return this.#pause !== undefined;
  }

  /** Whether another poller has the store's lease. */
  get isOnStandby(): boolean {
    return this.#isOnStandby;
  }

  get failures(): number {
    return this.#failures;
  }

  get lastError(): unknown {
    return this.#lastError;
  }

  /** How long until the next poll, in ms. */
  get dueInMs(): number {
    return untilDue(this.#options.clock.monotonic(), this.#lastStartedAt, this.#pauseMs);
  }

  pause(): void {
    if (this.#pause) return;
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#pause = { over, end };
    this.#wake?.abort('woken');
    this.#unsent?.abort(PAUSED);
  }

  resume(): void {
    this.#pause?.end();
    this.#pause = undefined;
  }

  /** Looks at once who has the lease now. */
  leaseLost(): void {
    this.#pauseMs = 0;
    this.#wake?.abort('woken');
  }

  /**
   * Until the signal aborts.
   *
   * @throws what waiting cannot mend.
   */
  async run(signal: AbortSignal, onFirst: () => void): Promise<void> {
    this.#started = false;
    this.#isOnStandby = false;
    this.#failures = 0;
    this.#lastError = undefined;
    while (!signal.aborted) {
      await this.#untilDue(signal);
      if (signal.aborted) return;
      const lastStartedAt = this.#lastStartedAt;
      this.#lastStartedAt = this.#options.clock.monotonic();
      try {
        const leasedMs = await abandonOnAbort(this.#options.acquire(), signal);
        // Paused meanwhile: nothing was sent, so the poll stays as due as it was.
        if (this.#pause) this.#lastStartedAt = lastStartedAt;
        else if (leasedMs > 0) await this.#standBy(leasedMs, signal);
        else await this.#runCycle(signal, onFirst);
      } catch (error) {
        if (signal.aborted) return;
        if (error === PAUSED) continue;
        if (isFatal(error, this.#started)) throw error;
        // Another poller goes on; this one looks for the lease at once.
        if (error instanceof LeaseLostError) this.leaseLost();
        else this.#failed(error);
      }
    }
  }

  async #runCycle(signal: AbortSignal, onFirst: () => void): Promise<void> {
    const { clock, cycle } = this.#options;
    this.#isOnStandby = false;
    const { controller, release } = linkedController(signal);
    this.#unsent = controller;
    const sent = () => {
      this.#unsent = undefined;
      // Counted from here: a poll that waited for its slot would be followed too soon.
      this.#lastStartedAt = clock.monotonic();
    };
    await cycle(controller.signal, sent, () => this.#succeeded(onFirst)).finally(release);
  }

  async #standBy(leasedMs: number, signal: AbortSignal): Promise<void> {
    const { intervalMs, onStandby } = this.#options;
    // A poll is due when the lease is acquired; what failed before then was not this poller's.
    this.#pauseMs = 0;
    if (!this.#isOnStandby) {
      this.#isOnStandby = true;
      onStandby(leasedMs);
    }
    await this.#sleep(Math.min(leasedMs, intervalMs / LOOKS_PER_INTERVAL), signal);
  }

  #succeeded(onFirst: () => void): void {
    const failures = this.#failures;
    this.#failures = 0;
    this.#lastError = undefined;
    this.#pauseMs = this.#options.intervalMs;
    if (!this.#started) {
      this.#started = true;
      onFirst();
    }
    if (failures > 0) this.#options.onRecovered(failures);
  }

  #failed(error: unknown): void {
    const { intervalMs, onBackoff } = this.#options;
    this.#failures += 1;
    this.#lastError = error;
    this.#pauseMs = backoffAfter(error, this.#failures, intervalMs);
    onBackoff(error, this.#pauseMs, this.#failures);
  }

  async #untilDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#pause) {
        await abandonOnAbort(this.#pause.over, signal).catch(() => {});
        continue;
      }
      const waitMs = this.dueInMs;
      if (waitMs <= 0) return;
      await this.#sleep(waitMs, signal);
    }
  }

  /** Until the time is over, a pause, or the end. */
  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { controller, release } = linkedController(signal);
    this.#wake = controller;
    await this.#options.clock.sleep(ms, controller.signal).catch(() => {});
    this.#wake = undefined;
    release();
  }
}

/** A closed client; and, before the first good poll, what only a person can correct. */
function isFatal(error: unknown, started: boolean): boolean {
  if (error instanceof ClosedError) return true;
  return !started && (error instanceof AuthenticationError || isLocalFailure(error));
}
