import type { Lease, LeaseRequest } from './port.js';

interface Entry {
  /** Empty after a release or a restart. */
  readonly holder: string;
  readonly until: number;
  readonly fence: number;
}

/** Leases in the memory of one process. `now` is the monotonic clock's, `wall` epoch milliseconds. */
export class Leases {
  readonly #leases = new Map<string, Entry>();

  /** Acquires the lease, or renews it for its holder. */
  acquire(key: string, { holder, leaseMs }: LeaseRequest, now: number, wall: number): Lease {
    const entry = this.#leases.get(key);
    if (entry && entry.holder !== holder && entry.until > now) {
      return { granted: false, waitMs: entry.until - now };
    }
    // The wall clock makes it grow if the last fence was lost, the last fence if the clock was set back.
    const isSame = entry?.holder === holder;
    const fence = isSame ? entry.fence : Math.max((entry?.fence ?? 0) + 1, Math.floor(wall));
    this.#leases.set(key, { holder, until: now + leaseMs, fence });
    return { granted: true, fence };
  }

  /** Ends the lease if `holder` has it. The next lease has a new fence, also for the same holder. */
  release(key: string, holder: string): void {
    const entry = this.#leases.get(key);
    if (entry?.holder === holder) this.restore(key, entry.fence);
  }

  /** Sets the last fence of a key that nobody has the lease of: the next fence is greater. */
  restore(key: string, fence: number): void {
    this.#leases.set(key, { holder: '', until: Number.NEGATIVE_INFINITY, fence });
  }

  /** The last fence of a key, 0 before the first. */
  fenceOf(key: string): number {
    return this.#leases.get(key)?.fence ?? 0;
  }

  /** The last fence of every key. */
  *fences(): Generator<{ readonly key: string; readonly fence: number }> {
    for (const [key, { fence }] of this.#leases) yield { key, fence };
  }
}
