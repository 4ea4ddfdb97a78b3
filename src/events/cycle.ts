import { abandonOnAbort } from '../async/abort.js';
import type { Issue } from '../errors.js';
import type { OrderEvent } from '../schemas/event.js';
import type { PollOptions } from './client.js';
import type { Dispatcher } from './dispatcher.js';
import { keyOf } from './event-key.js';
import type { Ledger } from './ledger.js';
import type { Outcomes } from './outcomes.js';
import type { PollerContext } from './poller-context.js';
import type { CompletedCycle } from './poller-events.js';

export interface CycleOptions extends Pick<PollOptions, 'patience' | 'onSend'> {
  /** Ends the cycle while its events are not dispatched yet; later it has no effect. */
  readonly signal: AbortSignal;
  /** The poll has succeeded, and its events can be handled. */
  readonly onPolled?: () => void;
}

/**
 * The path of an event: poll → ledger → dispatcher → outcomes → acknowledger.
 *
 * @see Spec §6.2
 */
export class Cycle {
  readonly #context: PollerContext;
  readonly #ledger: Ledger;
  readonly #dispatcher: Dispatcher;
  readonly #outcomes: Outcomes;
  #lastPolledAt: number | undefined;

  constructor(context: PollerContext, ledger: Ledger, dispatcher: Dispatcher, outcomes: Outcomes) {
    this.#context = context;
    this.#ledger = ledger;
    this.#dispatcher = dispatcher;
    this.#outcomes = outcomes;
  }

  /** Epoch ms of the last good poll. */
  get lastPolledAt(): number | undefined {
    return this.#lastPolledAt;
  }

  /**
   * One poll → handle → acknowledge. When it resolves, every event of the poll
   * is handled, has failed or timed out, or is blocked by another one, and every
   * acknowledgment was tried.
   *
   * @throws what the poll throws.
   * @throws {StateError} the marks of the events cannot be read.
   */
  async run({ onSend, onPolled, ...limits }: CycleOptions): Promise<CompletedCycle> {
    const { clock, events, lease, runs } = this.#context;
    const { signal } = limits;
    const { counts, acknowledger } = this.#outcomes;
    const before = { ...counts };
    const startedAt = clock.monotonic();
    let { generation } = this.#dispatcher;
    const onPollSent = () => {
      generation = this.#dispatcher.generation;
      onSend?.();
    };
    try {
      const polled = await events.poll({ ...limits, attempts: 1, lease, onSend: onPollSent });
      const received = eachOnce(polled.events);
      const partitioned = this.#ledger.partition(received);
      const { fresh, handled, issues: reused } = await abandonOnAbort(partitioned, signal);
      const issues = [...polled.issues, ...reused];
      const counted = this.#ledger.countAttempts(this.#dispatcher.countable(fresh));
      try {
        await abandonOnAbort(counted, signal);
        // Not earlier: the poll's slot has just renewed the lease.
        lease.setBusy(true);
        this.#lastPolledAt = Math.floor(clock.now());
        const durationMs = clock.monotonic() - startedAt;
        onPolled?.();
        this.#emitPolled(polled.events.length, issues, durationMs);
        // The hub repeats events that were handled before: acknowledged again, not handled again.
        for (const event of handled) this.#outcomes.acknowledge(event);
        await this.#dispatcher.dispatch(fresh, generation);
        await acknowledger.flush();
      } finally {
        // Also after an abort, which does not wait for the count.
        this.#ledger.uncountAttempts(fresh, counted);
      }
      await this.#ledger.attemptsWritten();
      const unconfirmed = received.filter((event) => !this.#ledger.isConfirmed(event));
      return {
        received: received.length,
        handled: counts.handled - before.handled,
        redelivered: handled.length,
        unhandled: counts.unhandled - before.unhandled,
        acknowledged: counts.acknowledged - before.acknowledged,
        unacknowledged: unconfirmed.map(({ eventId }) => eventId),
        failures: unconfirmed
          .map((event) => ({ eventId: event.eventId, error: this.#ledger.lastErrorOf(event) }))
          .filter(({ error }) => error !== undefined),
        issues,
      };
    } finally {
      lease.setBusy(runs.size > 0);
    }
  }

  #emitPolled(received: number, issues: readonly Issue[], durationMs: number): void {
    const { observers } = this.#context;
    observers.emit('polled', { received, issues, durationMs });
    if (issues.length > 0) observers.emit('invalid', { issues });
  }
}

function eachOnce(events: readonly OrderEvent[]): OrderEvent[] {
  return [...new Map(events.map((event) => [keyOf(event), event])).values()];
}
