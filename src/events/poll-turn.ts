import { abandonOnAbort } from '../async/abort.js';
import { LeaseLostError, RateLimitError } from '../errors.js';
import type { Patience } from '../http/slot-queue.js';
import type { Cycle } from './cycle.js';
import type { Outcomes } from './outcomes.js';
import type { PollerContext } from './poller-context.js';
import { backoffAfter } from './schedule.js';
import type { Session } from './session.js';

/** A poller on standby tries to acquire the lease this often per interval, so that a released one is soon noticed. */
const LEASE_TRIES_PER_INTERVAL = 3;

/** In what a lone poller and a fleet differ. */
export interface TurnPolicy {
  /** How long a poll waits for its slot. Without patience, the turn ends, and the next one is due when the slot is free. */
  readonly patience: Patience;
  /** Whether an error ends the poller, instead of delaying its next poll. */
  readonly isFatal: (error: unknown, isStarted: boolean) => boolean;
}

export interface TurnOptions {
  /** Aborts when the poller stops. */
  readonly signal: AbortSignal;
  /** Takes back a poll that was not sent yet. */
  readonly pollSignal?: AbortSignal;
  /** Called when the poll is sent. */
  readonly onSend?: () => void;
  /** Called when the poll has succeeded, before its events are handled. */
  readonly onPolled?: () => void;
}

/** One turn of a store: acquires its lease, runs one cycle, and decides when the next turn is due. */
export class PollTurn {
  readonly #context: PollerContext;
  readonly #session: Session;
  readonly #cycle: Cycle;
  readonly #outcomes: Outcomes;
  readonly #policy: TurnPolicy;

  constructor(
    context: PollerContext,
    session: Session,
    cycle: Cycle,
    outcomes: Outcomes,
    policy: TurnPolicy,
  ) {
    this.#context = context;
    this.#session = session;
    this.#cycle = cycle;
    this.#outcomes = outcomes;
    this.#policy = policy;
  }

  /** @throws an error that ends the poller, see `TurnPolicy.isFatal`. */
  async run({ signal, pollSignal = signal, onSend, onPolled }: TurnOptions): Promise<void> {
    const { clock, pace } = this.#context;
    const { lastStartedAt } = pace;
    const dueAt = lastStartedAt === undefined ? undefined : lastStartedAt + pace.delayMs;
    pace.lastStartedAt = clock.monotonic();
    try {
      const leasedMs = await abandonOnAbort(this.#session.acquireLease(), signal);
      // Taken back meanwhile: no poll was sent, so the next one is due when it was before.
      if (pollSignal.aborted) pace.lastStartedAt = lastStartedAt;
      else if (leasedMs > 0) this.#standBy(leasedMs);
      else {
        this.#leaveStandby();
        await this.#cycle.run({
          signal: pollSignal,
          dueAt,
          patience: this.#policy.patience,
          onSend: () => {
            // The interval counts from here: after a poll that waited for its slot, the next one would come too soon.
            pace.lastStartedAt = clock.monotonic();
            onSend?.();
          },
          onPolled: () => {
            this.#succeeded();
            onPolled?.();
          },
        });
      }
    } catch (error) {
      if (signal.aborted || pollSignal.aborted) return;
      if (this.#policy.isFatal(error, pace.isStarted)) throw error;
      // Another poller has the lease; the next try to acquire it is due at once.
      if (error instanceof LeaseLostError) pace.delayMs = 0;
      else if (isNotYetFree(error)) this.#postponed(error);
      else this.#failed(error);
    }
  }

  #standBy(leasedMs: number): void {
    const { intervalMs, observers, pace } = this.#context;
    // Earlier failures do not delay the poll that follows when the lease is acquired.
    pace.delayMs = Math.min(leasedMs, intervalMs / LEASE_TRIES_PER_INTERVAL);
    if (pace.isOnStandby) return;
    pace.isOnStandby = true;
    pace.dueAt = Number.POSITIVE_INFINITY;
    observers.emit('standby', { retryAfterMs: leasedMs });
  }

  #leaveStandby(): void {
    const { clock, pace } = this.#context;
    if (!pace.isOnStandby) return;
    pace.isOnStandby = false;
    pace.dueAt = clock.monotonic();
  }

  #succeeded(): void {
    const { clock, intervalMs, observers, pace } = this.#context;
    const { failures } = pace;
    pace.failures = 0;
    pace.lastError = undefined;
    pace.delayMs = intervalMs;
    pace.dueAt = (pace.lastStartedAt ?? clock.monotonic()) + intervalMs;
    if (!pace.isStarted) {
      pace.isStarted = true;
      observers.emit('started', { at: clock.now() });
    }
    if (failures > 0) observers.emit('recovered', { failures });
  }

  /** No poll was sent: its slot is not free yet. That is a failure of an earlier poll, if it takes longer than the interval. */
  #postponed(error: RateLimitError): void {
    const { intervalMs, pace } = this.#context;
    pace.delayMs = error.retryAfterMs;
    if (error.retryAfterMs > intervalMs) pace.lastError = error;
  }

  #failed(error: unknown): void {
    const { clock, intervalMs, observers, pace } = this.#context;
    pace.failures += 1;
    pace.lastError = error;
    pace.delayMs = backoffAfter(error, pace.failures, intervalMs);
    pace.dueAt = clock.monotonic() + pace.dueInMs(clock);
    observers.emit('backoff', { error, delayMs: pace.delayMs, failures: pace.failures });
    this.#outcomes.emitError(error);
  }
}

/** The poll was not sent, because its slot is not free yet: nothing has failed. */
const isNotYetFree = (error: unknown): error is RateLimitError =>
  error instanceof RateLimitError && error.origin === 'local' && error.endpoint === 'polling';
