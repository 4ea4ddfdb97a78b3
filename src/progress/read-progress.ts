import { ConfigurationError } from '../errors/index.js';
import { isObject } from '../reading/json.js';
import { isOrderStage, type OrderStage } from '../schemas/event-types.js';
import {
  type CancellationEvent,
  type CancellationProgress,
  cancellationOf,
  isCancellationEventType,
} from './cancellation.js';

/**
 * How far an order has come, as `orderProgress` returns it. It is plain JSON, to be
 * stored in a database as it is.
 */
export type OrderProgress = {
  /**
   * The latest event type of the order's life that has arrived. `CREATED` if none has arrived yet, because the order
   * exists. `CONCLUDED` and `CANCELLED` are final; of the two, `CANCELLED` counts.
   */
  readonly stage: OrderStage;
  /**
   * Whether a cancellation is requested. `asked_by_hub`: the hub or the customer asks, and the store must accept or
   * deny. `asked_by_store`: the hub has not answered yet. `denied`: the last request was denied, and the order goes
   * on. `none`: nobody has asked, or the order is concluded or cancelled.
   */
  readonly cancellation: CancellationProgress;
  /**
   * When the event that set `stage` was created, in epoch ms, by its `createdAt`. Some hubs send the time of the
   * order's creation. If several events set the same stage, the earliest. Absent: the hub sent no readable time.
   */
  readonly at?: number;
  /**
   * The requests and denials so far, which `orderProgress` needs to be independent of the order of arrival. Absent:
   * there are none, or the order is concluded or cancelled.
   */
  readonly cancellationEvents?: readonly CancellationEvent[];
};

/** What of a progress decides which commands are possible. */
export type OrderPosition = Pick<OrderProgress, 'stage' | 'cancellation'>;

const CANCELLATIONS: ReadonlySet<unknown> = new Set(['none', 'asked_by_store', 'asked_by_hub', 'denied']);

/**
 * Checks the fields of a progress that decide what the store can do.
 *
 * @throws {ConfigurationError} it is something else, such as JSON that was not parsed.
 */
export function checkPosition(progress: unknown): OrderPosition {
  if (typeof progress === 'string') refuse('is a string; parse the stored JSON before you pass it');
  if (!isObject(progress)) refuse('must be an object that orderProgress returned');
  const { stage, cancellation } = progress;
  if (!isOrderStage(stage)) refuse('has no known stage; pass an object that orderProgress returned');
  if (!CANCELLATIONS.has(cancellation)) {
    refuse('has no known cancellation; pass an object that orderProgress returned');
  }
  return { stage, cancellation: cancellation as OrderProgress['cancellation'] };
}

/**
 * Checks a whole progress, which may come from a database.
 *
 * @throws {ConfigurationError} `orderProgress` has not returned it, or a part of it is missing.
 */
export function checkProgress(progress: unknown): OrderProgress {
  const { stage, cancellation } = checkPosition(progress);
  const { at, cancellationEvents = [] } = progress as Partial<OrderProgress>;
  if (at !== undefined && !Number.isFinite(at)) refuse('has an `at` that is not a number of ms');
  if (!Array.isArray(cancellationEvents) || !cancellationEvents.every(isCancellationEvent)) {
    refuse('has invalid cancellationEvents; store the object as orderProgress returned it');
  }
  if (cancellationOf(cancellationEvents) !== cancellation) {
    refuse('lacks some of its cancellationEvents; store the whole object that orderProgress returned');
  }
  return { stage, cancellation, ...(at !== undefined && { at }), cancellationEvents };
}

function isCancellationEvent(event: unknown): event is CancellationEvent {
  if (!isObject(event)) return false;
  const { eventId, eventType, at } = event;
  return (
    typeof eventId === 'string' &&
    isCancellationEventType(eventType) &&
    (at === undefined || Number.isFinite(at))
  );
}

function refuse(problem: string): never {
  throw new ConfigurationError('progress', problem);
}
