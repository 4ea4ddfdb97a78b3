import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { HubFleet } from 'opendelivery-client';
import { ManualClock, type MockHub, playEvening } from 'opendelivery-client/testing';
import { hubWith, stores } from '../fleet/support.js';
import { randomOf } from '../sim/random.js';
import { Telemetry } from './telemetry.js';

export interface ObservedEvening {
  readonly mock: MockHub;
  readonly spans: readonly ReadableSpan[];
  /** The metrics of each of the last ten minutes, in the format of Prometheus. */
  readonly scrapes: readonly string[];
  /** Those after the fleet was stopped. */
  readonly metrics: string;
  /** How often a listener was called. */
  readonly calls: number;
}

/** An evening of a fleet with faults, observed by `instrument`. The same seed gives the same evening. */
export async function observedEvening(seed: number): Promise<ObservedEvening> {
  const { random } = Math;
  Math.random = randomOf(seed);
  return play(seed).finally(() => {
    Math.random = random;
  });
}

async function play(seed: number): Promise<ObservedEvening> {
  const clock = new ManualClock();
  const others = stores(4).slice(2);
  const mock = hubWith(others, { clock, latencyMs: 300 });
  mock.faults.next('token', 401);
  mock.faults.random({
    seed,
    rate: 0.1,
    types: ['status', 'latency'],
    endpoints: ['polling', 'acknowledgment'],
  });
  const own = { storeId: 'store-1', ...mock.credentials };
  const { baseUrl, fetch } = mock;
  const fleet = new HubFleet({ baseUrl, fetch, clock, stores: [own, ...others], logger: false });
  const telemetry = new Telemetry(clock);
  const end = telemetry.instrument({ fleet });
  const draw = randomOf(seed + 1);
  let calls = 0;
  fleet.on('event', async ({ eventType, orderId }, { attempt, hub }) => {
    calls += 1;
    await hub.orders.get(orderId);
    // The last events stay at the hub for a while, so that a scrape sees them.
    const isLate = eventType === 'CONCLUDED' && attempt < 4;
    if (isLate || draw() < 0.1) throw new TypeError('the printer is out of paper');
  });
  fleet.on('error', () => {});
  const started = fleet.start().catch(() => {});
  const evening = playEvening(mock, clock);
  await clock.advance('100m');
  const scrapes: string[] = [];
  for (let minute = 101; minute <= 110; minute += 1) {
    // Each store fails twice in a row.
    if (minute === 104) mock.faults.next('polling', 503, 6);
    await clock.advance('1m');
    scrapes.push(await telemetry.scrape());
  }
  await evening;
  const stopped = fleet.stop();
  await clock.advance('1m');
  await Promise.all([started, stopped]);
  const metrics = await telemetry.scrape();
  const spans = telemetry.spans.slice();
  await end();
  await telemetry.end();
  return { mock, spans, scrapes, metrics, calls };
}
