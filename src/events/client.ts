import { abandonOnAbort } from '../async/abort.js';
import { ACKNOWLEDGMENT_MAX_ITEMS } from '../endpoints.js';
import { ApiError, ConfigurationError, HubError } from '../errors.js';
import type { Call } from '../http/call.js';
import { type CallOptions, resolveCallOptions } from '../http/call-options.js';
import type { LeaseKeeper, Patience } from '../http/slot-queue.js';
import type { OrderEvent } from '../schemas/event.js';
import { isKnownEventType } from '../schemas/event-types.js';
import { bisect } from './bisect.js';
import { type PollResult, readPoll } from './read.js';
import { RefusalBackoff } from './refusal-backoff.js';

/** What an acknowledgment needs of an event; `receivedEventType` is sent where it is set. */
export type AcknowledgeableEvent = Pick<OrderEvent, 'eventId' | 'orderId' | 'eventType'> &
  Partial<Pick<OrderEvent, 'receivedEventType'>>;

export interface AcknowledgeResult {
  /** Ids the hub has confirmed; it will not send them again. */
  readonly acknowledged: readonly string[];
  /** The others, and why; `error.retryable` says whether the same may succeed later. */
  readonly rejected: ReadonlyArray<{
    /** The id of the event. */
    readonly eventId: string;
    /** Why the event is not acknowledged. */
    readonly error: HubError;
  }>;
}

/** Options of one poll, also for callers that do their own scheduling and retries. */
export interface PollOptions extends CallOptions {
  /** How often to try, instead of the client's `retry.attempts`. */
  readonly attempts?: number;
  /** How long to wait for quota. Default: as the client's `rateLimit` says. */
  readonly patience?: Patience;
  /** Acquired or renewed with the poll's slot; the poll is not sent without it. */
  readonly lease?: LeaseKeeper;
  /** Called once the request goes out. */
  readonly onSend?: () => void;
}

/** Options of one `acknowledge` call, also for how long it may wait for quota. */
export interface AcknowledgeOptions extends CallOptions {
  /** How long the call may take with all its retries, in ms. */
  readonly deadlineMs?: number;
  /** How long to wait for quota. Default: as the client's `rateLimit` says. */
  readonly patience?: Patience;
}

export interface EventsClientOptions {
  readonly send: <T>(call: Call<T>) => Promise<T>;
  readonly now: () => number;
  readonly throwIfClosed: () => void;
}

/** Acknowledgment requests under way at once: more gain nothing, fewer cost a third of the throughput. */
const IN_FLIGHT = 4;

/** Ids refused before that one call asks again. */
const SUSPECTS_AT_ONCE = 5;

/** Statuses that may be about one item of a batch (Spec §4.4; the standard answers 404 for an unknown id). */
const ABOUT_AN_ITEM: ReadonlySet<number> = new Set([400, 404, 413, 422]);

/** What the batches of one call know of each other. */
interface Shared {
  refusesAll: HubError | undefined;
  /** One batch at a time is taken apart: the others may not need it. */
  bisecting: Promise<unknown>;
}

/** One batch's fate. */
interface Outcome {
  readonly acknowledged: AcknowledgeableEvent[];
  readonly rejected: Array<{ event: AcknowledgeableEvent; error: HubError }>;
  /** Why the batch could not be sent at all. */
  readonly failure?: unknown;
}

/** Polling and acknowledging, one request at a time (Spec §4.3, §4.4). `EventPoller` is made of it. */
export class EventsClient {
  readonly #options: EventsClientOptions;
  readonly #refusedBefore: RefusalBackoff;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: EventsClientOptions) {
    this.#options = options;
    this.#refusedBefore = new RefusalBackoff(options.now);
  }

  /**
   * Polls once. Unconfirmed events come again at every poll, up to 1,000 of
   * them; no filter is sent, because a hub may confirm what a filter leaves out.
   *
   * @throws {AuthenticationError} the hub refused the credentials, or a fresh token.
   * @throws {NotFoundError} a wrong baseUrl or basePath; never read as "no events".
   * @throws {RateLimitError} no slot within `rateLimit.maxWaitMs`, or 429 (Spec §8).
   * @see Spec §4.3, §6.2
   */
  async poll(options: PollOptions = {}): Promise<PollResult> {
    const resolved = resolveCallOptions(options, 'attempts', 'patience', 'lease', 'onSend');
    return this.#options.send({ endpoint: 'polling', ...resolved, read: readPoll });
  }

  /**
   * Confirms events with the hub, which then forgets them. Any number; split
   * at 100 a request, four requests at a time, each event once.
   *
   * A batch that is refused is halved until the bad item stands alone, and an
   * id that was refused alone travels alone from then on.
   *
   * @throws {RateLimitError} 429 after retries, when nothing could be confirmed.
   * @throws {HubError} any other failure of the requests, when nothing could be confirmed.
   * @see Spec §4.4, §6.2, §8
   */
  async acknowledge(
    events: readonly AcknowledgeableEvent[],
    given: AcknowledgeOptions = {},
  ): Promise<AcknowledgeResult> {
    this.#options.throwIfClosed();
    const options = resolveCallOptions(given, 'deadlineMs', 'patience');
    options.signal?.throwIfAborted();
    if (!Array.isArray(events)) throw new ConfigurationError('events', 'must be a list of events');
    const { usable, rejected } = partition(events);
    const batches = this.#batchesOf(usable, rejected);
    const outcomes = await this.#sendAll(batches, options);
    rejected.push(...outcomes.flatMap((outcome) => outcome.rejected));
    // An id is confirmed when every event that has it is.
    const open = new Set(rejected.map(({ event }) => event.eventId));
    const confirmed = outcomes.flatMap((outcome) => outcome.acknowledged.map(({ eventId }) => eventId));
    const acknowledged = [...new Set(confirmed)].filter((eventId) => !open.has(eventId));
    const failed = outcomes.find((outcome) => outcome.failure !== undefined);
    if (failed && (acknowledged.length === 0 || !(failed.failure instanceof HubError))) throw failed.failure;
    return {
      acknowledged,
      rejected: rejected.map(({ event, error }) => ({ eventId: event.eventId, error })),
    };
  }

  /** Batches of one kind each: known types, unknown types, and every suspect for itself. */
  #batchesOf(
    events: readonly AcknowledgeableEvent[],
    rejected: Outcome['rejected'],
  ): AcknowledgeableEvent[][] {
    const known: AcknowledgeableEvent[] = [];
    const unknown: AcknowledgeableEvent[] = [];
    const alone: AcknowledgeableEvent[][] = [];
    for (const event of events) {
      const refusal = this.#refusedBefore.of(event.eventId);
      const isDue = refusal?.due && alone.length < SUSPECTS_AT_ONCE;
      if (refusal && !isDue) rejected.push({ event, error: refusal.error });
      else if (refusal) alone.push([event]);
      else (isKnownEventType(typeOf(event)) ? known : unknown).push(event);
    }
    return [...chunks(known), ...chunks(unknown), ...alone];
  }

  async #sendAll(
    batches: readonly AcknowledgeableEvent[][],
    options: AcknowledgeOptions,
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    // Once one batch has shown that the hub refuses everything, the others are not taken apart.
    const shared: Shared = { refusesAll: undefined, bisecting: Promise.resolve() };
    let next = 0;
    const worker = async () => {
      while (next < batches.length) {
        const batch = batches[next] as AcknowledgeableEvent[];
        next += 1;
        outcomes.push(await this.#inTurn(() => this.#sendBatch(batch, shared, options), options.signal));
      }
    };
    await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, batches.length) }, worker));
    return outcomes;
  }

  async #sendBatch(
    batch: readonly AcknowledgeableEvent[],
    shared: Shared,
    options: AcknowledgeOptions,
  ): Promise<Outcome> {
    const acknowledged: AcknowledgeableEvent[] = [];
    try {
      if (shared.refusesAll) return refusedAll(batch, shared.refusesAll);
      const refusal = await this.#post(batch, options);
      if (!refusal) {
        for (const { eventId } of batch) this.#refusedBefore.accepted(eventId);
        return { acknowledged: [...batch], rejected: [] };
      }
      if (batch.length > 1 && !this.#refusedBefore.mayAsk()) return refusedAll(batch, refusal);
      const bisected = shared.bisecting.then(() =>
        bisect(batch, refusal, async (part) => {
          if (shared.refusesAll) return shared.refusesAll;
          const answer = await this.#post(part, options);
          if (!answer) acknowledged.push(...part);
          return answer;
        }),
      );
      shared.bisecting = bisected.catch(() => {});
      const found = await bisected;
      if (found.refusesAll) {
        shared.refusesAll = refusal;
        this.#refusedBefore.refusedEverything();
        return refusedAll(batch, refusal);
      }
      for (const { item, refusal: error } of found.refused) this.#refusedBefore.note(item.eventId, error);
      for (const { eventId } of acknowledged) this.#refusedBefore.accepted(eventId);
      const rejected = found.refused.map(({ item, refusal: error }) => ({ event: item, error }));
      return { acknowledged, rejected };
    } catch (failure) {
      const left = batch.filter((event) => !acknowledged.includes(event));
      const rejected = failure instanceof HubError ? left.map((event) => ({ event, error: failure })) : [];
      return { acknowledged, rejected, failure };
    }
  }

  /** Waits until fewer than four requests of this client are under way. */
  async #inTurn<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    while (this.#underWay.size >= IN_FLIGHT) await abandonOnAbort(Promise.race(this.#underWay), signal);
    const run = work();
    const over: Promise<void> = run.then(
      () => void this.#underWay.delete(over),
      () => void this.#underWay.delete(over),
    );
    this.#underWay.add(over);
    return run;
  }

  /** Sends one request; the refusal where it may be about an item. */
  async #post(
    batch: readonly AcknowledgeableEvent[],
    options: AcknowledgeOptions,
  ): Promise<ApiError | undefined> {
    const items = batch.map((event) => ({
      id: event.eventId,
      orderId: event.orderId,
      eventType: typeOf(event),
    }));
    try {
      await this.#options.send({
        endpoint: 'acknowledgment',
        contentType: 'application/json',
        body: JSON.stringify(items),
        ...options,
        read: () => undefined,
      });
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && ABOUT_AN_ITEM.has(error.status)) return error;
      throw error;
    }
  }
}

const typeOf = (event: AcknowledgeableEvent) => event.receivedEventType ?? event.eventType;

/** Each event once; what is not an event is rejected without asking the hub. */
function partition(events: readonly unknown[]): {
  usable: AcknowledgeableEvent[];
  rejected: Outcome['rejected'];
} {
  const usable = new Map<string, AcknowledgeableEvent>();
  const rejected: Outcome['rejected'] = [];
  events.forEach((event, index) => {
    if (isAcknowledgeable(event)) {
      const key = JSON.stringify([event.eventId, event.orderId, typeOf(event)]);
      if (!usable.has(key)) usable.set(key, event);
      return;
    }
    const eventId: unknown = typeof event === 'object' && event !== null ? Reflect.get(event, 'eventId') : '';
    rejected.push({
      event: { eventId: typeof eventId === 'string' ? eventId : '', orderId: '', eventType: '' },
      error: new ConfigurationError(
        `events[${index}]`,
        'needs eventId, orderId and eventType as non-empty texts; pass the events as they were polled',
      ),
    });
  });
  return { usable: [...usable.values()], rejected };
}

function isAcknowledgeable(event: unknown): event is AcknowledgeableEvent {
  if (typeof event !== 'object' || event === null) return false;
  return ['eventId', 'orderId', 'eventType'].every((key) => {
    const value: unknown = Reflect.get(event, key);
    return typeof value === 'string' && value !== '';
  });
}

function chunks<T>(list: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < list.length; at += ACKNOWLEDGMENT_MAX_ITEMS) {
    parts.push(list.slice(at, at + ACKNOWLEDGMENT_MAX_ITEMS));
  }
  return parts;
}

function refusedAll(batch: readonly AcknowledgeableEvent[], error: HubError): Outcome {
  return { acknowledged: [], rejected: batch.map((event) => ({ event, error })) };
}
