import { type EventPoller, HubClient, memoryState, type OrderEvent } from 'opendelivery-client';
import { createMockHub, ManualClock, type MockHub } from 'opendelivery-client/testing';
import { drawOf } from '../../src/testing/random.js';
import { densest, requestsTo } from '../support.js';

const HOUR_MS = 3_600_000;

/** Longer than any schedule with its suspensions: the hub repeats events of the first hour in the last. */
const REMEMBER_MS = 7 * 24 * HOUR_MS;

/** What one schedule showed; `breaches` must be empty. */
export interface ScheduleResult {
  readonly breaches: string[];
  readonly events: number;
  readonly requests: number;
  readonly failures: number;
  readonly restarts: number;
}

interface Seen {
  running: number;
  handledAt: number | undefined;
  handledCount: number;
  generation: number;
}

const TYPES = ['CONFIRMED', 'PREPARING', 'READY_FOR_PICKUP', 'DISPATCHED', 'CONCLUDED', 'SOMETHING_NEW'];

/**
 * One virtual stretch of a store with everything going wrong by a seed: faults
 * at every endpoint, latency, clock steps, suspensions, revoked tokens, listeners
 * that fail, dawdle or hang, stops and restarts. The same seed gives the same stretch.
 */
export async function runSchedule(seed: number, hours: number): Promise<ScheduleResult> {
  const { random } = Math;
  let jitters = 0;
  // Jitter too comes from the seed, or a failing schedule could not be run again.
  Math.random = () => drawOf('jitter', seed, (jitters += 1));
  return play(seed, hours).finally(() => {
    Math.random = random;
  });
}

async function play(seed: number, hours: number): Promise<ScheduleResult> {
  const breaches: string[] = [];
  let draws = 0;
  const draw = () => drawOf('schedule', seed, (draws += 1));
  const clock = new ManualClock();
  let sent = 0;
  const mock = createMockHub({
    clock,
    onRequest: () => void (sent += 1),
    latencyMs: () => Math.floor(draw() ** 4 * 8000),
    order: draw() < 0.5 ? 'oldest' : 'shuffled',
    emptyPoll: draw() < 0.5 ? '204' : '[]',
    limitHeaders: draw() < 0.7,
    retryAfter: draw() < 0.5 ? 'seconds' : 'date',
    tokenLifetimeMs: Math.floor((1 + draw() * 47) * HOUR_MS),
  });
  mock.faults.random({ seed, rate: draw() * 0.3 });
  const state = memoryState();
  const seen = new Map<string, Seen>();
  const runningOrders = new Map<string, number>();
  const lastOfOrder = new Map<string, number>();
  const sequence = new Map<string, number>();
  const orders: string[] = [];
  const releases: (() => void)[] = [];
  let calm = false;
  let failures = 0;
  let generation = 0;

  const emit = (eventType: string, orderId: string) => {
    // Dates of their own, so that steps of the clock do not decide what comes first.
    const createdAt = new Date(1_900_000_000_000 + sequence.size * 1000).toISOString();
    const { eventId } = mock.emit(eventType, { orderId, createdAt });
    sequence.set(eventId, sequence.size);
  };

  const listener = (own: number) => async (event: OrderEvent) => {
    const entry = seen.get(event.eventId) ?? {
      running: 0,
      handledAt: undefined,
      handledCount: 0,
      generation: own,
    };
    seen.set(event.eventId, entry);
    const others = runningOrders.get(event.orderId) ?? 0;
    if (entry.running > 0 && entry.generation === own) breaches.push(`${event.eventId} runs twice at once`);
    else if (others > 0 && own === generation) breaches.push(`order ${event.orderId}: two events at once`);
    if (entry.handledAt !== undefined) breaches.push(`${event.eventId} is handled again`);
    entry.generation = own;
    entry.running += 1;
    runningOrders.set(event.orderId, others + 1);
    try {
      const luck = calm ? 1 : draw();
      if (luck < 0.05) throw new Error('refused at once');
      if (luck < 0.3) await clock.sleep(Math.floor(draw() * 5000));
      else if (luck < 0.36) await clock.sleep(Math.floor(draw() * 120_000));
      else if (luck < 0.37) await new Promise<void>((resolve) => releases.push(resolve));
      if (luck < 0.12) throw new Error('refused late');
      const at = sequence.get(event.eventId) ?? 0;
      if (at < (lastOfOrder.get(event.orderId) ?? -1)) breaches.push(`order ${event.orderId}: out of order`);
      lastOfOrder.set(event.orderId, at);
      entry.handledAt = clock.monotonic();
      entry.handledCount += 1;
    } catch (error) {
      failures += 1;
      throw error;
    } finally {
      entry.running -= 1;
      runningOrders.set(event.orderId, (runningOrders.get(event.orderId) ?? 1) - 1);
    }
  };

  const begin = (): { hub: HubClient; poller: EventPoller } => {
    generation += 1;
    runningOrders.clear();
    const hub = new HubClient({
      baseUrl: mock.baseUrl,
      ...mock.credentials,
      fetch: mock.fetch,
      clock,
      state,
      logger: false,
    });
    const poller = hub.poller({ listenerTimeoutMs: 60_000, rememberMs: REMEMBER_MS });
    poller.on('event', listener(generation));
    poller.on('error', () => {});
    void poller.start().catch(() => {});
    return { hub, poller };
  };

  let { hub, poller } = begin();
  const restart = async () => {
    const stopped = poller.stop({ timeoutMs: Math.floor(draw() * 20_000) });
    await clock.advance('30s');
    await stopped;
    // What still runs belongs to a process that is gone; its marks count, as a late write would.
    if ([...seen.values()].some(({ running }) => running > 0)) return (poller = again());
    if (draw() < 0.5) {
      await hub.close();
      ({ hub, poller } = begin());
    } else poller = again();
    return poller;
  };
  const again = () => {
    void poller.start().catch(() => {});
    return poller;
  };

  let restarts = 0;
  for (let minute = 0; minute < hours * 60; minute += 1) {
    if (draw() < 0.15) {
      const { orderId, event } = mock.createOrder();
      sequence.set(event.eventId, sequence.size);
      orders.push(orderId);
    }
    for (let count = Math.floor(draw() ** 6 * 12); count > 0 && orders.length > 0; count -= 1) {
      const orderId = orders[Math.floor(draw() * orders.length)] as string;
      emit(TYPES[Math.floor(draw() * TYPES.length)] as string, orderId);
    }
    if (draw() < 0.01) redeliverOne(mock, draw);
    if (draw() < 0.004) mock.revokeTokens();
    if (draw() < 0.004) clock.step(Math.floor((draw() - 0.5) * 4 * HOUR_MS));
    if (draw() < 0.003) await clock.suspend(Math.floor(draw() * 2 * HOUR_MS));
    if (draw() < 0.01) void hub.merchant.get({ fresh: draw() < 0.3 }).catch(() => {});
    if (draw() < 0.02) void hub.orders.get(orders.at(-1) ?? 'x').catch(() => {});
    if (draw() < 0.01) mock.publishMerchant({ status: draw() < 0.5 ? 'AVAILABLE' : 'UNAVAILABLE' });
    if (draw() < 0.004) {
      restarts += 1;
      await restart();
    }
    if (draw() < 0.02 && releases.length > 0) releases.shift()?.();
    await clock.advance('1m');
  }

  calm = true;
  mock.faults.clear();
  for (const release of releases) release();
  if (poller.health().status === 'idle') again();
  await clock.advance('3h');
  const stopped = poller.stop();
  await clock.advance('1m');
  const report = await stopped;
  await hub.close();

  if (report.unacknowledged.length > 0)
    breaches.push(`${report.unacknowledged.length} events are left at the end`);
  // The journal drops the oldest requests, and the promises are counted in it.
  if (sent > mock.requests.length) breaches.push(`the journal lacks ${sent - mock.requests.length} requests`);
  check(mock, seen, breaches);
  return { breaches, events: mock.emitted().length, requests: mock.requests.length, failures, restarts };
}

function redeliverOne(mock: MockHub, draw: () => number): void {
  const done = mock.acknowledged();
  const one = done[Math.floor(draw() * done.length)];
  if (one) mock.redeliver(one.eventId);
}

/** The promises, counted at the hub. */
function check(mock: MockHub, seen: ReadonlyMap<string, Seen>, breaches: string[]): void {
  for (const { acknowledged = [], monotonicAt } of requestsTo(mock, 'acknowledgment')) {
    for (const id of acknowledged) {
      const handledAt = seen.get(id)?.handledAt;
      if (handledAt === undefined || handledAt > monotonicAt)
        breaches.push(`${id} was acknowledged before it was handled`);
    }
  }
  for (const { eventId } of mock.emitted()) {
    const count = seen.get(eventId)?.handledCount ?? 0;
    if (count !== 1) breaches.push(`${eventId} was handled ${count} times`);
  }
  for (const { eventId } of mock.pending()) breaches.push(`${eventId} is still at the hub`);
  const limits = [
    ['polling', 60_000, 2],
    ['token', HOUR_MS, 10],
    ['merchant', 60_000, 10],
    ['acknowledgment', 60_000, 100],
    ['order', 60_000, 100],
  ] as const;
  for (const [endpoint, windowMs, limit] of limits) {
    const most = densest(requestsTo(mock, endpoint), windowMs);
    if (most > limit) breaches.push(`${most} requests to ${endpoint} in one window`);
  }
  for (const { rule, message } of mock.violations()) breaches.push(`${rule}: ${message}`);
}
