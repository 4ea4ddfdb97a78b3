import type { Clock } from '../clock.js';
import { Leases } from './leases.js';
import { Marks } from './marks.js';
import {
  HANDLED,
  type Lease,
  type LeaseRequest,
  type RecallRequest,
  type Reservation,
  type ReservationRequest,
  type State,
} from './port.js';
import { Quotas, reserveUnderLease } from './quotas.js';

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

  set(key: string, value: string, forMs: number, clock: Clock): void {
    this.#values.set(key, { value, until: clock.monotonic() + forMs });
  }

  delete(key: string, expected: string | undefined): void {
    if (expected === undefined || this.#values.get(key)?.value === expected) this.#values.delete(key);
  }

  reserve(key: string, request: ReservationRequest, clock: Clock): Reservation {
    return reserveUnderLease(this.#quotas, this.#leases, key, request, clock);
  }

  settle(key: string, id: string, freeInMs: number, clock: Clock): void {
    this.#quotas.settle(key, id, freeInMs, clock.monotonic());
  }

  shut(key: string, forMs: number, clock: Clock): void {
    this.#quotas.shut(key, forMs, clock.monotonic());
  }

  lease(key: string, request: LeaseRequest, clock: Clock): Lease {
    return this.#leases.acquire(key, request, clock.monotonic(), clock.now());
  }

  release(key: string, holder: string): void {
    this.#leases.release(key, holder);
  }

  remember(key: string, ids: readonly string[], forMs: number, clock: Clock): void {
    this.#marks.set(key, ids, HANDLED, forMs, clock.monotonic());
  }

  recall(key: string, ids: readonly string[], request: RecallRequest, clock: Clock): number[] {
    return this.#marks.recall(key, ids, request, clock.monotonic());
  }

  count(key: string, ids: readonly string[], by: 1 | -1, forMs: number, clock: Clock): number[] {
    return this.#marks.count(key, ids, by, forMs, clock.monotonic());
  }
}
