import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../clock.js';

/** The mock hub on a port of this machine. */
export interface ListeningHub {
  readonly url: string;
  /** Ends all connections. */
  close(): Promise<void>;
}

type Answer = (request: Request) => Promise<Response>;

export async function listen(answer: Answer, clock: Clock, port: number): Promise<ListeningHub> {
  const server = createServer((incoming, outgoing) => {
    serve(answer, clock, incoming, outgoing).catch(() => outgoing.destroy());
  });
  // Idle connections stay open between polls, as at a real hub behind a keep-alive proxy.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

async function serve(
  answer: Answer,
  clock: Clock,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort(new Error('the client is gone')));
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = 'GET', url = '/', headers } = incoming;
  const request = new Request(new URL(url, `http://${headers.host ?? '127.0.0.1'}`), {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
    ...(method !== 'GET' && method !== 'HEAD' && { body: Buffer.concat(chunks) }),
    signal: gone.signal,
  });
  const response = await answer(request);
  // The hub's own time, or a Retry-After date would be read against another clock.
  outgoing.sendDate = false;
  outgoing.setHeader('date', new Date(clock.now()).toUTCString());
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  // On its way before the body, which may take its time or never come to its end.
  if (response.body) outgoing.flushHeaders();
  if (response.body) for await (const chunk of response.body) await written(outgoing, chunk);
  outgoing.end();
}

function written(outgoing: ServerResponse, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
