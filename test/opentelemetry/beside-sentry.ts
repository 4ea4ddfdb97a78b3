import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import * as sentry from '@sentry/node';
import * as client from 'opendelivery-client';
import * as testing from 'opendelivery-client/testing';
import { application, print } from './beside.js';

const exporter = new InMemorySpanExporter();
sentry.init({
  dsn: 'https://key@sentry.example/1',
  tracesSampleRate: 1,
  // Nothing leaves the process.
  transport: () => ({ send: async () => ({}), flush: async () => true }),
  openTelemetrySpanProcessors: [new SimpleSpanProcessor(exporter)],
});
await application(client, testing);
print(exporter.getFinishedSpans());
await sentry.close();
