import { abandonOnAbort } from '../async/abort.js';
import { LeaseLostError } from '../errors.js';
import type { ClaimOwner } from './claim.js';
import { Cycle } from './cycle.js';
import { Dispatcher } from './dispatcher.js';
import { EventRunner } from './event-runner.js';
import { Ledger } from './ledger.js';
import { listenerErrorOf } from './listener-error.js';
import { Outcomes } from './outcomes.js';
import { PollTurn, type TurnPolicy } from './poll-turn.js';
import type { PollerContext } from './poller-context.js';
import type { CycleReport, PollerHealth, SkippedCycle } from './poller-events.js';
import { Receiver } from './push/receiver.js';
import { Session } from './session.js';

export interface StorePollerOptions {
  readonly policy: TurnPolicy;
  /** Who holds the claim of the client while this polls. */
  readonly owner: ClaimOwner;
  /** The next turn is due at once. */
  readonly onLeaseLost: () => void;
}

/** All that polls one store and handles its events, without what decides when: `PollLoop`, or a fleet. */
export class StorePoller {
  readonly context: PollerContext;
  readonly session: Session;
  readonly cycle: Cycle;
  readonly turn: PollTurn;
  readonly #ledger: Ledger;
  readonly #outcomes: Outcomes;
  #receiver: Receiver | undefined;

  constructor(context: PollerContext, { policy, owner, onLeaseLost }: StorePollerOptions) {
    const onUncounted = (error: Error) => this.#outcomes.emitError(error);
    const ledger = new Ledger(context, onUncounted);
    const outcomes = new Outcomes(context, ledger);
    const runner = new EventRunner(context, ledger, outcomes);
    const dispatcher = new Dispatcher(context, ledger, outcomes, runner);
    this.context = context;
    this.#ledger = ledger;
    this.#outcomes = outcomes;
    this.cycle = new Cycle(context, ledger, dispatcher, outcomes);
    this.session = new Session(context, {
      ledger,
      dispatcher,
      runner,
      outcomes,
      owner,
      onLeaseLost: () => {
        context.pace.delayMs = 0;
        onLeaseLost();
      },
    });
    this.turn = new PollTurn(context, this.session, this.cycle, outcomes, policy);
  }

  /** One cycle in a session of its own. @throws the error of the poll. */
  async runOnce(signal: AbortSignal | undefined): Promise<CycleReport> {
    signal?.throwIfAborted();
    this.context.listeners.requireAny();
    const ended = this.session.begin('runOnce', signal);
    try {
      const retryAfterMs = await abandonOnAbort(Promise.resolve(this.session.acquireLease()), ended);
      return retryAfterMs > 0 ? skipped(retryAfterMs) : await this.cycle.run({ signal: ended });
    } catch (error) {
      // Lost before the poll was sent: the lease comes with the poll's slot.
      if (!(error instanceof LeaseLostError)) throw error;
      return skipped(error.retryAfterMs);
    } finally {
      await this.session.end();
    }
  }

  /**
   * Answers what the hub pushes.
   *
   * @param isPaused - whether the poller was told to wait.
   */
  receive(request: Request, isPaused: () => boolean): Promise<Response> {
    this.#receiver ??= new Receiver({
      context: this.context,
      cycle: this.cycle,
      outcomes: this.#outcomes,
      standstill: () => this.#standstill(isPaused()),
      acquireLease: () => this.session.acquireLease(),
    });
    return this.#receiver.receive(request);
  }

  /** Why nothing is handled now. */
  #standstill(isPaused: boolean): string | undefined {
    const { session } = this;
    if (session.call !== 'start' || session.isStopping) return 'the poller is not running';
    return isPaused ? 'the poller is paused' : undefined;
  }

  /** What this poller counts and waits for; the rest of `PollerHealth` depends on who decides when it polls. */
  health(): Omit<PollerHealth, 'status' | 'nextPollAt' | 'overdueMs'> {
    const { clock, pace, quote, runs, stateDriver } = this.context;
    const { handled, acknowledged } = this.#outcomes.counts;
    const { oldest, lastFailed, unconfirmedCount } = this.#ledger;
    return {
      lastPolledAt: pace.lastPolledAt,
      consecutiveFailures: pace.failures,
      lastError: pace.lastError,
      running: runs.size,
      unacknowledged: unconfirmedCount,
      oldestOpenMs: oldest ? Math.round(clock.monotonic() - oldest.receivedAt) : 0,
      listenerError: lastFailed && listenerErrorOf(lastFailed.lastError, quote),
      handled,
      acknowledged,
      stateDriver,
    };
  }

  /** Emits `error`. */
  report(error: Error): void {
    this.#outcomes.emitError(error);
  }

  /** Keys of the events that were confirmed last: a hub that uses an id again is reported. */
  confirmedKeys(count: number): readonly string[] {
    return this.#ledger.confirmedKeys(count);
  }

  /** Whether nothing is left that only this object knows: no event is open, no listener runs, no mark waits. */
  get isIdle(): boolean {
    const { runs, handledMarks } = this.context;
    return runs.size === 0 && this.#ledger.unconfirmedCount === 0 && handledMarks.isEmpty;
  }
}

const skipped = (retryAfterMs: number): SkippedCycle => ({
  skipped: 'leased',
  retryAfterMs: Math.max(1, Math.ceil(retryAfterMs)),
});
