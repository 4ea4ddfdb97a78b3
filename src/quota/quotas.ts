import { unlessFails } from '../async/promises.js';
import { StateError } from '../errors/index.js';
import { ENDPOINT_NAMES, type EndpointName } from '../hub/endpoints.js';
import type { EndpointTable } from '../hub/host-endpoints.js';
import type { MaybePromise, Reservation, State } from '../state/port.js';
import { type Clock, elapsedMs, instantAfter, type Moment, momentOf } from '../time/clock.js';
import { type GetHeader, readLimitHeaders, readRetryAfterMs } from './headers.js';
import { type PendingReservation, SlotQueue } from './queue.js';
import type { Granted, QuotaHolder, SlotRequest } from './request.js';
import { type RateLimitStatus, type Slot, Window } from './window.js';

/** If there was no response, the hub may have counted the request up to this much later than we think. */
const UNANSWERED_MARGIN_MS = 5000;

/** A request is sent at most this long after its slot was reserved. */
const SEND_MARGIN_MS = 5000;

export interface QuotasOptions {
  /** With the limits of the hub. */
  readonly endpoints: EndpointTable;
  readonly clock: Clock;
  readonly state: State;
}

/**
 * Grants every request a slot of its endpoint's quota before it is sent, so
 * that the hub never has a reason to respond with 429 (Spec §8).
 *
 * The state counts. A slot becomes free one window after the response, because
 * the hub may have counted the request at any moment before it.
 */
export class Quotas {
  readonly #endpoints: EndpointTable;
  readonly #clock: Clock;
  readonly #state: State;
  /** Only of windows for which a request waits. */
  readonly #queues = new Map<Window, SlotQueue>();
  /** Of the first slot that the state has granted: no other process has it. */
  #firstId: string | undefined;
  /** Slots of which the state does not know yet when they free. */
  readonly #settling = new Set<Promise<void>>();

  constructor({ endpoints, clock, state }: QuotasOptions) {
    this.#endpoints = endpoints;
    this.#clock = clock;
    this.#state = state;
  }

  /**
   * A slot when one is free; first come, first served. Not a promise if there is nothing to wait for.
   *
   * @throws {LeaseLostError} another client has the lease.
   * @throws {RateLimitError} with `origin: 'local'`: the wait would exceed `patience`.
   * @throws {StateError} the state is unreachable, and the request `needsState`.
   */
  reserve(holder: QuotaHolder, request: SlotRequest): Slot | Promise<Slot> {
    const { endpoint, scope, signal } = request;
    signal?.throwIfAborted();
    const window = this.windowOf(holder, endpoint, scope);
    const queue = this.#queues.get(window);
    if (queue) return queue.wait(request);
    const at = momentOf(this.#clock);
    const reservation = this.#ask(window, request, at);
    if (reservation instanceof Promise || !reservation.granted) {
      return this.#wait(window, request, { reservation, at });
    }
    const slot = this.#take(window, request, reservation, at);
    // The state may have led to an abort, by a listener that stops the poller.
    if (signal?.aborted) void this.settle(slot, 'unsent');
    signal?.throwIfAborted();
    return slot;
  }

  /**
   * Whether the state still holds the slot for as long as an exchange takes. It
   * does not if this process, or its machine, was suspended before the grant arrived.
   */
  mayUse({ isLocal, reservedAt }: Slot): boolean {
    return isLocal || elapsedMs(reservedAt, this.#clock) <= SEND_MARGIN_MS;
  }

  /**
   * The exchange is over. Without a response the slot stays taken a little longer. If nothing was sent, another
   * request may have it.
   *
   * @returns undefined if the state knows it.
   */
  settle(slot: Slot, exchanged: 'answered' | 'unanswered' | 'unsent'): Promise<void> | undefined {
    const { id, isLocal, window } = slot;
    const isSent = exchanged !== 'unsent';
    const afterMs = window.row.windowMs + (exchanged === 'unanswered' ? UNANSWERED_MARGIN_MS : 0);
    const now = this.#clock.monotonic();
    window.settle(slot, now, isSent ? instantAfter(now, afterMs) : undefined);
    try {
      const change = { id, freeInMs: isSent ? afterMs : 0 };
      const pending = isLocal ? undefined : this.#state.settle(window.key, change, this.#clock);
      // If it fails, the slot stays as it was reserved: taken for longer than necessary, never for less.
      if (pending instanceof Promise) {
        return this.#whileSettling(pending.catch(() => {}).then(() => this.#queues.get(window)?.wake()));
      }
    } catch {
      // As above.
    }
    // A slot may have become free for those who wait.
    this.#queues.get(window)?.wake();
    return undefined;
  }

  /** Resolves when the state knows of every slot when it frees, as far as it can be reached. */
  async settled(): Promise<void> {
    await Promise.all(this.#settling);
  }

  /** Applies the headers of a response other than 429: at `Remaining: 0` nothing is sent before the reset. */
  responded({ window }: Slot, header: GetHeader): void {
    window.consecutive429s = 0;
    if (header('x-ratelimit-reset') === undefined) return;
    const headers = readLimitHeaders(header, window.row.windowMs, this.#clock.now());
    window.applyHeaders(headers, this.#clock.monotonic());
  }

  /**
   * The hub responded with 429: blocks the endpoint.
   *
   * @param growthMs - what the n-th 429 in a row adds to the hub's wait.
   * @param maxUnreadMs - the longest wait if the hub does not say readably how long it is.
   * @returns for how long the endpoint is blocked, in ms.
   */
  async block(
    { window, reservedAt }: Slot,
    header: GetHeader,
    growthMs: (count: number) => number,
    maxUnreadMs = Number.POSITIVE_INFINITY,
  ): Promise<number> {
    // A request that was sent before the last 429 came does not repeat it.
    if (reservedAt.monotonic > window.refusedAt) window.consecutive429s += 1;
    window.refusedAt = this.#clock.monotonic();
    const askedMs = readRetryAfterMs(header, this.#clock.now()) ?? Math.min(window.row.windowMs, maxUnreadMs);
    const forMs = askedMs + growthMs(window.consecutive429s);
    window.block(instantAfter(this.#clock.monotonic(), forMs));
    // If it fails, this process knows it anyway.
    await unlessFails(() => this.#state.settle(window.key, { shutMs: forMs }, this.#clock));
    return forMs;
  }

  /** @param scope - a request with another API key has another quota. */
  windowOf(holder: QuotaHolder, endpoint: EndpointName, scope = holder.scope): Window {
    holder.windows ??= {};
    let window = holder.windows[endpoint];
    if (window?.scope !== scope) {
      const key = ['quota', scope, endpoint].join(':');
      window = new Window(this.#endpoints[endpoint], scope, key);
      holder.windows[endpoint] = window;
    }
    return window;
  }

  /** How long until the next slot, as far as this process knows; 0: the state decides. */
  waitMs(holder: QuotaHolder, endpoint: EndpointName): number {
    const window = holder.windows?.[endpoint];
    const known = window?.knownWait(window.row.limit, this.#clock.monotonic());
    return known?.granted === false ? known.waitMs : 0;
  }

  status(holder: QuotaHolder): Readonly<Record<EndpointName, RateLimitStatus>> {
    const now = this.#clock.monotonic();
    const resetAt = this.#clock.now();
    const entries = ENDPOINT_NAMES.map((endpoint) => {
      const { limit } = this.#endpoints[endpoint];
      const known = holder.windows?.[endpoint]?.status(now, resetAt);
      return [endpoint, known ?? { limit, remaining: limit, resetAt }] as const;
    });
    return Object.fromEntries(entries) as Record<EndpointName, RateLimitStatus>;
  }

  #ask(window: Window, request: SlotRequest, at: Moment): MaybePromise<Reservation> {
    const { lease, limit = window.row.limit } = request;
    const known = window.knownWait(limit, at.monotonic);
    if (known) return known;
    try {
      const holdMs = holdMsOf(window, request);
      const asked = this.#state.reserve(window.key, { limit, holdMs, lease: lease?.request }, this.#clock);
      if (asked instanceof Promise) return this.#awaited(asked, window, request, at);
      lease?.reserved(asked, at);
      return asked;
    } catch (cause) {
      return this.#withoutState(window, request, cause);
    }
  }

  async #awaited(asked: Promise<Reservation>, window: Window, request: SlotRequest, at: Moment) {
    try {
      const reservation = await asked;
      request.lease?.reserved(reservation, at);
      return reservation;
    } catch (cause) {
      return this.#withoutState(window, request, cause);
    }
  }

  #withoutState(window: Window, { endpoint, limit, needsState }: SlotRequest, cause: unknown): Reservation {
    if (!needsState) return window.reserveLocally(limit ?? window.row.limit, this.#clock.monotonic());
    // The events wait at the hub.
    throw new StateError(
      `${endpoint}: not sent, because the state that counts requests across processes is unreachable`,
      { cause },
    );
  }

  #take(window: Window, request: SlotRequest, { id, remaining }: Granted, reservedAt: Moment): Slot {
    const now = this.#clock.monotonic();
    const freeAt = instantAfter(now, holdMsOf(window, request));
    const slot = window.take({ id, reservedAt, freeAt });
    if (slot.isLocal) return slot;
    this.#firstId ??= id;
    const limit = request.limit ?? window.row.limit;
    for (const lost of window.lost(slot, limit, remaining, now, this.#firstId)) {
      const change = { id: lost.id, freeInMs: lost.freeAt - now };
      void unlessFails(() => this.#state.settle(window.key, change, this.#clock));
    }
    return slot;
  }

  #wait(window: Window, request: SlotRequest, first: PendingReservation): Promise<Slot> {
    const queue = new SlotQueue({
      clock: this.#clock,
      window,
      ask: (next, at) => this.#ask(window, next, at),
      take: (next, granted, at) => this.#take(window, next, granted, at),
      release: (slot) => void this.settle(slot, 'unsent'),
      onEmpty: () => void this.#queues.delete(window),
    });
    this.#queues.set(window, queue);
    return queue.wait(request, first);
  }

  #whileSettling(settling: Promise<void>): Promise<void> {
    this.#settling.add(settling);
    return settling.finally(() => this.#settling.delete(settling));
  }
}

/** How long a slot stays taken if nobody settles it: until the request is sent, the longest exchange, then the window. */
const holdMsOf = ({ row }: Window, { timeoutMs }: SlotRequest) => SEND_MARGIN_MS + timeoutMs + row.windowMs;
