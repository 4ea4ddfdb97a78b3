import { type Clock, elapsedMs, instantAfter } from '../clock.js';
import { ENDPOINT_NAMES, ENDPOINTS, type EndpointName } from '../endpoints.js';
import type { EndpointTable } from '../host-endpoints.js';
import type { State } from '../state/port.js';
import { isLocal, Lane, type RateLimitStatus, type Slot } from './lane.js';
import { readLimitHeaders } from './limit-headers.js';
import { freeInMsOf, holdMsOf, quotaKey, SEND_MARGIN_MS } from './quota.js';
import type { GetHeader } from './retry-after.js';
import { type LeaseKeeper, type Patience, SlotQueue } from './slot-queue.js';

/** Options of one reservation. */
export interface ReserveOptions {
  /** At most this many of the endpoint's slots may be taken. Default: all of them. */
  readonly limit?: number | undefined;
  /** The longest exchange that may follow, in ms. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Acquired or renewed in the same step; without it no slot is granted. */
  readonly lease?: LeaseKeeper | undefined;
}

export interface GovernorOptions {
  /** With the limits of the hub. Default: those of Spec §8. */
  readonly endpoints?: EndpointTable | undefined;
  readonly clock: Clock;
  readonly state: State;
  /** The longest exchange, in ms; limits how long a slot that nobody settles stays taken. */
  readonly timeoutMs: number;
  /** What an earlier governor of the store knew of the polling quota. */
  readonly pollingLane?: Lane | undefined;
}

/** The lane knows, the queue waits. */
interface Quota {
  readonly lane: Lane;
  readonly queue: SlotQueue;
}

/**
 * Grants every request a slot of its endpoint's quota before it is sent, so
 * that the hub never has a reason to respond with 429 (Spec §8).
 *
 * A slot becomes free one window after the response, because the hub may have
 * counted the request at any moment before it.
 */
export class Governor {
  readonly #endpoints: EndpointTable;
  readonly #clock: Clock;
  readonly #state: State;
  readonly #timeoutMs: number;
  readonly #quotas: Partial<Record<EndpointName, Quota>> = {};
  readonly #pollingLane: Lane | undefined;
  /** Slots of which the state does not know yet when they free. */
  #settling: Set<Promise<void>> | undefined;

  constructor({ endpoints = ENDPOINTS, clock, state, timeoutMs, pollingLane }: GovernorOptions) {
    this.#endpoints = endpoints;
    this.#pollingLane = pollingLane;
    this.#clock = clock;
    this.#state = state;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Resolves to a slot when one is free; first come, first served.
   *
   * @param scope - whose quota it is; the hub counts per store.
   * @throws {LeaseLostError} another client has the lease.
   * @throws {RateLimitError} with `origin: 'local'`: the wait would exceed `patience`.
   * @throws {StateError} the state is unreachable; for polls and token requests only.
   */
  reserve(
    endpoint: EndpointName,
    scope: string,
    patience: Patience,
    signal?: AbortSignal,
    { limit = this.#endpoints[endpoint].limit, timeoutMs = this.#timeoutMs, lease }: ReserveOptions = {},
  ): Promise<Slot> {
    const key = quotaKey(scope, endpoint);
    const request = { key, limit, holdMs: holdMsOf(this.#endpoints[endpoint], timeoutMs), lease };
    return this.#quotaOf(endpoint).queue.reserve(request, patience, signal);
  }

  /**
   * Whether the state still holds the slot for as long as an exchange takes. It
   * does not if this process, or its machine, was suspended before the grant arrived.
   */
  mayUse(slot: Slot): boolean {
    const { reservedAt } = slot;
    return (
      isLocal(slot) || (reservedAt !== undefined && elapsedMs(reservedAt, this.#clock) <= SEND_MARGIN_MS)
    );
  }

  /** The exchange is over. Without a response the slot stays taken a little longer. @returns undefined if the state has it. */
  settle(slot: Slot, hasResponse: boolean): Promise<void> | undefined {
    const freeInMs = freeInMsOf(this.#endpoints[slot.endpoint], hasResponse);
    slot.freeAt = instantAfter(this.#clock.monotonic(), freeInMs);
    slot.reservedAt = undefined;
    return this.#settleInState(slot, freeInMs);
  }

  /** Nothing was sent under this slot: another request may have it. */
  async release(slot: Slot): Promise<void> {
    this.#quotaOf(slot.endpoint).lane.remove(slot);
    await this.#settleInState(slot, 0);
  }

  /** Resolves when the state knows of every slot when it frees, as far as it can be reached. */
  async settled(): Promise<void> {
    await Promise.all(this.#settling ?? []);
  }

  /** Applies the headers of a response other than 429: at `Remaining: 0` nothing is sent before the reset. */
  applyHeaders({ endpoint }: Slot, header: GetHeader): void {
    const headers = readLimitHeaders(header, this.#endpoints[endpoint].windowMs, this.#clock.now());
    this.#quotaOf(endpoint).lane.responded(headers, this.#clock.monotonic());
  }

  /**
   * The hub responded with 429: blocks the endpoint.
   *
   * @param growthMs - what the n-th 429 in a row adds to the hub's wait.
   * @returns for how long the endpoint is blocked, in ms.
   */
  async block(slot: Slot, retryAfterMs: number, growthMs: (count: number) => number): Promise<number> {
    const { lane } = this.#quotaOf(slot.endpoint);
    const forMs = retryAfterMs + growthMs(lane.count429());
    lane.block(instantAfter(this.#clock.monotonic(), forMs));
    try {
      await this.#state.settle(slot.key, { shutMs: forMs }, this.#clock);
    } catch {
      // This client knows it anyway.
    }
    return forMs;
  }

  /** What this governor knows of the polling quota. */
  get pollingLane(): Lane {
    return this.#quotaOf('polling').lane;
  }

  status(): Readonly<Record<EndpointName, RateLimitStatus>> {
    const now = this.#clock.monotonic();
    const wallNow = this.#clock.now();
    const entries = ENDPOINT_NAMES.map(
      (endpoint) => [endpoint, this.#quotaOf(endpoint).lane.status(now, wallNow)] as const,
    );
    return Object.fromEntries(entries) as Record<EndpointName, RateLimitStatus>;
  }

  #settleInState(slot: Slot, freeInMs: number): Promise<void> | undefined {
    const { queue } = this.#quotaOf(slot.endpoint);
    const settled = () => queue.wake();
    try {
      const pending = isLocal(slot)
        ? undefined
        : this.#state.settle(slot.key, { id: slot.id, freeInMs }, this.#clock);
      // If it fails, the slot stays as it was reserved: taken for longer than necessary, never for less.
      if (pending instanceof Promise) return this.#whileSettling(pending.then(settled, settled));
    } catch {
      // As above.
    }
    settled();
    return undefined;
  }

  #whileSettling(settling: Promise<void>): Promise<void> {
    this.#settling ??= new Set();
    this.#settling.add(settling);
    return settling.finally(() => this.#settling?.delete(settling));
  }

  #quotaOf(endpoint: EndpointName): Quota {
    let quota = this.#quotas[endpoint];
    if (!quota) {
      const row = this.#endpoints[endpoint];
      const lane = (endpoint === 'polling' ? this.#pollingLane : undefined) ?? new Lane(row.limit);
      const release = (slot: Slot) => this.release(slot);
      const queue = new SlotQueue(endpoint, { row, clock: this.#clock, state: this.#state, lane, release });
      quota = { lane, queue };
      this.#quotas[endpoint] = quota;
    }
    return quota;
  }
}
