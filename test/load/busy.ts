import type { PollerOptions } from 'opendelivery-client';
import type { ManualClock, MockHub } from 'opendelivery-client/testing';
import { requestsTo, stage } from '../support.js';

export interface BusyReport {
  /** Events in each successful poll except the last. */
  readonly polled: readonly number[];
  /** For each new order, from the response of the poll that contained it until it was read, in ms. */
  readonly readAfterMs: readonly number[];
  /** For each other event of the first poll, until it was confirmed, in ms. */
  readonly confirmedAfterMs: readonly number[];
  readonly errors: readonly string[];
  readonly mock: MockHub;
}

/**
 * A store whose hub sends a thousand events at every poll. One of `share` events
 * is a new order, which the listener reads with `orders.get`.
 */
export async function busyStore(
  minutes: number,
  share: number,
  options: PollerOptions = {},
): Promise<BusyReport> {
  const { clock, mock, hub } = stage({ latencyMs: 50, unansweredAfterMs: Number.POSITIVE_INFINITY });
  const poller = hub.poller(options);
  const readAt = new Map<string, number>();
  const errors: string[] = [];
  poller.on('CREATED', async ({ orderId }) => {
    await hub.orders.get(orderId);
    readAt.set(orderId, clock.monotonic());
  });
  poller.on('event', () => {});
  poller.on('error', (error) => errors.push(error.message));

  const fill = refill(mock, share);
  fill();
  const started = poller.start();
  await clock.advance('1s');
  await started;
  for (let minute = 0; minute < minutes; minute += 1) {
    fill();
    await clock.advance('1m');
  }
  await Promise.all([poller.stop(), clock.advance('5m')]);
  return { ...measured(mock, clock, readAt), errors, mock };
}

/** The hub always has more events than one poll contains. */
function refill(mock: MockHub, share: number): () => void {
  let emitted = 0;
  return () => {
    for (let missing = 3000 - mock.pending().length; missing > 0; missing -= 1) {
      // New orders come after the others: by arrival alone they would be read last.
      if (emitted % share === share - 1) mock.createOrder();
      else mock.emit('PREPARING');
      emitted += 1;
    }
  };
}

function measured(mock: MockHub, clock: ManualClock, readAt: ReadonlyMap<string, number>) {
  const polls = requestsTo(mock, 'polling').filter(({ status }) => status === 200);
  const polledAt = new Map<string, number>();
  for (const { events = [], answeredMonotonicAt = 0 } of polls) {
    for (const { orderId } of events) if (!polledAt.has(orderId)) polledAt.set(orderId, answeredMonotonicAt);
  }
  const wallToMonotonic = clock.monotonic() - clock.now();
  const first = new Set(polls[0]?.events?.map(({ eventId }) => eventId));
  return {
    polled: polls.slice(0, -1).map(({ events = [] }) => events.length),
    readAfterMs: [...readAt].map(([orderId, at]) => at - (polledAt.get(orderId) ?? Number.NaN)),
    confirmedAfterMs: mock
      .acknowledged()
      .filter(({ eventId, eventType }) => first.has(eventId) && eventType !== 'CREATED')
      .map(({ acknowledgedAt, orderId }) => acknowledgedAt + wallToMonotonic - (polledAt.get(orderId) ?? 0)),
  };
}
