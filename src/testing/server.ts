import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { headersOf } from '../http/raw-headers.js';
import type { Clock } from '../time/clock.js';
import type { ResolvedListenOptions } from './listen-options.js';
import { type Admitted, allowedOriginOf, hostNameOf, refusalOf } from './loopback.js';

/** A mock hub that is served over HTTP on this machine. */
export interface ListeningHub {
  /** Such as `http://127.0.0.1:4010`, as this machine calls it; pass it to the client as `baseUrl`. */
  readonly url: string;
  /** Stops the server and closes all connections. */
  close(): Promise<void>;
}

interface ServedHub {
  readonly respond: (request: Request) => Promise<Response>;
  /** Responds to a request that `respond` must not see. */
  readonly forbid: (request: Request, reason: string) => Response;
  readonly clock: Clock;
}

/** What listens on every address of the machine. */
const WILDCARD = /^(?:0\.0\.0\.0|\[::\])$/;

export async function listen(hub: ServedHub, options: ResolvedListenOptions): Promise<ListeningHub> {
  const { host, port, allowHost, allowOrigin } = options;
  const name = hostNameOf(isIPv6(host) ? `[${host}]` : host) ?? '127.0.0.1';
  const own = WILDCARD.test(name) ? '127.0.0.1' : name;
  const admitted = { hosts: new Set([own, ...allowHost]), origins: new Set(allowOrigin) };
  const server = createServer((incoming, outgoing) => {
    serve(hub, admitted, incoming, outgoing).catch(() => outgoing.destroy());
  });
  const { port: bound, close } = await startListening(server, port, host);
  return { url: `http://${own}:${bound}`, close };
}

/** Starts a server. Resolves to its port and to a function that stops it and closes all connections. */
export async function startListening(server: Server, port: number, host: string) {
  // Idle connections stay open between polls, as they do at a real hub behind a keep-alive proxy.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const close = () =>
    new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, close };
}

async function serve(
  { respond, forbid, clock }: ServedHub,
  admitted: Admitted,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const closed = new AbortController();
  outgoing.once('close', () => closed.abort(new Error('the client closed the connection')));
  // By the hub's clock: the client reads a Retry-After date against this header.
  outgoing.sendDate = false;
  outgoing.setHeader('date', new Date(clock.now()).toUTCString());
  const reason = refusalOf(incoming, admitted);
  if (reason !== undefined) {
    // The body stays unread, so the connection cannot be reused.
    outgoing.setHeader('connection', 'close');
    const request = toRequest(incoming, closed.signal, 'http://127.0.0.1');
    return send(request ? forbid(request, reason) : unreadable(), outgoing);
  }
  if (admitted.origins.size > 0) outgoing.setHeader('vary', 'origin');
  const allowedOrigin = allowedOriginOf(incoming.rawHeaders, admitted);
  if (allowedOrigin !== undefined && admitPage(incoming, allowedOrigin, outgoing)) return;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  // `refusalOf` has checked the host.
  const origin = `http://${incoming.headers.host}`;
  const request = toRequest(incoming, closed.signal, origin, Buffer.concat(chunks));
  await send(request ? await respond(request) : unreadable(), outgoing);
}

/**
 * Lets an allowed page send any header and read every response. A browser asks before it sends a request of the page;
 * the hub does not see that, because a real one sends no CORS headers.
 *
 * @returns whether the request was that question, which has its response now.
 */
function admitPage({ method, headers }: IncomingMessage, origin: string, outgoing: ServerResponse): boolean {
  outgoing.setHeader('access-control-allow-origin', origin);
  outgoing.setHeader('access-control-expose-headers', '*');
  const asked = headers['access-control-request-method'];
  if (method !== 'OPTIONS' || asked === undefined) return false;
  outgoing.setHeader('access-control-allow-methods', asked);
  outgoing.setHeader('access-control-allow-headers', headers['access-control-request-headers'] ?? '');
  outgoing.setHeader('access-control-max-age', '600');
  outgoing.writeHead(204).end();
  return true;
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
  if (!response.body) return void outgoing.end();
  // The headers leave at once: the body may be slow, or never end.
  outgoing.flushHeaders();
  await pipeline(response.body, outgoing);
}
