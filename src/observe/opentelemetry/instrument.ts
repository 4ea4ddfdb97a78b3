import { diag, type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api';
import { ConfigurationError } from '../../errors/index.js';
import { version } from '../../hub/version.js';
import { object, resolve } from '../../options/checks.js';
import { checksOf, defaultsOf, type GivenOptions, withoutDefault } from '../../options/table.js';
import { measureFleet, type ObservedFleet } from './fleet-metrics.js';
import { measureOperations } from './metrics.js';
import { makeSpans } from './spans.js';

const OPTIONS = {
  /** What makes the spans. Default: the global one, which `NodeSDK.start()` sets. */
  tracerProvider: withoutDefault(object<TracerProvider>('a TracerProvider', 'getTracer')),
  /** What makes the metrics. Default: the global one, which `NodeSDK.start()` sets. */
  meterProvider: withoutDefault(object<MeterProvider>('a MeterProvider', 'getMeter')),
  /** A `HubFleet` whose health becomes gauges. Default: none; the operations of all clients are measured anyway. */
  fleet: withoutDefault(object<ObservedFleet>('a HubFleet', 'health', 'on', 'off')),
};

/** Options of `instrument`. */
export interface InstrumentOptions extends GivenOptions<typeof OPTIONS> {}

const DEFAULTS = defaultsOf(OPTIONS);
const CHECKS = checksOf(OPTIONS);

/** Of the process: the copies of this package publish on the same channels, so each would make a span of everything. */
const INSTRUMENTED = Symbol.for('opendelivery-client.instrumented');

/**
 * Makes spans and metrics of what all clients, pollers and fleets of this
 * process do, by the semantic conventions for messaging and HTTP. A listener
 * runs in the context of its span.
 *
 * Call it after the SDK has started: the global meter provider is read here.
 *
 * @returns a function that ends it. It ends the spans under way and asks the
 * providers to export what they have (`forceFlush`), and does not shut them
 * down. That takes as long as their exporters do, and never rejects: a failed
 * export goes to `diag` of OpenTelemetry.
 * @throws {ConfigurationError} an option is unknown or invalid, or the process
 * is instrumented already.
 */
export function instrument(options: InstrumentOptions = {}): () => Promise<void> {
  const { tracerProvider, meterProvider, fleet } = resolve('', options, DEFAULTS, CHECKS);
  if (Reflect.get(globalThis, INSTRUMENTED) === true) {
    throw new ConfigurationError(
      'instrument',
      'was called before in this process, and each further call would make every span once more; first call the function that it returned',
    );
  }
  const tracers = tracerProvider ?? trace.getTracerProvider();
  const meters = meterProvider ?? metrics.getMeterProvider();
  const meter = meters.getMeter(NAME, version);
  const endSpans = makeSpans(tracers.getTracer(NAME, version));
  const endMetrics = [measureOperations(meter), ...(fleet ? [measureFleet(meter, fleet)] : [])];
  Reflect.set(globalThis, INSTRUMENTED, true);
  let ended: Promise<void> | undefined;
  return () => {
    ended ??= (async () => {
      endSpans();
      // The last export still has the gauges.
      await Promise.all([tracers, meters].map(flush));
      for (const end of endMetrics) end();
      Reflect.set(globalThis, INSTRUMENTED, false);
    })();
    return ended;
  };
}

const NAME = 'opendelivery-client';

/** `forceFlush` belongs to the providers of the SDK, not to the interface. That of a tracer provider is behind a proxy. */
async function flush(provider: object): Promise<void> {
  try {
    const real = (provider as { getDelegate?(): object }).getDelegate?.() ?? provider;
    await (real as { forceFlush?(): Promise<void> }).forceFlush?.();
  } catch (error) {
    diag.error('opendelivery-client: an export at the end failed', error);
  }
}
