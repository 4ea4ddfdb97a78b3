import type { Clock } from '../clock.js';
import { Leases } from './leases.js';
import { Marks } from './marks.js';
import type {
  Lease,
  LeaseRequest,
  Mark,
  MarkChange,
  RecallRequest,
  Reservation,
  ReservationRequest,
  SetOptions,
  Settlement,
  State,
} from './port.js';
import { Quotas } from './quotas.js';

/**
 * State in memory, which ends with the object: the default. Pass the same one
 * to several clients of a process, and they share tokens and quotas.
 *
 * Durations are measured on the monotonic clock. A step of the wall clock does
 * not free a quota slot, end a lease or forget a handled event.
 */
export function memoryState(): State {
  return new MemoryState();
}

class MemoryState implements State {
  readonly #values = new Map<string, { value: string; until: number }>();
  readonly #quotas = new Quotas();
  readonly #leases = new Leases();
  readonly #marks = new Marks();

  get(key: string, clock: Clock): string | undefined {
    const entry = this.#values.get(key);
    if (!entry) return undefined;
    if (entry.until > clock.monotonic()) return entry.value;
    this.#values.delete(key);
    return undefined;
  }

  set(key: string, value: string | undefined, { forMs, ifEquals }: SetOptions, clock: Clock): void {
    if (ifEquals !== undefined && this.get(key, clock) !== ifEquals) return;
    if (value === undefined || forMs <= 0) this.#values.delete(key);
    else this.#values.set(key, { value, until: clock.monotonic() + forMs });
  }

  reserve(key: string, request: ReservationRequest, clock: Clock): Reservation {
    const now = clock.monotonic();
    if (!request.lease) return this.#quotas.reserve(key, request, now);
    const lease = this.#leases.acquire(key, request.lease, now, clock.now());
    if (!lease.granted) return { ...lease, reason: 'leased' };
    return { ...this.#quotas.reserve(key, request, now), fence: lease.fence };
  }

  settle(key: string, change: Settlement, clock: Clock): void {
    this.#quotas.settle(key, change, clock.monotonic());
  }

  lease(key: string, request: LeaseRequest, clock: Clock): Lease {
    return this.#leases.acquire(key, request, clock.monotonic(), clock.now());
  }

  recall(key: string, ids: readonly string[], request: RecallRequest, clock: Clock): Mark[] {
    return this.#marks.recall(key, ids, request, clock.monotonic());
  }

  mark(key: string, ids: readonly string[], change: MarkChange, clock: Clock): void {
    this.#marks.mark(key, ids, change, clock.monotonic());
  }
}
