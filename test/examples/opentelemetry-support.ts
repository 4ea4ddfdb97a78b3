import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { HubFleet } from 'opendelivery-client';
import { ManualClock, type MockHub, playEvening } from 'opendelivery-client/testing';
import { startTelemetry } from '../../examples/opentelemetry.js';
import { hubWith, stores } from '../fleet/support.js';
import { randomOf } from '../sim/random.js';

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

/** An evening of a fleet with faults, observed by the example. The same seed gives the same evening. */
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
  const exporter = new InMemorySpanExporter();
  const prometheus = new PrometheusExporter({ preventServerStart: true });
  const endTelemetry = startTelemetry({
    fleet,
    spanProcessors: [new SimpleSpanProcessor(exporter)],
    readers: [prometheus],
    now: () => clock.monotonic(),
  });
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
    await clock.advance('1m');
    scrapes.push(await scrapeOf(prometheus));
  }
  await evening;
  const stopped = fleet.stop();
  await clock.advance('1m');
  await Promise.all([started, stopped]);
  const metrics = await scrapeOf(prometheus);
  const spans = exporter.getFinishedSpans().slice();
  await endTelemetry();
  return { mock, spans, scrapes, metrics, calls };
}

async function scrapeOf(prometheus: PrometheusExporter): Promise<string> {
  const { resourceMetrics, errors } = await prometheus.collect();
  if (errors.length > 0) throw new AggregateError(errors);
  return new PrometheusSerializer().serialize(resourceMetrics);
}
