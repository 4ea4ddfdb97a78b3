import type { Lease, LeaseRequest } from './port.js';

interface Entry {
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
    // The wall clock keeps it growing where the entry was lost; the last fence where the clock was put back.
    const isSame = entry?.holder === holder;
    const fence = isSame ? entry.fence : Math.max((entry?.fence ?? 0) + 1, Math.floor(wall));
    this.#leases.set(key, { holder, until: now + leaseMs, fence });
    return { granted: true, fence };
  }

  /** Ends the lease if `holder` has it; whoever acquires it next, this holder too, gets a new fence. */
  release(key: string, holder: string): void {
    const entry = this.#leases.get(key);
    if (entry?.holder === holder) this.restore(key, entry.fence);
  }

  /** The last fence of an earlier process: the next one is greater. */
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
