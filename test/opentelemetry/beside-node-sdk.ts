import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { BatchSpanProcessor, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import * as client from 'opendelivery-client';
import * as testing from 'opendelivery-client/testing';
import { application, print } from './beside.js';

const exporter = new InMemorySpanExporter();
// `instrument()` ends with a flush, so this processor has nothing left.
const spanProcessors = [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 60_000 })];
const sdk = new NodeSDK({ spanProcessors, instrumentations: [new UndiciInstrumentation()] });
sdk.start();
await application(client, testing);
print(exporter.getFinishedSpans());
await sdk.shutdown();
