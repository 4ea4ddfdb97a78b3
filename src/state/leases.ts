import type { Lease, LeaseRequest } from './port.js';

interface Entry {
  /** Undefined after a release. */
  readonly holder: string | undefined;
  readonly until: number;
  readonly fence: number;
}

/** Leases in the memory of one process. `now` is the monotonic clock's, `wall` epoch milliseconds. */
export class Leases {
  readonly #leases = new Map<string, Entry>();

  /** Acquires the lease, renews it for its holder, or releases it with 0 ms. */
  acquire(key: string, { holder, leaseMs }: LeaseRequest, now: number, wall: number): Lease {
    const entry = this.#leases.get(key);
    const isSame = entry?.holder === holder;
    if (entry && !isSame && entry.until > now) return { granted: false, waitMs: entry.until - now };
    if (leaseMs <= 0) {
      if (isSame) this.#leases.set(key, { ...entry, holder: undefined, until: now });
      return { granted: true, fence: entry?.fence ?? 0 };
    }
    // The wall clock makes it grow if the last fence was lost, the last fence if the clock was set back.
    const fence = isSame ? entry.fence : Math.max((entry?.fence ?? 0) + 1, Math.floor(wall));
    this.#leases.set(key, { holder, until: now + leaseMs, fence });
    return { granted: true, fence };
  }
}
