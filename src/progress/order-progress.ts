import { ConfigurationError } from '../errors/index.js';
import { instantOf } from '../schemas/date-time.js';
import type { OrderEvent } from '../schemas/event.js';
import { canonicalEventType, isFinalStage, isOrderStage, lifecycleRank } from '../schemas/event-types.js';
import { cancellationOf, isCancellationEventType, withEvent } from './cancellation.js';
import { checkProgress, type OrderProgress } from './read-progress.js';

/** The fields of an event that `orderProgress` reads. */
export type ProgressEvent = Pick<OrderEvent, 'eventId' | 'eventType' | 'createdAt'>;

/**
 * The progress of an order after one more of its events. Call it with every event of the
 * order and store what it returns.
 *
 * The result depends only on the set of events: their order of arrival and repetitions change
 * nothing. It never goes back to an earlier stage. Event types that do not move an order on,
 * and types that only your hub has, change nothing.
 *
 * @param previous - what this function returned for the order's last event, also after
 *   `JSON.parse`; undefined for the first event.
 * @param event - an event of the same order, as a listener receives it.
 * @throws {ConfigurationError} `previous` is not a progress, or `event` is not an event.
 * @see Spec §6.1
 *
 * @example
 * ```ts
 * poller.on('event', async (event) => {
 *   const progress = orderProgress(await database.load(event.orderId), event);
 *   await database.save(event.orderId, progress);
 * });
 * ```
 */
export function orderProgress(
  previous: OrderProgress | null | undefined,
  event: ProgressEvent,
): OrderProgress {
  checkEvent(event);
  const before = previous === undefined || previous === null ? START : checkProgress(previous);
  const type = canonicalEventType(event.eventType);
  const at = instantOf(event.createdAt);
  if (isOrderStage(type)) return progress(furthest(before, { ...before, stage: type, at }));
  if (!isCancellationEventType(type)) return progress(before);
  const { eventId } = event;
  const own = { eventId, eventType: type, ...(at !== undefined && { at }) };
  return progress({ ...before, cancellationEvents: withEvent(before.cancellationEvents ?? [], own) });
}

type Parts = Pick<OrderProgress, 'stage' | 'cancellationEvents'> & { readonly at?: number | undefined };

const START: Parts = { stage: 'CREATED' };

/** An order without a CREATED event is in the same stage as one with it, so the known time counts. */
function furthest(a: Parts, b: Parts): Parts {
  const difference = lifecycleRank(a.stage) - lifecycleRank(b.stage);
  if (difference !== 0) return difference > 0 ? a : b;
  return (a.at ?? Number.POSITIVE_INFINITY) <= (b.at ?? Number.POSITIVE_INFINITY) ? a : b;
}

/** A request that is open when the order ends is over, so nothing of it is kept. */
function progress({ stage, at, cancellationEvents = [] }: Parts): OrderProgress {
  const events = isFinalStage(stage) ? [] : cancellationEvents;
  return {
    stage,
    cancellation: cancellationOf(events),
    ...(at !== undefined && { at }),
    ...(events.length > 0 && { cancellationEvents: events }),
  };
}

function checkEvent(event: unknown): void {
  const { eventId, eventType } = (event ?? {}) as Partial<Record<string, unknown>>;
  if (typeof eventId !== 'string' || typeof eventType !== 'string') {
    throw new ConfigurationError(
      'event',
      'must be an event with an eventId and an eventType, as a listener of the poller receives it',
    );
  }
}
