import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../clock.js';
import { refusalOf } from './loopback.js';

/** The mock hub on a port of this machine. */
export interface ListeningHub {
  readonly url: string;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface Served {
  readonly answer: (request: Request) => Promise<Response>;
  /** Answers a request that `answer` must not see. */
  readonly forbid: (request: Request, reason: string) => Response;
  readonly clock: Clock;
}

export async function listen(served: Served, port: number): Promise<ListeningHub> {
  const server = createServer((incoming, outgoing) => {
    serve(served, incoming, outgoing).catch(() => outgoing.destroy());
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
  { answer, forbid, clock }: Served,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort(new Error('the client is gone')));
  // The hub's own time, or a Retry-After date would be read against another clock.
  outgoing.sendDate = false;
  outgoing.setHeader('date', new Date(clock.now()).toUTCString());
  const reason = refusalOf(incoming);
  if (reason !== undefined) {
    // Its body is not read, so nothing else can come on this connection.
    outgoing.setHeader('connection', 'close');
    return write(forbid(requestOf(incoming, gone.signal), reason), outgoing);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  await write(await answer(requestOf(incoming, gone.signal, Buffer.concat(chunks))), outgoing);
}

function requestOf(
  { method = 'GET', url = '/', headers }: IncomingMessage,
  signal: AbortSignal,
  body?: Buffer,
): Request {
  // What begins with two slashes is a path, too.
  const address = url.startsWith('/') ? `http://127.0.0.1${url}` : new URL(url, 'http://127.0.0.1/');
  return new Request(address, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
    ...(method !== 'GET' && method !== 'HEAD' && body && { body }),
    signal,
  });
}

async function write(response: Response, outgoing: ServerResponse): Promise<void> {
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
