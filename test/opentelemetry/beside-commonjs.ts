import { createRequire } from 'node:module';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { application, print } from './beside.js';

// The clients are those of the CommonJS copy, in the file that is passed; `instrument` is that of the ES modules.
const required = createRequire(import.meta.url)(process.argv[2] as string) as Parameters<
  typeof application
>[0] &
  Parameters<typeof application>[1] & { instrument(): void };
const exporter = new InMemorySpanExporter();
const sdk = new NodeSDK({ spanProcessors: [new SimpleSpanProcessor(exporter)], instrumentations: [] });
sdk.start();
const running = application(required, required);
try {
  required.instrument();
} catch (error) {
  process.stderr.write(String(error));
}
await running;
print(exporter.getFinishedSpans());
await sdk.shutdown();
