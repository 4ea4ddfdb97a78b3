import { context } from '@opentelemetry/api';
import { type IMetricReader, MeterProvider } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { HubFleet } from 'opendelivery-client';
import { ContextStorage } from './opentelemetry/context-storage.js';
import { measure } from './opentelemetry/metrics.js';
import { traceSpans } from './opentelemetry/spans.js';

export interface TelemetryOptions {
  readonly fleet: HubFleet;
  /** Where spans go, such as `new BatchSpanProcessor(new OTLPTraceExporter())`. */
  readonly spanProcessors: SpanProcessor[];
  /** Where metrics go, such as `new PrometheusExporter()`. */
  readonly readers: IMetricReader[];
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/**
 * Makes spans and metrics of what the clients of this process do, with the SDK
 * of OpenTelemetry.
 *
 * @returns a function that ends it, and sends what is left.
 */
export function startTelemetry({
  fleet,
  spanProcessors,
  readers,
  now,
}: TelemetryOptions): () => Promise<void> {
  const contexts = new ContextStorage();
  context.setGlobalContextManager(contexts);
  const tracers = new BasicTracerProvider({ spanProcessors });
  const meters = new MeterProvider({ readers });
  const ends = [
    traceSpans(tracers.getTracer('opendelivery-client'), contexts),
    measure(meters.getMeter('opendelivery-client'), fleet, now),
  ];
  return async () => {
    for (const end of ends) end();
    await Promise.all([tracers.shutdown(), meters.shutdown()]);
    context.disable();
  };
}
