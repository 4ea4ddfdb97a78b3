import { NodeSDK } from '@opentelemetry/sdk-node';
import type { HubFleet } from 'opendelivery-client';
import { instrument } from 'opendelivery-client/opentelemetry';

/**
 * Exports spans and metrics as the variables `OTEL_…` say: over OTLP, unless
 * `OTEL_METRICS_EXPORTER=prometheus` serves the metrics on port 9464.
 *
 * @returns a function that ends it, for after `fleet.stop()`.
 */
export function startTelemetry(fleet: HubFleet): () => Promise<void> {
  const sdk = new NodeSDK({ serviceName: 'pizzaria' });
  sdk.start();
  const end = instrument({ fleet });
  return async () => {
    await end();
    await sdk.shutdown();
  };
}
