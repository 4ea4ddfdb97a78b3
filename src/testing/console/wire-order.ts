import type { WirePush, WireRow } from './wire.js';

export interface OrderRow extends WireRow {
  readonly clientId: string;
  readonly orderId: string;
  readonly displayId: string;
  readonly type: string;
  readonly timing: string;
  readonly customer: string;
  readonly total: number | undefined;
  readonly currency: string;
  readonly stage: string;
  /** Who has asked to cancel it. */
  readonly cancellationBy?: 'merchant' | 'platform' | undefined;
  /** Since when the hub waits for an answer, in monotonic ms. */
  readonly waitingSince?: number | undefined;
  /** The latest command of the application. */
  readonly command?: WireCommand | undefined;
}

interface WireCommand {
  readonly name: string;
  /** 0 or absent: no response. */
  readonly status?: number | undefined;
  readonly monotonicAt: number;
  /** Of the request in the journal. */
  readonly number: number;
}

/** One event or command of an order. */
export type OrderHappening = OrderEvent | OrderCommand;

export interface OrderEvent {
  readonly what: 'event';
  /** Epoch ms. */
  readonly at: number;
  readonly eventId: string;
  readonly name: string;
  readonly deliveredAt: number | undefined;
  readonly acknowledgedAt: number | undefined;
  /** The latest try to push it. */
  readonly pushed: WirePush | undefined;
  readonly metadata: unknown;
  /** The polls and pushes that delivered it, and its acknowledgments. */
  readonly tries: readonly OrderTry[];
}

/** A request, also one that failed. */
export interface OrderTry {
  readonly kind: 'poll' | 'push' | 'acknowledgment';
  /** Epoch ms. */
  readonly at: number;
  /** Absent: no response. */
  readonly status: number | undefined;
  /** Of the request in the journal; absent for a push. */
  readonly number?: number;
}

interface OrderCommand {
  readonly what: 'command';
  /** Epoch ms. */
  readonly at: number;
  readonly name: string;
  /** Absent: no response. */
  readonly status: number | undefined;
  /** Of the request in the journal. */
  readonly number: number;
}
