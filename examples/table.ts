import type { OrderEvent } from 'opendelivery-client';

/** One stored event. */
export interface Row {
  readonly eventId: string;
  readonly orderId: string;
  readonly eventType: string;
  readonly amount: number | undefined;
  /** Monotonic ms. */
  readonly writtenAt: number;
}

/** Replaces the application's database in this example. */
export class Table {
  readonly rows: Row[] = [];
  readonly #clock: { monotonic(): number };

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  write({ eventId, orderId, eventType }: OrderEvent, amount?: number): void {
    // The hub may deliver an event twice; it is stored once.
    if (this.rows.some((row) => row.eventId === eventId)) return;
    this.rows.push({ eventId, orderId, eventType, amount, writtenAt: this.#clock.monotonic() });
  }
}
