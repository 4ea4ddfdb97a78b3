import { Limit } from '../async/promises.js';
import type { Account } from '../auth/account.js';
import { HubError } from '../errors/index.js';
import type { CallOptions } from '../http/call-options.js';
import { ACKNOWLEDGMENT_MAX_ITEMS } from '../hub/endpoints.js';
import { ACKNOWLEDGE } from '../observe/channels.js';
import { isTraced, trace } from '../observe/operation.js';
import type { Patience } from '../quota/request.js';
import type { OrderEvent } from '../schemas/event.js';
import { isKnownEventType } from '../schemas/event-types.js';
import type { Services } from '../services/services.js';
import { divide } from './divide.js';
import { isServerError, RefusalBackoff } from './refusal-backoff.js';

/** The fields of an event that an acknowledgment needs; `receivedEventType` is sent if it is set. */
export type AcknowledgeableEvent = Pick<OrderEvent, 'eventId' | 'orderId' | 'eventType'> &
  Partial<Pick<OrderEvent, 'receivedEventType'>>;

/** The events of one request. */
export type Batch = readonly AcknowledgeableEvent[];

/** Options of one `acknowledge` call: abort signal, deadline, and how long to wait for quota. */
export interface AcknowledgeOptions extends CallOptions {
  /** How long the call may take with all its retries, in ms. */
  readonly deadlineMs?: number;
  /** How long to wait for quota. Default: as the client's `rateLimit` says. */
  readonly patience?: Patience;
}

/** Of a poller's calls also: what is called before each attempt of a request. If it throws, that is not sent. */
interface SendOptions extends AcknowledgeOptions {
  readonly onSend?: () => void;
}

/** Which events of an `acknowledge` call the hub has confirmed, and which not. */
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

export type RejectedEvent = AcknowledgeResult['rejected'][number];

/** Acknowledgment requests in flight at a time: more gain nothing, fewer cost a third of the throughput. */
const MAX_IN_FLIGHT = 4;

/** At most this many previously refused ids are retried per call. */
const MAX_RETRIED_IDS = 10;

export interface BatchResult {
  readonly acknowledged: Batch;
  readonly rejected: readonly RejectedEvent[];
  /** Why the batch could not be sent. */
  readonly failure?: unknown;
}

/** What the batches of one call share. */
interface SharedByCall {
  /** Set when one batch has shown that the hub refuses everything: the other batches are not sent. */
  refusesAll: HubError | undefined;
}

/** The acknowledgments of one store: in batches, and with what the hub has refused so far. */
export class Acknowledgments {
  readonly #services: Services;
  readonly #account: Account;
  /** Undefined while every request was successful. */
  #refusals: RefusalBackoff | undefined;
  readonly #limit = new Limit(MAX_IN_FLIGHT);

  constructor(services: Services, account: Account) {
    this.#services = services;
    this.#account = account;
  }

  /** Whether another batch would have to wait. */
  get isSaturated(): boolean {
    return this.#limit.isFull;
  }

  /**
   * Sends events that are checked and have no duplicates. See `EventsClient.acknowledge`.
   *
   * @param invalid - rejected already.
   */
  async send(
    events: readonly AcknowledgeableEvent[],
    options: SendOptions,
    invalid: readonly RejectedEvent[] = [],
  ): Promise<AcknowledgeResult> {
    const { batches, rejected: notDue } = this.#batchesOf(events);
    const shared: SharedByCall = { refusesAll: undefined };
    const sent = batches.map((batch) =>
      this.#limit
        .run(
          () =>
            isTraced(ACKNOWLEDGE)
              ? this.#sendTraced(batch, shared, options)
              : this.#sendBatch(batch, shared, options),
          options.signal,
        )
        // An abort while it waited.
        .catch((failure: unknown) => failed(batch, failure)),
    );
    const results = await Promise.all(sent);
    const rejected = [...invalid, ...notDue, ...results.flatMap((result) => result.rejected)];
    // An id is confirmed when every event that has it is.
    const open = new Set(rejected.map(({ eventId }) => eventId));
    const confirmed = new Set(results.flatMap((result) => result.acknowledged.map(({ eventId }) => eventId)));
    const acknowledged = [...confirmed].filter((eventId) => !open.has(eventId));
    const failure = results.find((result) => result.failure !== undefined)?.failure;
    if (failure !== undefined && (acknowledged.length === 0 || !(failure instanceof HubError))) throw failure;
    return { acknowledged, rejected };
  }

  /**
   * Splits events into batches of at most 100. Event types that the standard
   * does not know get their own batches, and so do suspects and each id that was
   * refused alone: one bad item makes the hub refuse the whole batch.
   *
   * @returns also the previously refused ids that are not retried yet.
   */
  #batchesOf(events: readonly AcknowledgeableEvent[]): { batches: Batch[]; rejected: RejectedEvent[] } {
    const known: AcknowledgeableEvent[] = [];
    const unknown: AcknowledgeableEvent[] = [];
    const suspects: AcknowledgeableEvent[] = [];
    const single: Batch[] = [];
    const rejected: RejectedEvent[] = [];
    for (const event of events) {
      const refusal = this.#refusals?.find(event.eventId);
      if (!refusal)
        (isKnownEventType(event.receivedEventType ?? event.eventType) ? known : unknown).push(event);
      else if (refusal.isDue && refusal.isSuspect) suspects.push(event);
      else if (refusal.isDue && single.length < MAX_RETRIED_IDS) single.push([event]);
      else rejected.push({ eventId: event.eventId, error: refusal.error });
    }
    const batches: Batch[] = [];
    for (const list of [known, unknown, suspects]) {
      for (let at = 0; at < list.length; at += ACKNOWLEDGMENT_MAX_ITEMS) {
        batches.push(list.slice(at, at + ACKNOWLEDGMENT_MAX_ITEMS));
      }
    }
    return { batches: [...batches, ...single], rejected };
  }

  #sendTraced(batch: Batch, shared: SharedByCall, options: SendOptions): Promise<BatchResult> {
    const account = this.#account;
    const eventIds = batch.map(({ eventId }) => account.quote(eventId));
    const context = { storeId: account.storeId, ...account.serverOf('acknowledgment'), eventIds };
    return trace(ACKNOWLEDGE, context, async (traced) => {
      const result = await this.#sendBatch(batch, shared, options);
      const { acknowledged, rejected, failure } = result;
      traced.acknowledged = acknowledged.length;
      if (acknowledged.length < batch.length) traced.error = failure ?? rejected[0]?.error;
      return result;
    });
  }

  /** Never rejects. */
  async #sendBatch(batch: Batch, shared: SharedByCall, options: SendOptions): Promise<BatchResult> {
    try {
      if (shared.refusesAll) return rejectedAll(batch, shared.refusesAll);
      const earlier = batch[0] && this.#refusals?.find(batch[0].eventId);
      // An earlier batch may have been refused since.
      if (earlier?.isDue === false) return rejectedAll(batch, earlier.error);
      const areSuspects = earlier?.isSuspect === true;
      const refusal = areSuspects ? earlier.error : await this.#post(batch, options, earlier?.error);
      if (!refusal) {
        for (const { eventId } of batch) this.#refusals?.accepted(eventId);
        return { acknowledged: batch, rejected: [] };
      }
      const refusals = this.#allRefusals();
      const post = (part: Batch) => this.#post(part, options, refusal);
      const result = await refusals.dividing.run(
        () => divide({ batch, refusal, areSuspects, refusals, post }),
        options.signal,
      );
      if (result.acknowledged.length === 0 && refusals.isHubBackingOff) shared.refusesAll = refusal;
      return result;
    } catch (failure) {
      return failed(batch, failure);
    }
  }

  /**
   * Sends one request; returns the hub's refusal if an item may have caused it.
   *
   * @param earlier - the refusal of the batch that this one is a part of. If that was a server error, another one is a refusal too.
   */
  async #post(batch: Batch, options: SendOptions, earlier?: HubError): Promise<HubError | undefined> {
    // Events that differ in other fields only are one item for the hub.
    const items = new Set(
      batch.map((event) =>
        JSON.stringify({
          id: event.eventId,
          orderId: event.orderId,
          eventType: event.receivedEventType ?? event.eventType,
        }),
      ),
    );
    try {
      await this.#services.send(this.#account, {
        endpoint: 'acknowledgment',
        contentType: 'application/json',
        body: `[${[...items].join()}]`,
        ...options,
        ...(earlier && isServerError(earlier) && { attempts: 1 }),
      });
      return undefined;
    } catch (error) {
      if (this.#allRefusals().mayBeAnItem(error, batch, earlier)) return error;
      throw error;
    }
  }

  #allRefusals(): RefusalBackoff {
    this.#refusals ??= new RefusalBackoff(() => this.#services.clock.monotonic());
    return this.#refusals;
  }
}

const rejectedAll = (batch: Batch, error: HubError): BatchResult => ({
  acknowledged: [],
  rejected: batch.map(({ eventId }) => ({ eventId, error })),
});

const failed = (batch: Batch, failure: unknown): BatchResult =>
  failure instanceof HubError
    ? { ...rejectedAll(batch, failure), failure }
    : { acknowledged: [], rejected: [], failure };
