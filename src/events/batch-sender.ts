import { Limit } from '../async/limit.js';
import { ApiError, HubError } from '../errors.js';
import type { Call } from '../http/call.js';
import type { CallOptions } from '../http/call-options.js';
import type { Patience } from '../http/slot-queue.js';
import { ACKNOWLEDGE } from '../tracing/channels.js';
import { isTraced, trace } from '../tracing/operation.js';
import { type AcknowledgeableEvent, type Batch, type RejectedEvent, receivedTypeOf } from './batches.js';
import { bisect } from './bisect.js';
import type { Quote } from './poller-context.js';
import type { RefusalBackoff } from './refusal-backoff.js';

/** Options of one `acknowledge` call: abort signal, deadline, and how long to wait for quota. */
export interface AcknowledgeOptions extends CallOptions {
  /** How long the call may take with all its retries, in ms. */
  readonly deadlineMs?: number;
  /** How long to wait for quota. Default: as the client's `rateLimit` says. */
  readonly patience?: Patience;
}

/** Acknowledgment requests in flight at a time: more gain nothing, fewer cost a third of the throughput. */
const MAX_IN_FLIGHT = 4;

/** Statuses that may be about one item of a batch (Spec §4.4; in the standard, 404 is the response to an unknown id). */
const ITEM_STATUSES: ReadonlySet<number> = new Set([400, 404, 413, 422]);

export interface BatchSenderOptions {
  readonly send: (call: Call<void>) => Promise<void>;
  /** The store, in a fleet. */
  readonly storeId?: string | undefined;
  readonly quote: Quote;
}

export interface BatchResult {
  readonly acknowledged: Batch;
  readonly rejected: readonly RejectedEvent[];
  /** Why the batch could not be sent. */
  readonly failure?: unknown;
}

/** What the batches of one call share. */
interface SharedByCall {
  /** Set when one batch has shown that the hub refuses everything: the other batches are not bisected. */
  refusesAll: HubError | undefined;
  /** Only one batch is bisected at a time: the others may not need it. */
  bisecting: Promise<unknown>;
}

/** Sends batches of acknowledgments, four at a time, and bisects a batch that the hub refuses. */
export class BatchSender {
  readonly #options: BatchSenderOptions;
  readonly #refusals: RefusalBackoff;
  readonly #limit = new Limit(MAX_IN_FLIGHT);

  constructor(options: BatchSenderOptions, refusals: RefusalBackoff) {
    this.#options = options;
    this.#refusals = refusals;
  }

  /** Whether another batch would have to wait. */
  get isSaturated(): boolean {
    return this.#limit.isFull;
  }

  /** Never rejects. An abort of `options.signal` is the `failure` of the batches that it keeps from being sent. */
  sendAll(batches: readonly Batch[], options: AcknowledgeOptions): Promise<BatchResult[]> {
    const shared: SharedByCall = { refusesAll: undefined, bisecting: Promise.resolve() };
    return Promise.all(
      batches.map((batch) =>
        this.#limit
          .run(() => this.#sendTraced(batch, shared, options), options.signal)
          .catch((failure: unknown) => failed(batch, [], failure)),
      ),
    );
  }

  #sendTraced(batch: Batch, shared: SharedByCall, options: AcknowledgeOptions): Promise<BatchResult> {
    if (!isTraced(ACKNOWLEDGE)) return this.#sendBatch(batch, shared, options);
    const { quote, storeId } = this.#options;
    const eventIds = batch.map(({ eventId }) => quote(eventId));
    return trace(ACKNOWLEDGE, { storeId, eventIds }, async (traced) => {
      const result = await this.#sendBatch(batch, shared, options);
      const { acknowledged, rejected, failure } = result;
      traced.acknowledged = acknowledged.length;
      if (acknowledged.length < batch.length) traced.error = failure ?? rejected[0]?.error;
      return result;
    });
  }

  async #sendBatch(batch: Batch, shared: SharedByCall, options: AcknowledgeOptions): Promise<BatchResult> {
    const acknowledged: AcknowledgeableEvent[] = [];
    try {
      if (shared.refusesAll) return rejectedAll(batch, shared.refusesAll);
      const refusal = await this.#post(batch, options);
      if (!refusal) {
        for (const { eventId } of batch) this.#refusals.accepted(eventId);
        return { acknowledged: batch, rejected: [] };
      }
      if (batch.length > 1 && this.#refusals.isHubBackingOff) return rejectedAll(batch, refusal);
      const bisected = shared.bisecting.then(() =>
        bisect(batch, refusal, async (part) => {
          if (shared.refusesAll) return shared.refusesAll;
          const partRefusal = await this.#post(part, options);
          if (!partRefusal) acknowledged.push(...part);
          return partRefusal;
        }),
      );
      shared.bisecting = bisected.catch(() => {});
      const { refused, refusesAll } = await bisected;
      if (refusesAll) {
        shared.refusesAll = refusal;
        this.#refusals.refusedAll();
        return rejectedAll(batch, refusal);
      }
      for (const { item, refusal: error } of refused) this.#refusals.refused(item.eventId, error);
      for (const { eventId } of acknowledged) this.#refusals.accepted(eventId);
      const rejected = refused.map(({ item, refusal: error }) => ({ event: item, error }));
      return { acknowledged, rejected };
    } catch (failure) {
      return failed(batch, acknowledged, failure);
    }
  }

  /** Sends one request; returns the hub's refusal if an item may have caused it. */
  async #post(batch: Batch, options: AcknowledgeOptions): Promise<HubError | undefined> {
    const items = batch.map((event) => ({
      id: event.eventId,
      orderId: event.orderId,
      eventType: receivedTypeOf(event),
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
      if (error instanceof ApiError && ITEM_STATUSES.has(error.status)) return error;
      throw error;
    }
  }
}

function rejectedAll(batch: Batch, error: HubError): BatchResult {
  return { acknowledged: [], rejected: batch.map((event) => ({ event, error })) };
}

/** @param acknowledged - the part of the batch that was acknowledged before the failure. */
function failed(batch: Batch, acknowledged: Batch, failure: unknown): BatchResult {
  const rest = batch.filter((event) => !acknowledged.includes(event));
  const rejected = failure instanceof HubError ? rest.map((event) => ({ event, error: failure })) : [];
  return { acknowledged, rejected, failure };
}
