import { abandonOnAbort } from '../async/abort.js';
import type { OrderEvent } from '../schemas/event.js';
import type { Dispatcher, Term } from './dispatcher.js';
import { keyOf } from './event-key.js';
import type { Ledger } from './ledger.js';
import type { Outcomes } from './outcomes.js';
import type { CompletedCycle } from './poller-events.js';
import type { PollResult } from './read.js';

export interface CycleParts {
  /** Ends the cycle before its events are handed out; later it changes nothing. */
  readonly signal: AbortSignal;
  readonly poll: () => Promise<PollResult>;
  /** What the poll was sent under. */
  readonly term: () => Term;
  /** The poll succeeded, and the marks of its events were read. */
  readonly onPolled: (result: PollResult) => void;
  readonly ledger: Ledger;
  readonly dispatcher: Dispatcher;
  readonly outcomes: Outcomes;
}

/**
 * One poll → handle → acknowledge (Spec §6.2). When it resolves, every event
 * of the poll is settled, timed out or held back, and every acknowledgment was
 * tried.
 *
 * @throws what the poll throws; or that the memory of handled events is out of reach.
 */
export async function runCycle(parts: CycleParts): Promise<CompletedCycle> {
  const { signal, poll, term, onPolled, ledger, dispatcher, outcomes } = parts;
  const { counts, acknowledger } = outcomes;
  const before = { ...counts };
  const result = await poll();
  const events = eachOnce(result.events);
  const { fresh, handled, issues: reused } = await abandonOnAbort(ledger.partition(events), signal);
  const issues = [...result.issues, ...reused];
  const callable = dispatcher.callable(fresh);
  const counted = ledger.countAttempts(callable);
  try {
    await abandonOnAbort(counted, signal);
    onPolled({ events: result.events, issues });
    // Handled before and repeated by the hub: confirmed again, not handled again.
    for (const event of handled) outcomes.settled(event);
    await dispatcher.dispatch(fresh, term());
    await acknowledger.flush();
  } finally {
    // Also after an abort, which does not wait for the count.
    ledger.uncountAttempts(fresh, counted);
  }
  await ledger.countsWritten();
  const open = events.filter((event) => !ledger.isConfirmed(event));
  return {
    received: events.length,
    handled: counts.handled - before.handled,
    redelivered: handled.length,
    unhandled: counts.unhandled - before.unhandled,
    acknowledged: counts.acknowledged - before.acknowledged,
    unacknowledged: open.map(({ eventId }) => eventId),
    failures: open
      .map((event) => ({ eventId: event.eventId, error: ledger.lastErrorOf(event) }))
      .filter(({ error }) => error !== undefined),
    issues,
  };
}

function eachOnce(events: readonly OrderEvent[]): OrderEvent[] {
  return [...new Map(events.map((event) => [keyOf(event), event])).values()];
}
