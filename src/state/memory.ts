import type { Clock } from '../clock.js';
import { HandledIds } from './handled.js';
import type { Reservation, ReservationRequest, State } from './port.js';
import { Quotas } from './quotas.js';

/**
 * State that lives as long as the object: the default. Give one to several
 * clients of a process to have them share tokens and quotas.
 *
 * Durations are measured on the monotonic clock, so a step of the wall clock
 * neither frees a quota slot nor forgets a handled event.
 */
export function memoryState(): State {
  return new MemoryState();
}

class MemoryState implements State {
  readonly #values = new Map<string, { value: string; until: number }>();
  readonly #quotas = new Quotas();
  readonly #handled = new HandledIds();

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
    return this.#quotas.reserve(key, request, clock.monotonic());
  }

  settle(key: string, id: string, freeInMs: number, clock: Clock): void {
    this.#quotas.settle(key, id, freeInMs, clock.monotonic());
  }

  shut(key: string, forMs: number, clock: Clock): void {
    this.#quotas.shut(key, forMs, clock.monotonic());
  }

  remember(key: string, ids: readonly string[], forMs: number, clock: Clock): void {
    this.#handled.remember(key, ids, forMs, clock.monotonic());
  }

  recall(key: string, ids: readonly string[], clock: Clock): string[] {
    return this.#handled.recall(key, ids, clock.monotonic());
  }
}
