import { performance } from 'node:perf_hooks';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Clock } from 'opendelivery-client';
import { instrument } from 'opendelivery-client/opentelemetry';
import { vi } from 'vitest';

/** The SDK in memory, and what `instrument` makes with it. It measures with the clock. */
export class Telemetry {
  readonly tracerProvider: BasicTracerProvider;
  readonly meterProvider: MeterProvider;
  readonly #exporter = new InMemorySpanExporter();
  readonly #prometheus = new PrometheusExporter({ preventServerStart: true });
  readonly #realTime: { mockRestore(): void };

  constructor(clock: Clock) {
    this.tracerProvider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(this.#exporter)],
    });
    this.meterProvider = new MeterProvider({ readers: [this.#prometheus] });
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    this.#realTime = vi.spyOn(performance, 'now').mockImplementation(() => clock.monotonic());
  }

  /** @returns a function that ends it. */
  instrument(options: Parameters<typeof instrument>[0] = {}): () => Promise<void> {
    const { tracerProvider, meterProvider } = this;
    return instrument({ tracerProvider, meterProvider, ...options });
  }

  get spans() {
    return this.#exporter.getFinishedSpans();
  }

  /** The metrics, in the format of Prometheus. */
  async scrape(): Promise<string> {
    const { resourceMetrics, errors } = await this.#prometheus.collect();
    if (errors.length > 0) throw new AggregateError(errors);
    return new PrometheusSerializer().serialize(resourceMetrics);
  }

  async end(): Promise<void> {
    this.#realTime.mockRestore();
    context.disable();
    await Promise.all([this.tracerProvider.shutdown(), this.meterProvider.shutdown()]);
  }
}
