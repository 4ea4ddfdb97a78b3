/** A request for a lease. */
export interface LeaseRequest {
  /** Identifies one client object. A request by the present holder renews its lease. */
  readonly holder: string;
  /** Length of the lease in ms, from now; 0 releases it. */
  readonly leaseMs: number;
}

/**
 * The result of `lease`.
 *
 * - Granted: `fence` is a positive safe integer. It stays the same while one
 *   holder renews, and is greater than every earlier fence of the key for each
 *   new holder, also after a restart and after data loss.
 * - Refused: another holder has the lease. It ends after `waitMs` milliseconds
 *   (more than 0), unless it is renewed.
 */
export type Lease =
  | {
      /** The holder has the lease. */
      readonly granted: true;
      /** Greater for each new holder; the same while one holder renews. */
      readonly fence: number;
    }
  | {
      /** Another holder has the lease. */
      readonly granted: false;
      /** When the other holder's lease ends unless it is renewed, in ms from now. */
      readonly waitMs: number;
    };

/** A request for one slot of a quota. */
export interface ReservationRequest {
  /** The slot is granted if fewer than this many slots of the key are taken. Requests for one key may have different limits. */
  readonly limit: number;
  /** If `settle` is not called for the slot (the process died), the slot becomes free after this many milliseconds. */
  readonly holdMs: number;
  /** Acquire or renew the lease of the same key in the same atomic step. Without the lease no slot is granted. */
  readonly lease?: LeaseRequest | undefined;
}

/** What `settle` changes. */
export interface Settlement {
  /** The slot, by the id of a granted reservation. Absent: no slot changes. */
  readonly id?: string | undefined;
  /** When the slot becomes free, in ms from now; 0 or less frees it at once. It comes together with `id`. */
  readonly freeInMs?: number | undefined;
  /** For how long `reserve` refuses every request of the key, in ms; 0 or less does nothing. */
  readonly shutMs?: number | undefined;
}

/**
 * The result of `reserve`.
 *
 * - Granted: `id` identifies the slot for `settle`, and is unique among all
 *   processes and restarts. `remaining` counts the slots that are still free
 *   under this request's `limit`.
 * - Refused: `waitMs` (milliseconds, more than 0) is the time until the next
 *   attempt can succeed, and `reason` says what the caller waits for: a free
 *   slot (`quota`), the end of a `shut` (`shut`), or the end of another holder's
 *   lease (`leased`).
 *
 * `fence` is set if the request had a `lease` and that was granted, even if the
 * slot was refused.
 */
export type Reservation =
  | {
      /** The slot is taken. */
      readonly granted: true;
      /** Identifies the slot for `settle`, among all processes and restarts. */
      readonly id: string;
      /** Slots that are still free under the request's `limit`. */
      readonly remaining: number;
      /** The fence of the granted lease. Absent: the request had no `lease`. */
      readonly fence?: number;
    }
  | {
      /** No slot is taken. */
      readonly granted: false;
      /** When the next attempt can succeed, in ms from now. */
      readonly waitMs: number;
      /** What the caller waits for: a free slot, the end of a `shut`, or the end of a lease. */
      readonly reason: 'quota' | 'shut' | 'leased';
      /** The fence of the granted lease. Absent: no lease was requested or granted. */
      readonly fence?: number;
    };
