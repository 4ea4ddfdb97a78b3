import { ConfigurationError, HubError } from '../errors.js';
import type { Call } from '../http/call.js';
import { type CallOptions, callOptionsCheck } from '../http/call-options.js';
import type { HubResponse } from '../http/response.js';
import type { LeaseKeeper, Patience } from '../http/slot-queue.js';
import { type AcknowledgeOptions, BatchSender } from './batch-sender.js';
import { type AcknowledgeableEvent, batchesOf, usableEvents } from './batches.js';
import { merchants, pollHeaders } from './merchants.js';
import type { Quote } from './poller-context.js';
import { type PollResult, readPoll } from './read.js';
import { RefusalBackoff } from './refusal-backoff.js';

export type { AcknowledgeableEvent, AcknowledgeOptions };

export interface AcknowledgeResult {
  /** Ids that the hub has confirmed; it does not send them again. */
  readonly acknowledged: readonly string[];
  /** The other ids and why; `error.retryable` says whether the same call may succeed later. */
  readonly rejected: ReadonlyArray<{
    /** The id of the event. */
    readonly eventId: string;
    /** Why the event is not acknowledged. */
    readonly error: HubError;
  }>;
}

/** Options of one poll, for callers that do their own scheduling and retries. */
export interface PollOptions extends CallOptions {
  /** How often to try, instead of the client's `retry.attempts`. */
  readonly attempts?: number;
  /** How long to wait for quota. Default: as the client's `rateLimit` says. */
  readonly patience?: Patience;
  /** Ids of the shops whose events are polled, at most 100. Default: all of the credentials. */
  readonly merchants?: readonly string[];
}

/** What a poller passes; see `PollingClient`. */
export interface PollerPollOptions {
  /** Ends the poll. */
  readonly signal: AbortSignal;
  /** How often to try. */
  readonly attempts: number;
  /** How long to wait for quota; undefined: as the client's `rateLimit` says. */
  readonly patience: Patience | undefined;
  /** Acquired or renewed together with the poll's slot; without the lease the poll is not sent. */
  readonly lease: LeaseKeeper;
  /** Called when the request is sent. */
  readonly onSend: () => void;
  /** See `PollOptions`. */
  readonly merchants?: readonly string[] | undefined;
}

/** `EventsClient` as pollers see it. */
export interface PollingClient extends Pick<EventsClient, 'acknowledge' | 'isSaturated'> {
  pollLeased(options: PollerPollOptions): Promise<PollResult>;
}

export interface EventsClientOptions {
  readonly send: <T>(call: Call<T>) => Promise<T>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly throwIfClosed: () => void;
  /** The store, in a fleet. */
  readonly storeId?: string | undefined;
  readonly quote: Quote;
}

const checkPoll = callOptionsCheck<PollOptions>('attempts', 'patience', 'merchants');
const checkAcknowledge = callOptionsCheck<AcknowledgeOptions>('deadlineMs', 'patience');

/** Single polls and acknowledgments (Spec §4.3, §4.4). `EventPoller` uses both. */
export class EventsClient {
  readonly #options: EventsClientOptions;
  readonly #refusals: RefusalBackoff;
  readonly #sender: BatchSender;
  readonly #readPoll = (response: HubResponse) => readPoll(response, this.#options.quote);

  /** @internal */
  constructor(options: EventsClientOptions) {
    this.#options = options;
    this.#refusals = new RefusalBackoff(options.now);
    this.#sender = new BatchSender(options, this.#refusals);
  }

  /**
   * Whether the hub has refused events that are not forgotten yet.
   *
   * @internal
   */
  get hasRefusals(): boolean {
    return this.#refusals.hasAny;
  }

  /**
   * Whether an acknowledgment would have to wait for other requests.
   *
   * @internal
   */
  get isSaturated(): boolean {
    return this.#sender.isSaturated;
  }

  /**
   * Polls once. The hub sends unconfirmed events again at every poll, up to
   * 1,000 of them. No filter is sent, because some hubs confirm the events that
   * a filter leaves out.
   *
   * @throws {AuthenticationError} the hub refused the credentials, or a fresh token.
   * @throws {NotFoundError} a wrong baseUrl or basePath; never read as "no events".
   * @throws {RateLimitError} no slot within `rateLimit.maxWaitMs`, or 429 (Spec §8).
   * @see Spec §4.3, §6.2
   */
  async poll(options: PollOptions = {}): Promise<PollResult> {
    const { merchants: given, ...call } = checkPoll(options);
    const headers = pollHeaders(given && merchants('merchants', given));
    return this.#options.send({ ...call, headers, endpoint: 'polling', read: this.#readPoll });
  }

  /**
   * The poll of a poller, which has the store's lease.
   *
   * @internal
   */
  pollLeased(options: PollerPollOptions): Promise<PollResult> {
    const { signal, attempts, patience, lease, onSend, merchants: of } = options;
    return this.#options.send({
      signal,
      attempts,
      patience,
      lease,
      onSend,
      headers: pollHeaders(of),
      endpoint: 'polling',
      read: this.#readPoll,
    });
  }

  /**
   * Confirms events with the hub, which then stops sending them. Accepts any
   * number of events, removes duplicates, sends at most 100 in a request and at
   * most four requests at a time.
   *
   * A refused batch is halved until the bad item is found. An id that was
   * refused is from then on sent alone, and rarely.
   *
   * @throws {RateLimitError} 429 after retries, and nothing could be confirmed.
   * @throws {HubError} another failure of the requests, and nothing could be confirmed.
   * @see Spec §4.4, §6.2, §8
   */
  async acknowledge(
    events: readonly AcknowledgeableEvent[],
    given: AcknowledgeOptions = {},
  ): Promise<AcknowledgeResult> {
    this.#options.throwIfClosed();
    const options = checkAcknowledge(given);
    options.signal?.throwIfAborted();
    if (!Array.isArray(events)) throw new ConfigurationError('events', 'must be an array of events');
    const { usable, rejected: invalid } = usableEvents(events);
    const { batches, rejected: notDue } = batchesOf(usable, this.#refusals);
    const results = await this.#sender.sendAll(batches, options);
    const rejected = [...invalid, ...notDue, ...results.flatMap((result) => result.rejected)];
    // An id is confirmed when every event that has it is.
    const open = new Set(rejected.map(({ event }) => event.eventId));
    const confirmed = new Set(results.flatMap((result) => result.acknowledged.map(({ eventId }) => eventId)));
    const acknowledged = [...confirmed].filter((eventId) => !open.has(eventId));
    const failed = results.find(({ failure }) => failure !== undefined);
    if (failed && (acknowledged.length === 0 || !(failed.failure instanceof HubError))) throw failed.failure;
    return {
      acknowledged,
      rejected: rejected.map(({ event, error }) => ({ eventId: event.eventId, error })),
    };
  }
}
