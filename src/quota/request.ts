import { RateLimitError } from '../errors/index.js';
import type { Endpoint, EndpointName } from '../hub/endpoints.js';
import type { LeaseRequest, Reservation } from '../state/port.js';
import type { Moment } from '../time/clock.js';
import type { Window } from './window.js';

/** How long a call is willing to wait for its slot. */
export interface Patience {
  /** For a free slot in the quota of Spec §8, in ms. */
  readonly quotaMs: number;
  /** For an endpoint that the hub has blocked with 429, in ms. */
  readonly shutMs: number;
}

/** Does not wait at all. */
export const NO_PATIENCE: Patience = Object.freeze({ quotaMs: 0, shutMs: 0 });

/** A lease that is acquired or renewed together with a slot. */
export interface LeaseKeeper {
  /** The lease to acquire or renew. */
  readonly request: LeaseRequest;
  /**
   * Called with the result of the reservation.
   *
   * @param sentAt - when the state was asked, on both clocks: the lease counts from then.
   */
  reserved(reservation: Reservation, sentAt: Moment): void;
}

/** Whose quotas they are: the hub counts per store. */
export interface QuotaHolder {
  /** A hash; part of the keys of the state. */
  readonly scope: string;
  /** What is known of the quotas. Undefined before the first request. */
  windows: Partial<Record<EndpointName, Window>> | undefined;
}

/** A reservation that took a slot. */
export type Granted = Extract<Reservation, { readonly granted: true }>;

/** What one request needs. */
export interface SlotRequest {
  readonly endpoint: EndpointName;
  /** Instead of the holder's, if the hub counts the request otherwise. */
  readonly scope?: string | undefined;
  readonly patience: Patience;
  /** The longest exchange that may follow, in ms; limits how long a slot that nobody settles stays taken. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** At most this many of the endpoint's slots may be taken. Default: all of them. */
  readonly limit?: number | undefined;
  /** Acquired or renewed in the same step; without it no slot is granted. */
  readonly lease?: LeaseKeeper | undefined;
  /** If the state is unreachable, the request is not sent. Default: this process counts alone then. */
  readonly needsState?: boolean | undefined;
}

/** The error of a request that was not sent, because its slot is free too late. */
export function localLimitError(
  endpoint: EndpointName,
  { limit, windowMs, section }: Endpoint,
  waitMs: number,
): RateLimitError {
  const retryAfterMs = Math.ceil(waitMs);
  return new RateLimitError(
    `${endpoint}: not sent, the hub allows ${limit} requests in ${windowMs / 60_000} min ` +
      `(Spec ${section}, §8); the next slot frees in ${retryAfterMs} ms`,
    { endpoint, status: 429, attempts: 0, body: '', retryAfterMs, origin: 'local' },
  );
}
