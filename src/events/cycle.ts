import { abandonOnAbort } from '../abort.js';
import type { OrderEvent } from '../schemas/event.js';
import type { Dispatcher } from './dispatcher.js';
import type { Ledger } from './ledger.js';
import type { Outcomes } from './outcomes.js';
import type { CycleReport } from './poller-events.js';
import type { PollResult } from './read.js';

export interface CycleParts {
  /** Ends the cycle before its events are handed out; later it changes nothing. */
  readonly signal: AbortSignal;
  readonly poll: () => Promise<PollResult>;
  /** The poll was good, and the memory of handled events answered. */
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
export async function runCycle(parts: CycleParts): Promise<CycleReport> {
  const { signal, poll, onPolled, ledger, dispatcher, outcomes } = parts;
  const { counts, acknowledger } = outcomes;
  const before = { ...counts };
  // Without the memory nothing could be handled: the events wait at the hub.
  await abandonOnAbort(ledger.probe(), signal);
  const result = await poll();
  const events = eachOnce(result.events);
  const { fresh, handled } = await abandonOnAbort(ledger.sort(events), signal);
  await abandonOnAbort(ledger.markAttempts(dispatcher.listenedTo(fresh)), signal);
  onPolled(result);
  // Handled before and repeated by the hub: confirmed again, not handled again.
  for (const event of handled) acknowledger.add(event);
  await dispatcher.dispatch(fresh);
  await acknowledger.flush();
  const open = events.filter(({ eventId }) => !ledger.isConfirmed(eventId));
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
    issues: result.issues,
  };
}

function eachOnce(events: readonly OrderEvent[]): OrderEvent[] {
  return [...new Map(events.map((event) => [event.eventId, event])).values()];
}
