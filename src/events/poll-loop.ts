import { abandonOnAbort, linkedController } from '../abort.js';
import type { Clock } from '../clock.js';
import { AuthenticationError, ClosedError, ConfigurationError } from '../errors.js';
import { backoffAfter, untilDue } from './schedule.js';

export interface PollLoopOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  /** One cycle; calls `sent` when its poll goes out, `succeeded` when its events can be handled. */
  readonly cycle: (signal: AbortSignal, sent: () => void, succeeded: () => void) => Promise<unknown>;
  readonly onBackoff: (error: unknown, delayMs: number, failures: number) => void;
  readonly onRecovered: (failures: number) => void;
}

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
  #failures = 0;
  #lastError: unknown;

  constructor(options: PollLoopOptions) {
    this.#options = options;
  }

  get paused(): boolean {
    return this.#pause !== undefined;
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

  /**
   * Until the signal aborts.
   *
   * @throws what waiting cannot mend.
   */
  async run(signal: AbortSignal, onFirst: () => void): Promise<void> {
    this.#started = false;
    this.#failures = 0;
    this.#lastError = undefined;
    while (!signal.aborted) {
      await this.#untilDue(signal);
      if (signal.aborted) return;
      this.#lastStartedAt = this.#options.clock.monotonic();
      const { controller, release } = linkedController(signal);
      this.#unsent = controller;
      const sent = () => {
        this.#unsent = undefined;
        // Counted from here: a poll that waited for its slot would else be followed too soon.
        this.#lastStartedAt = this.#options.clock.monotonic();
      };
      try {
        await this.#options.cycle(controller.signal, sent, () => this.#succeeded(onFirst)).finally(release);
      } catch (error) {
        if (signal.aborted) return;
        if (error === PAUSED) continue;
        if (isFatal(error, this.#started)) throw error;
        this.#failed(error);
      }
    }
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
      const { controller, release } = linkedController(signal);
      this.#wake = controller;
      await this.#options.clock.sleep(waitMs, controller.signal).catch(() => {});
      this.#wake = undefined;
      release();
    }
  }
}

/** A closed client; and, before the first good poll, what only a person can mend. */
function isFatal(error: unknown, started: boolean): boolean {
  if (error instanceof ClosedError) return true;
  return !started && (error instanceof AuthenticationError || error instanceof ConfigurationError);
}
