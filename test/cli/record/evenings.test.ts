/** @module-tag slow */
import { type CycleReport, HubClient, memoryState, type OrderEvent } from 'opendelivery-client';
import { createMockHub, ManualClock, type MockHub, type Recording } from 'opendelivery-client/testing';
import { beforeEach, expect, it, vi } from 'vitest';
import { drawOf } from '../../../src/testing/random.js';
import { runs } from '../../runs.js';
import { recorded } from './support.js';

/** A type that the standard does not have; the recorder knows it from the profile of the host. */
const PROFILE = { eventTypes: ['RATED'] };

// The waits between two attempts are random.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  return () => void vi.restoreAllMocks();
});

const STEP_MS = 30_000;
const STEPS = 40;

/** An id as its number in the order of appearance: pseudonyms have other ids. */
function numbering() {
  const numbers = new Map<string, number>();
  return (id: string) => {
    const number = numbers.get(id) ?? numbers.size;
    numbers.set(id, number);
    return number;
  };
}

type Draw = (...parts: (string | number)[]) => number;

/** What the platform does between two polls. */
function platform(mock: MockHub, draw: Draw, step: number, orderIds: string[]): void {
  const orders = Math.floor(draw('orders', step) * 3);
  for (let made = 0; made < orders; made += 1) orderIds.push(mock.createOrder().orderId);
  const [orderId] = orderIds.slice(Math.floor(draw('which', step) * orderIds.length));
  if (orderId === undefined) return;
  const types = ['CANCELLED', 'CONCLUDED', 'ORDER_CANCELLATION_REQUEST', 'PICKUP_AREA_ASSIGNED', 'RATED'];
  const type = types[Math.floor(draw('type', step) * 12)];
  if (type !== undefined) mock.emit(type, { orderId, metadata: { reason: 'Ana mora longe', code: 'X-1' } });
  if (draw('menu', step) < 0.1) mock.publishMerchant({ status: 'UNAVAILABLE' });
}

/** What the application does with each event: the same for the same seed, whatever the ids are. */
async function listen(hub: HubClient, event: OrderEvent, draw: Draw, seen: Map<string, number>) {
  const count = (seen.get(event.orderId) ?? 0) + 1;
  seen.set(event.orderId, count);
  const lot = draw('listener', [...seen.keys()].indexOf(event.orderId), count);
  if (lot < 0.1) throw new Error('the printer has no paper');
  const { orderId } = event;
  if (event.eventType === 'CREATED') {
    await hub.orders.get(orderId);
    if (lot < 0.8) await hub.orders.confirm(orderId);
    else
      await hub.orders.requestCancellation(orderId, {
        reason: 'Ana',
        code: 'UNAVAILABLE_ITEM',
        mode: 'MANUAL',
      });
  }
  if (event.eventType === 'CONFIRMED') await hub.orders.dispatch(orderId);
  if (event.eventType === 'DISPATCHED' && lot < 0.5) await hub.orders.delivered(orderId);
  if (event.eventType === 'ORDER_CANCELLATION_REQUEST') {
    if (lot < 0.5) await hub.orders.acceptCancellation(orderId);
    else await hub.orders.denyCancellation(orderId, { reason: 'ready', code: 'DISH_ALREADY_DONE' });
  }
}

interface Evening {
  readonly reports: readonly unknown[];
  /** In the order of their handling. */
  readonly handled: readonly string[];
}

/** Runs the application for twenty minutes. */
async function evening(
  mock: MockHub,
  fetch: typeof globalThis.fetch,
  clock: ManualClock,
  seed: string,
  { everySteps = 1, between = (_step: number) => {} } = {},
): Promise<Evening> {
  const draw: Draw = (...parts) => drawOf(seed, ...parts);
  const hub = new HubClient({
    baseUrl: mock.baseUrl,
    ...mock.credentials,
    fetch,
    clock,
    logger: false,
    state: memoryState(),
  });
  const poller = hub.poller();
  const seen = new Map<string, number>();
  const numberOf = numbering();
  const handled: string[] = [];
  const reports: unknown[] = [];
  poller.on('event', async (event: OrderEvent) => {
    await listen(hub, event, draw, seen);
    handled.push(`${numberOf(event.orderId)} ${event.eventType}`);
  });
  for (let step = 0; step < STEPS; step += 1) {
    await clock.advance(STEP_MS);
    between(step);
    if (step % everySteps !== 0) continue;
    if (step % 5 === 0) await hub.merchant.get();
    reports.push(numbered(await poller.runOnce(), numberOf));
  }
  await hub.close();
  return { reports, handled };
}

function numbered(report: CycleReport, numberOf: (id: string) => number): unknown {
  if (report.skipped) return report;
  return {
    ...report,
    unacknowledged: report.unacknowledged.map(numberOf),
    failures: report.failures.map(({ eventId, error }) => [numberOf(eventId), (error as Error).name]),
  };
}

/** Records an evening, and returns it with a new mock hub that replays it. */
async function recordedEvening(seed: string) {
  const clock = new ManualClock();
  const mock = createMockHub({
    clock,
    profile: PROFILE,
    cancellation: drawOf(seed, 'decision') < 0.5 ? 'accept' : 'deny',
  });
  const { fetch, finish } = recorded(mock, clock, PROFILE);
  const orderIds: string[] = [];
  const first = await evening(mock, fetch, clock, seed, {
    between: (step) => platform(mock, (...parts) => drawOf(seed, ...parts), step, orderIds),
  });
  // As from a file.
  const recording = JSON.parse(JSON.stringify(finish())) as Recording;
  const again = new ManualClock();
  return {
    first,
    mock,
    recording,
    clock: again,
    replay: createMockHub({ clock: again, profile: PROFILE, replay: recording }),
  };
}

it('replays seeded evenings with the same reports', async () => {
  const total = { events: 0, commands: 0, refusals: 0, decisions: 0 };
  for (let seed = 1; seed <= runs(10, 5); seed += 1) {
    const { first, recording, clock, replay } = await recordedEvening(`evening ${seed}`);
    // With a recorder too, so that listeners that run in parallel wait equally long.
    const { fetch } = recorded(replay, clock, PROFILE);
    const second = await evening(replay, fetch, clock, `evening ${seed}`);
    expect(second, `seed ${seed}`).toEqual(first);
    expect(replay.pending().length, `seed ${seed}`).toBeLessThan(recording.events.length);
    total.events += recording.events.length;
    total.commands += recording.commands.length;
    total.refusals += recording.commands.filter(({ status }) => status >= 400).length;
    total.decisions += recording.commands.filter(({ events }) => events.length === 2).length;
  }
  // The evenings have something of everything.
  for (const count of Object.values(total)) expect(count, JSON.stringify(total)).toBeGreaterThan(2);
});

it('leads to the same events for an application that polls half as often', async () => {
  const { recording, clock, replay } = await recordedEvening('another pace');
  const { handled } = await evening(replay, replay.fetch, clock, 'another pace', { everySteps: 2 });
  const types = (each: Recording['events']) => each.map(({ event }) => event.eventId);
  const emitted = replay.emitted().map(({ eventId }) => eventId);
  expect(handled.length).toBeGreaterThan(20);
  expect(emitted).toEqual(expect.arrayContaining(types(recording.events)));
  expect(new Set(emitted).size).toBe(emitted.length);
});
