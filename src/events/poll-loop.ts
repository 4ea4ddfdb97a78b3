import { abandonOnAbort, linkedController, onAbort } from '../async/abort.js';
import { Alarm } from '../async/timer.js';
import { AuthenticationError, ClosedError, isLocalFailure, LeaseLostError } from '../errors.js';
import type { Cycle } from './cycle.js';
import type { Outcomes } from './outcomes.js';
import type { PollerContext } from './poller-context.js';
import { backoffAfter, untilDue } from './schedule.js';
import type { Session } from './session.js';

/** A poller on standby tries to acquire the lease this often per interval, so that a released one is soon noticed. */
const LEASE_TRIES_PER_INTERVAL = 3;

/** A poller waits for its quota as long as it takes. */
const UNLIMITED_PATIENCE = { quotaMs: Number.POSITIVE_INFINITY, shutMs: Number.POSITIVE_INFINITY };

const PAUSED = new ClosedError('the poller is paused');

/** Runs one cycle after another, each when it is due. */
export class PollLoop {
  readonly #context: PollerContext;
  readonly #session: Session;
  readonly #cycle: Cycle;
  readonly #outcomes: Outcomes;
  /** Ends a wait early on a pause or a lost lease. */
  readonly #alarm: Alarm;
  #pause: { readonly resumed: Promise<void>; readonly resume: () => void } | undefined;
  /** Ends with the present `run`; a pause aborts it while a poll waits for its slot. */
  #polling: { readonly controller: AbortController; readonly release: () => void } | undefined;
  #isUnsent = false;
  #lastStartedAt: number | undefined;
  #delayMs = 0;
  #isStarted = false;
  #isOnStandby = false;
  #failures = 0;
  #lastError: unknown;

  constructor(context: PollerContext, session: Session, cycle: Cycle, outcomes: Outcomes) {
    this.#context = context;
    this.#session = session;
    this.#cycle = cycle;
    this.#outcomes = outcomes;
    this.#alarm = new Alarm(context.clock);
  }

  get isPaused(): boolean {
    return this.#pause !== undefined;
  }

  /** Whether the present run had a good poll. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Whether another poller has the store's lease. */
  get isOnStandby(): boolean {
    return this.#isOnStandby;
  }

  /** Failed polls since the last good one. */
  get failures(): number {
    return this.#failures;
  }

  get lastError(): unknown {
    return this.#lastError;
  }

  /** How long until the next poll, in ms. */
  get dueInMs(): number {
    return untilDue(this.#context.clock.monotonic(), this.#lastStartedAt, this.#delayMs);
  }

  pause(): void {
    if (this.#pause) return;
    let resume = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    this.#pause = { resumed, resume };
    this.#alarm.wake();
    if (!this.#isUnsent) return;
    this.#polling?.controller.abort(PAUSED);
    this.#endPolling();
  }

  resume(): void {
    this.#pause?.resume();
    this.#pause = undefined;
  }

  /** The next try to acquire the lease is due at once. */
  leaseLost(): void {
    this.#delayMs = 0;
    this.#alarm.wake();
  }

  /**
   * Resolves when the signal aborts.
   *
   * @param onStarted - called after the first good poll.
   * @throws an error that another try cannot correct.
   */
  async run(signal: AbortSignal, onStarted: () => void): Promise<void> {
    this.#isStarted = false;
    this.#isOnStandby = false;
    this.#failures = 0;
    this.#lastError = undefined;
    const stopListening = onAbort(signal, () => this.#alarm.wake());
    try {
      await this.#runCycles(signal, onStarted);
    } finally {
      stopListening();
      this.#endPolling();
    }
  }

  async #runCycles(signal: AbortSignal, onStarted: () => void): Promise<void> {
    const { clock } = this.#context;
    while (!signal.aborted) {
      if (this.#pause || this.dueInMs > 0) await this.#untilDue(signal);
      if (signal.aborted) break;
      const lastStartedAt = this.#lastStartedAt;
      this.#lastStartedAt = clock.monotonic();
      try {
        const acquired = this.#session.acquireLease();
        const leasedMs = acquired instanceof Promise ? await abandonOnAbort(acquired, signal) : acquired;
        // Paused meanwhile: no poll was sent, so the next one is due when it was before.
        if (this.#pause) this.#lastStartedAt = lastStartedAt;
        else if (leasedMs > 0) await this.#standBy(leasedMs, signal);
        else await this.#runCycle(signal, onStarted);
      } catch (error) {
        if (signal.aborted) break;
        if (error === PAUSED) continue;
        if (isFatal(error, this.#isStarted)) throw error;
        // Another poller has the lease; the next try to acquire it is due at once.
        if (error instanceof LeaseLostError) this.leaseLost();
        else this.#failed(error);
      }
    }
  }

  #runCycle(signal: AbortSignal, onStarted: () => void): Promise<unknown> {
    this.#isOnStandby = false;
    this.#isUnsent = true;
    this.#polling ??= linkedController(signal);
    return this.#cycle.run({
      signal: this.#polling.controller.signal,
      patience: UNLIMITED_PATIENCE,
      onSend: this.#onSend,
      onPolled: () => this.#succeeded(onStarted),
    });
  }

  readonly #onSend = (): void => {
    this.#isUnsent = false;
    // The interval counts from here: after a poll that waited for its slot, the next one would come too soon.
    this.#lastStartedAt = this.#context.clock.monotonic();
  };

  #endPolling(): void {
    this.#polling?.release();
    this.#polling = undefined;
    this.#isUnsent = false;
  }

  async #standBy(leasedMs: number, signal: AbortSignal): Promise<void> {
    const { intervalMs, observers } = this.#context;
    // A poll is due as soon as the lease is acquired; earlier failures do not delay it.
    this.#delayMs = 0;
    if (!this.#isOnStandby) {
      this.#isOnStandby = true;
      observers.emit('standby', { retryAfterMs: leasedMs });
    }
    // An observer of `standby` may have stopped the poller.
    if (signal.aborted) return;
    await this.#alarm.wait(Math.min(leasedMs, intervalMs / LEASE_TRIES_PER_INTERVAL));
  }

  #succeeded(onStarted: () => void): void {
    const { clock, intervalMs, observers } = this.#context;
    const failures = this.#failures;
    this.#failures = 0;
    this.#lastError = undefined;
    this.#delayMs = intervalMs;
    if (!this.#isStarted) {
      this.#isStarted = true;
      observers.emit('started', { at: clock.now() });
      onStarted();
    }
    if (failures > 0) observers.emit('recovered', { failures });
  }

  #failed(error: unknown): void {
    const { intervalMs, observers } = this.#context;
    this.#failures += 1;
    this.#lastError = error;
    this.#delayMs = backoffAfter(error, this.#failures, intervalMs);
    observers.emit('backoff', { error, delayMs: this.#delayMs, failures: this.#failures });
    this.#outcomes.emitError(error);
  }

  /** Resolves when the next poll is due and the poller is not paused, or when the signal aborts. */
  async #untilDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#pause) {
        await abandonOnAbort(this.#pause.resumed, signal).catch(() => {});
        continue;
      }
      const waitMs = this.dueInMs;
      if (waitMs <= 0) return;
      await this.#alarm.wait(waitMs);
    }
  }
}

/** The client is closed; or, before the first good poll, only a person can correct the error. */
function isFatal(error: unknown, isStarted: boolean): boolean {
  if (error instanceof ClosedError) return true;
  return !isStarted && (error instanceof AuthenticationError || isLocalFailure(error));
}
