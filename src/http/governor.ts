import { drain } from '../async/drain.js';
import type { Clock } from '../clock.js';
import { ENDPOINT_NAMES, ENDPOINTS, type EndpointName } from '../endpoints.js';
import { LeaseLostError, RateLimitError, StateError } from '../errors.js';
import type { LeaseRequest, MaybePromise, Reservation, ReservationRequest, State } from '../state/port.js';
import { type LimitHeaders, readLimitHeaders } from './retry-after.js';

/** Added where no answer came: the hub may have counted the request this much later than we think. */
const UNANSWERED_MARGIN_MS = 5000;

/** Every reservation here looks again at least this often: another process may have given slots back. */
const MAX_SLEEP_MS = 60_000;

/** Ids of slots the state does not know. */
const LOCAL = 'local:';

/** What is left of an endpoint's quota, as far as this client knows. */
export interface RateLimitStatus {
  /** Requests in a window (Spec §8). */
  readonly limit: number;
  readonly remaining: number;
  /** Epoch ms at which the next slot frees; the present where none is taken. */
  readonly resetAt: number;
}

/** How long a call is willing to wait for its slot. */
export interface Patience {
  /** For the quota of Spec §8. */
  readonly quotaMs: number;
  /** For an endpoint the hub has shut with 429. */
  readonly shutMs: number;
}

export interface Slot {
  readonly endpoint: EndpointName;
  readonly key: string;
  readonly id: string;
  /** Whether the state counts it too, or only this client while the state is out of reach. */
  readonly isInState: boolean;
  freeAt: number;
}

/** A lease that is acquired or renewed together with a slot. */
export interface LeaseKeeper {
  readonly request: LeaseRequest;
  /** @param sentAt - when the state was asked, on both clocks: the lease counts from then. */
  reserved(answer: Reservation, sentAt: { readonly monotonic: number; readonly wall: number }): void;
}

/** What one reservation has of its own. */
export interface ReserveOptions {
  /** At most this many of the endpoint's slots may be taken. Default: all of them. */
  readonly limit?: number | undefined;
  /** The longest exchange that may follow. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Asked for in the same step; without it there is no slot. */
  readonly lease?: LeaseKeeper | undefined;
}

interface Waiter {
  readonly key: string;
  readonly limit: number;
  readonly lease: LeaseKeeper | undefined;
  readonly holdMs: number;
  readonly quotaUntil: number;
  readonly shutUntil: number;
  readonly grant: (slot: Slot) => void;
  readonly refuse: (error: unknown) => void;
}

interface Lane {
  readonly waiters: Set<Waiter>;
  readonly slots: Set<Slot>;
  pumping: boolean;
  wake: AbortController | undefined;
  shutUntil: number;
  refusals: number;
  told: (LimitHeaders & { until: number }) | undefined;
}

export interface GovernorOptions {
  readonly clock: Clock;
  readonly state: State;
  /** The longest exchange, which bounds how long an unsettled slot stays taken. */
  readonly timeoutMs: number;
}

/**
 * Waits for a slot of the endpoint's quota before every send, first come first
 * served, so that the hub never has a reason to answer 429 (Spec §8).
 *
 * A slot frees one window after the answer, because the hub may have counted
 * the request at any moment before it.
 */
export class Governor {
  readonly #clock: Clock;
  readonly #state: State;
  #lastLocalId = 0;
  readonly #timeoutMs: number;
  readonly #lanes = new Map<EndpointName, Lane>();

  constructor({ clock, state, timeoutMs }: GovernorOptions) {
    this.#clock = clock;
    this.#state = state;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @param scope - whose quota it is; the hub counts per store.
   * @throws {LeaseLostError} another client has the lease.
   * @throws {RateLimitError} with `origin: 'local'` when the wait would exceed `patience`.
   */
  reserve(
    endpoint: EndpointName,
    scope: string,
    patience: Patience,
    signal?: AbortSignal,
    { limit = ENDPOINTS[endpoint].limit, timeoutMs = this.#timeoutMs, lease }: ReserveOptions = {},
  ): Promise<Slot> {
    const lane = this.#lane(endpoint);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const now = this.#clock.monotonic();
      const aheadMs = Math.floor(lane.waiters.size / limit) * ENDPOINTS[endpoint].windowMs;
      if (aheadMs > patience.quotaMs) {
        reject(localRefusal(endpoint, aheadMs));
        return;
      }
      const onAbort = () => {
        lane.waiters.delete(waiter);
        lane.wake?.abort('woken');
        reject(signal?.reason);
      };
      const done = () => {
        signal?.removeEventListener('abort', onAbort);
        lane.waiters.delete(waiter);
      };
      const waiter: Waiter = {
        key: quotaKey(scope, endpoint),
        limit,
        lease,
        holdMs: holdMsOf(endpoint, timeoutMs),
        quotaUntil: now + patience.quotaMs,
        shutUntil: now + patience.shutMs,
        grant: (slot) => {
          done();
          resolve(slot);
        },
        refuse: (error) => {
          done();
          reject(error);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      lane.waiters.add(waiter);
      if (!lane.pumping) void this.#pump(endpoint, lane);
    });
  }

  /** The exchange is over. Without an answer the slot stays taken a little longer. */
  async settle(slot: Slot, answered: boolean): Promise<void> {
    const freeInMs = ENDPOINTS[slot.endpoint].windowMs + (answered ? 0 : UNANSWERED_MARGIN_MS);
    slot.freeAt = this.#clock.monotonic() + freeInMs;
    await this.#settleInState(slot, freeInMs);
    this.#lane(slot.endpoint).wake?.abort('woken');
  }

  /** Reads the consumption headers; at `Remaining: 0` nothing more is sent before the reset. */
  observe({ endpoint }: Slot, header: (name: string) => string | undefined): void {
    const told = readLimitHeaders(header, ENDPOINTS[endpoint].windowMs, this.#clock.now());
    if (told.resetMs === undefined) return;
    this.#lane(endpoint).told = { ...told, until: this.#clock.monotonic() + told.resetMs };
  }

  /**
   * The hub answered 429: nothing goes to this endpoint for that long.
   *
   * @returns how long it is shut: the hub's wait and, each time it repeats, a little more.
   */
  async shut(slot: Slot, retryAfterMs: number, growth: (refusals: number) => number): Promise<number> {
    const lane = this.#lane(slot.endpoint);
    lane.refusals += 1;
    const forMs = retryAfterMs + growth(lane.refusals);
    await this.#close(slot, forMs);
    return forMs;
  }

  /** Any answer but 429 ends the progression of waits. */
  accepted(endpoint: EndpointName): void {
    const lane = this.#lanes.get(endpoint);
    if (lane) lane.refusals = 0;
  }

  status(): Readonly<Record<EndpointName, RateLimitStatus>> {
    const now = this.#clock.monotonic();
    const entries = ENDPOINT_NAMES.map((endpoint) => [endpoint, this.#statusOf(endpoint, now)] as const);
    return Object.fromEntries(entries) as Record<EndpointName, RateLimitStatus>;
  }

  #statusOf(endpoint: EndpointName, now: number): RateLimitStatus {
    const { limit } = ENDPOINTS[endpoint];
    const lane = this.#lanes.get(endpoint);
    if (!lane) return { limit, remaining: limit, resetAt: this.#clock.now() };
    prune(lane, now);
    const told = lane.told && lane.told.until > now ? lane.told : undefined;
    const own = limit - lane.slots.size;
    const remaining = lane.shutUntil > now ? 0 : Math.max(0, Math.min(own, told?.remaining ?? own));
    const frees = [...lane.slots].map((slot) => slot.freeAt);
    if (told && told.remaining === 0) frees.push(told.until);
    const soonest = frees.length > 0 ? Math.min(...frees) : now;
    const resetAt = this.#clock.now() + Math.max(soonest, lane.shutUntil, now) - now;
    return { limit, remaining, resetAt };
  }

  async #close(slot: Slot, forMs: number): Promise<void> {
    const lane = this.#lane(slot.endpoint);
    lane.shutUntil = Math.max(lane.shutUntil, this.#clock.monotonic() + forMs);
    try {
      await this.#state.shut(slot.key, forMs, this.#clock);
    } catch {
      // Known to this client all the same.
    }
  }

  /** Serves the lane's waiters one after another until none is left. */
  async #pump(endpoint: EndpointName, lane: Lane): Promise<void> {
    lane.pumping = true;
    for (const waiter of drain(lane.waiters)) {
      let answer: Reservation;
      try {
        const pending = this.#mustWait(lane, waiter) ?? this.#try(endpoint, lane, waiter);
        answer = pending instanceof Promise ? await pending : pending;
      } catch (error) {
        waiter.refuse(error);
        continue;
      }
      if (answer.granted) {
        const slot: Slot = {
          endpoint,
          key: waiter.key,
          id: answer.id,
          isInState: !answer.id.startsWith(LOCAL),
          freeAt: this.#clock.monotonic() + waiter.holdMs,
        };
        if (lane.waiters.has(waiter)) {
          prune(lane, this.#clock.monotonic());
          lane.slots.add(slot);
          waiter.grant(slot);
        } else void this.giveBack(slot);
        continue;
      }
      if (answer.reason === 'leased') {
        waiter.refuse(new LeaseLostError(answer.waitMs));
        continue;
      }
      // Nobody behind the first is served before it, so whoever cannot wait that long is told at once.
      const servedAt = this.#clock.monotonic() + answer.waitMs;
      for (const each of lane.waiters) {
        const until = answer.reason === 'shut' ? each.shutUntil : each.quotaUntil;
        if (servedAt > until) each.refuse(localRefusal(endpoint, answer.waitMs));
      }
      if (lane.waiters.has(waiter)) await this.#sleep(lane, Math.min(answer.waitMs, MAX_SLEEP_MS));
    }
    lane.pumping = false;
  }

  /** What this client knows without asking: a closure, its own slots, or that the hub counts more than we do. */
  #mustWait(lane: Lane, { key, limit }: Waiter): Reservation | undefined {
    const now = this.#clock.monotonic();
    const { told, shutUntil } = lane;
    if (shutUntil > now) return { granted: false, waitMs: shutUntil - now, reason: 'shut' };
    const toldMs = told?.remaining === 0 ? told.until - now : 0;
    // A state that has lost its memory (a Redis that came back empty) would grant them a second time.
    const waitMs = Math.max(toldMs, ownWaitMs(lane, key, limit, now));
    return waitMs > 0 ? { granted: false, waitMs, reason: 'quota' } : undefined;
  }

  #try(endpoint: EndpointName, lane: Lane, waiter: Waiter): MaybePromise<Reservation> {
    const { limit, holdMs, lease } = waiter;
    const request: ReservationRequest = { limit, holdMs, lease: lease?.request };
    const sentAt = { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
    const heard = (answer: Reservation): Reservation => {
      lease?.reserved(answer, sentAt);
      return answer;
    };
    const withoutState = (cause: unknown): Reservation => {
      // Polls and tokens are counted across processes or not sent at all; events wait at the hub.
      if (endpoint === 'polling' || endpoint === 'token') {
        throw new StateError(`${endpoint}: the state that counts the hub's quota is out of reach`, { cause });
      }
      return this.#reserveLocally(lane, waiter.limit);
    };
    try {
      const pending = this.#state.reserve(waiter.key, request, this.#clock);
      return pending instanceof Promise ? pending.then(heard).catch(withoutState) : heard(pending);
    } catch (error) {
      return withoutState(error);
    }
  }

  /** Counts by the slots this client has taken itself, those the state knows included. */
  #reserveLocally(lane: Lane, limit: number): Reservation {
    const now = this.#clock.monotonic();
    prune(lane, now);
    if (lane.slots.size < limit) {
      this.#lastLocalId += 1;
      return { granted: true, id: `${LOCAL}${this.#lastLocalId}`, remaining: limit - lane.slots.size - 1 };
    }
    const soonest = Math.min(...[...lane.slots].map((slot) => slot.freeAt));
    return { granted: false, waitMs: Math.max(1, soonest - now), reason: 'quota' };
  }

  /** Nothing was sent under this slot: another call may have it. */
  async giveBack(slot: Slot): Promise<void> {
    const lane = this.#lane(slot.endpoint);
    lane.slots.delete(slot);
    await this.#settleInState(slot, 0);
    lane.wake?.abort('woken');
  }

  async #settleInState(slot: Slot, freeInMs: number): Promise<void> {
    if (!slot.isInState) return;
    try {
      await this.#state.settle(slot.key, slot.id, freeInMs, this.#clock);
    } catch {
      // Left as it was reserved: taken for longer than needed, never shorter.
    }
  }

  /** Until the time is over or a slot was settled. */
  async #sleep(lane: Lane, ms: number): Promise<void> {
    const wake = new AbortController();
    lane.wake = wake;
    await this.#clock.sleep(ms, wake.signal).catch(() => {});
    lane.wake = undefined;
  }

  #lane(endpoint: EndpointName): Lane {
    let lane = this.#lanes.get(endpoint);
    if (!lane) {
      lane = {
        waiters: new Set(),
        slots: new Set(),
        pumping: false,
        wake: undefined,
        shutUntil: Number.NEGATIVE_INFINITY,
        refusals: 0,
        told: undefined,
      };
      this.#lanes.set(endpoint, lane);
    }
    return lane;
  }
}

/** The state's key of an endpoint's quota. */
export function quotaKey(scope: string, endpoint: EndpointName): string {
  return `quota:${scope}:${endpoint}`;
}

/** The longest exchange and the window behind it. */
function holdMsOf(endpoint: EndpointName, timeoutMs: number): number {
  return timeoutMs + ENDPOINTS[endpoint].windowMs + UNANSWERED_MARGIN_MS;
}

/** How long this client's own slots leave none of that quota. */
function ownWaitMs(lane: Lane, key: string, limit: number, now: number): number {
  // The lane may hold fewer than the limit, which is the rule.
  if (lane.slots.size < limit) return 0;
  const frees: number[] = [];
  for (const slot of lane.slots) if (slot.key === key && slot.freeAt > now) frees.push(slot.freeAt);
  return frees.length < limit ? 0 : Math.min(...frees) - now;
}

function prune(lane: Lane, now: number): void {
  for (const slot of lane.slots) if (slot.freeAt <= now) lane.slots.delete(slot);
}

function localRefusal(endpoint: EndpointName, waitMs: number): RateLimitError {
  const { limit, windowMs, section } = ENDPOINTS[endpoint];
  const retryAfterMs = Math.ceil(waitMs);
  return new RateLimitError(
    `${endpoint}: not sent, the hub allows ${limit} requests in ${windowMs / 60_000} min ` +
      `(Spec ${section}, §8); the next slot frees in ${retryAfterMs} ms`,
    { endpoint, status: 429, attempts: 0, body: '', retryAfterMs, origin: 'local' },
  );
}
