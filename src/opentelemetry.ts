/**
 * Spans and metrics of OpenTelemetry, beside the SDK that the application has.
 *
 * @module opendelivery-client/opentelemetry
 */

export type { ObservedFleet } from './observe/opentelemetry/fleet-metrics.js';
export { type InstrumentOptions, instrument } from './observe/opentelemetry/instrument.js';
