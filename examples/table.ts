import type { OrderEvent } from 'opendelivery-client';

/** One event as the application has written it down. */
export interface Row {
  readonly eventId: string;
  readonly orderId: string;
  readonly eventType: string;
  readonly amount: number | undefined;
  /** Milliseconds on the monotonic clock. */
  readonly writtenAt: number;
}

/** Stands for the application's database. */
export class Table {
  readonly rows: Row[] = [];
  readonly #clock: { monotonic(): number };

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  write({ eventId, orderId, eventType }: OrderEvent, amount?: number): void {
    // An event may come twice; the row is there once.
    if (this.rows.some((row) => row.eventId === eventId)) return;
    this.rows.push({ eventId, orderId, eventType, amount, writtenAt: this.#clock.monotonic() });
  }
}
