import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { instrument } from 'opendelivery-client/opentelemetry';

/** What a program prints of each span. */
export interface PrintedSpan {
  readonly name: string;
  readonly id: string;
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly scope: string;
  readonly kind: SpanKind;
  readonly isFailed: boolean;
  readonly attributes: ReadableSpan['attributes'];
}

type Client = Pick<typeof import('opendelivery-client'), 'HubClient'>;
type Testing = Pick<typeof import('opendelivery-client/testing'), 'createMockHub'>;

/** Of the application: it must arrive in its listeners too. */
const tenant = new AsyncLocalStorage<string>();

/**
 * An application beside an SDK that has started: its listener makes a span of its own, requests something of another
 * server, and sends a command. All polls begin in a span that soon ends, as in a framework's start.
 */
export async function application({ HubClient }: Client, { createMockHub }: Testing): Promise<void> {
  const end = instrument();
  const other = createServer((_request, response) => void response.end('ok')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const mock = createMockHub();
  const server = await mock.listen();
  const tracer = trace.getTracer('application');
  const hub = new HubClient({ baseUrl: server.url, ...mock.credentials, logger: false });
  const poller = hub.poller();
  const handled = new Promise<void>((resolve) => {
    poller.on('CREATED', async ({ orderId }) => {
      await tracer.startActiveSpan('save', async (span) => {
        await new Promise((done) => setImmediate(done));
        span.setAttribute('tenant', tenant.getStore() ?? 'lost');
        span.end();
      });
      await (await fetch(`http://127.0.0.1:${port}/elsewhere`)).text();
      await hub.orders.confirm(orderId);
      resolve();
    });
  });
  poller.on('CONFIRMED', () => {});
  mock.createOrder();
  await tenant.run('pizzaria', () =>
    tracer.startActiveSpan('start', async (span) => {
      span.end();
      await poller.start();
    }),
  );
  await handled;
  await poller.stop();
  await hub.close();
  await end();
  await server.close();
  other.close();
}

export function print(spans: readonly ReadableSpan[]): void {
  const printed = spans.map((span): PrintedSpan => {
    const { spanId, traceId } = span.spanContext();
    return {
      name: span.name,
      id: spanId,
      traceId,
      parentId: span.parentSpanContext?.spanId,
      kind: span.kind,
      scope: span.instrumentationScope.name,
      isFailed: span.status.code === SpanStatusCode.ERROR,
      attributes: span.attributes,
    };
  });
  process.stdout.write(JSON.stringify(printed));
}
