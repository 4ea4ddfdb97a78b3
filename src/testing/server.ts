import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { headersOf } from '../http/raw-headers.js';
import type { Clock } from '../time/clock.js';
import { refusalOf } from './loopback.js';

/** A mock hub that is served over HTTP on this machine. */
export interface ListeningHub {
  /** Such as `http://127.0.0.1:4010`; pass it to the client as `baseUrl`. */
  readonly url: string;
  /** Stops the server and closes all connections. */
  close(): Promise<void>;
}

export interface ServedHub {
  readonly respond: (request: Request) => Promise<Response>;
  /** Responds to a request that `respond` must not see. */
  readonly forbid: (request: Request, reason: string) => Response;
  readonly clock: Clock;
}

export async function listen(hub: ServedHub, port: number): Promise<ListeningHub> {
  const server = createServer((incoming, outgoing) => {
    serve(hub, incoming, outgoing).catch(() => outgoing.destroy());
  });
  // Idle connections stay open between polls, as they do at a real hub behind a keep-alive proxy.
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
  { respond, forbid, clock }: ServedHub,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const closed = new AbortController();
  outgoing.once('close', () => closed.abort(new Error('the client closed the connection')));
  // By the hub's clock: the client reads a Retry-After date against this header.
  outgoing.sendDate = false;
  outgoing.setHeader('date', new Date(clock.now()).toUTCString());
  const reason = refusalOf(incoming);
  if (reason !== undefined) {
    // The body stays unread, so the connection cannot be reused.
    outgoing.setHeader('connection', 'close');
    const request = toRequest(incoming, closed.signal, 'http://127.0.0.1');
    return send(request ? forbid(request, reason) : unreadable(), outgoing);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  // `refusalOf` has checked the host.
  const origin = `http://${incoming.headers.host}`;
  const request = toRequest(incoming, closed.signal, origin, Buffer.concat(chunks));
  await send(request ? await respond(request) : unreadable(), outgoing);
}

const unreadable = () => new Response(null, { status: 400 });

/** Undefined: a `Request` cannot have this method or address, such as TRACE. */
function toRequest(
  { method = 'GET', url = '/', rawHeaders }: IncomingMessage,
  signal: AbortSignal,
  origin: string,
  body?: Buffer,
): Request | undefined {
  const hasBody = method !== 'GET' && method !== 'HEAD' && body !== undefined;
  try {
    // Not `new URL(url, base)` for a path: it would read `//host/path` as a host.
    const address = url.startsWith('/') ? `${origin}${url}` : new URL(url, origin);
    return new Request(address, { method, headers: headersOf(rawHeaders), ...(hasBody && { body }), signal });
  } catch {
    return undefined;
  }
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body) {
    // The headers leave at once: the body may be slow, or never end.
    outgoing.flushHeaders();
    for await (const chunk of response.body) await write(outgoing, chunk);
  }
  outgoing.end();
}

function write(outgoing: ServerResponse, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    outgoing.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
