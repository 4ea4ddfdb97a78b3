import { abandonOnAbort, type Linked, linkedTo, onAbort } from '../async/abort.js';
import { Alarm, repeat } from '../async/timer.js';
import { AuthenticationError, ClosedError, isLocalFailure } from '../errors.js';
import type { TurnPolicy } from './poll-turn.js';
import type { StorePoller } from './store-poller.js';

const PAUSED = new ClosedError('the poller is paused');

/** A lone poller waits for its quota as long as it takes. */
export const LONE_POLLER: TurnPolicy = {
  patience: { quotaMs: Number.POSITIVE_INFINITY, shutMs: Number.POSITIVE_INFINITY },
  // The client is closed; or, before the first good poll, only a person can correct the error.
  isFatal: (error, isStarted) =>
    error instanceof ClosedError ||
    (!isStarted && (error instanceof AuthenticationError || isLocalFailure(error))),
};

/** Runs the turns of one store, each when it is due. */
export class PollLoop {
  readonly #poller: StorePoller;
  /** Ends a wait early on a pause or a lost lease. */
  readonly #alarm: Alarm;
  #pause: { readonly resumed: Promise<void>; readonly resume: () => void } | undefined;
  /** Ends with the present `run`; a pause aborts it while a poll is not sent. */
  #polling: Linked | undefined;
  #isUnsent = false;

  constructor(poller: StorePoller) {
    this.#poller = poller;
    this.#alarm = new Alarm(poller.context.clock);
  }

  get isPaused(): boolean {
    return this.#pause !== undefined;
  }

  /** How long until the next poll, in ms. */
  get dueInMs(): number {
    const { pace, clock } = this.#poller.context;
    return pace.dueInMs(clock);
  }

  /** See `Pace.overdueMs`; a paused poller owes no poll. */
  get overdueMs(): number {
    const { pace, clock, intervalMs } = this.#poller.context;
    return this.isPaused ? 0 : pace.overdueMs(clock, intervalMs);
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
    const { pace, clock } = this.#poller.context;
    if (this.#pause) pace.dueAt = Math.max(pace.dueAt, clock.monotonic());
    this.#pause?.resume();
    this.#pause = undefined;
  }

  /** The next turn is due earlier. */
  wake(): void {
    this.#alarm.wake();
  }

  /**
   * Resolves when the signal aborts.
   *
   * @param onStarted - called after the first good poll.
   * @throws an error that another try cannot correct.
   */
  async run(signal: AbortSignal, onStarted: () => void): Promise<void> {
    const { context, turn } = this.#poller;
    // An earlier run that was stopped may still wait for the state.
    this.#endPolling();
    let polling: Linked | undefined;
    context.pace.begin(context.clock.monotonic() + this.dueInMs);
    const stopWatching = repeat(context.clock, context.intervalMs, () => {
      const overdue = this.isPaused
        ? undefined
        : context.pace.newlyOverdue(context.clock, context.intervalMs);
      if (overdue) this.#poller.report(overdue);
    });
    const stopListening = onAbort(signal, () => {
      stopWatching();
      this.#alarm.wake();
    });
    try {
      while (!signal.aborted) {
        if (this.#pause || this.dueInMs > 0) await this.#untilDue(signal);
        if (signal.aborted) break;
        this.#polling ??= linkedTo(signal);
        polling = this.#polling;
        this.#isUnsent = true;
        const pollSignal = polling.controller.signal;
        await turn.run({ signal, pollSignal, onSend: this.#onSend, onPolled: onStarted });
      }
    } finally {
      stopListening();
      stopWatching();
      if (this.#polling === polling) this.#endPolling();
    }
  }

  readonly #onSend = (): void => {
    this.#isUnsent = false;
  };

  #endPolling(): void {
    this.#polling?.release();
    this.#polling = undefined;
    this.#isUnsent = false;
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
