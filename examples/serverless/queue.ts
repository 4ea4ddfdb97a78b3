import type { OrderEvent } from 'opendelivery-client';

export const queued = new Map<string, OrderEvent>();

/** Replaces your queue; it keeps nothing between two calls. */
export async function enqueue(eventId: string, event: OrderEvent): Promise<void> {
  queued.set(eventId, event);
}
