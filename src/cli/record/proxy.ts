import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { collectStream } from '../../http/body.js';
import { headersOf, headerValues } from '../../http/raw-headers.js';
import { refusalOf } from '../../testing/loopback.js';
import { type ListeningHub, startListening } from '../../testing/server.js';

/** A request that was forwarded, and what came back. */
export interface Forwarded {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  readonly sentAt: number;
  /** Absent: the hub did not respond, or the application closed the connection. */
  readonly response?: { readonly status: number; readonly body: string };
  /** Why there is no response, such as `ECONNREFUSED`. */
  readonly failure?: string;
}

interface ProxyOptions {
  /** The origin to which requests with this path go. */
  readonly originOf: (path: string) => string;
  readonly port: number;
  /** Monotonic ms. */
  readonly now: () => number;
  readonly onForwarded: (forwarded: Forwarded) => void;
}

const NONE_BESIDE_THIS_MACHINE = { hosts: new Set<string>(), origins: new Set<string>() };

const FOREIGN = 'the proxy serves programs of this machine only; send the request to 127.0.0.1 or localhost';

/** A larger body is not kept in memory: the request or the response is refused. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Headers that are about one connection (RFC 9110, 7.6.1), or that change with the body. Without `accept-encoding`, a hub
 * does not choose a compression that cannot be read here.
 */
const NOT_FORWARDED =
  /^(?:host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|expect|accept-encoding)$/i;

const DECODERS: Readonly<Record<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/**
 * Forwards requests of this machine to a hub, and its responses. Of both, only addresses change: those of the hub
 * become those of the proxy, so that the application stays with it. It follows no redirect, and writes no file.
 */
export async function startProxy(options: ProxyOptions): Promise<ListeningHub> {
  let url = '';
  const server = createServer((incoming, outgoing) => {
    // A hub that does not respond shows as it would without the proxy.
    serve(incoming, outgoing, options, url).catch(() => outgoing.destroy());
  });
  const { port, close } = await startListening(server, options.port, '127.0.0.1');
  url = `http://127.0.0.1:${port}`;
  return { url, close };
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { originOf, now, onForwarded }: ProxyOptions,
  ownUrl: string,
): Promise<void> {
  if (refusalOf(incoming, NONE_BESIDE_THIS_MACHINE) !== undefined) {
    outgoing.writeHead(403, { connection: 'close', 'content-type': 'application/problem+json' });
    outgoing.end(JSON.stringify({ title: FOREIGN, status: 403 }));
    return;
  }
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  // An absolute target names the proxy, as `refusalOf` has checked.
  const target = url.startsWith('/') ? url : url.replace(/^\w+:\/\/[^/?#]*/, '') || '/';
  const [path = '/'] = target.split('?', 1);
  const origin = originOf(path);
  const sent = await bodyOf(incoming);
  const base = { method, path, headers: headersOf(rawHeaders), body: sent.toString(), sentAt: now() };
  const forwarding = forward(incoming, sent, origin, target, outgoing);
  const received = await forwarding.catch((error: NodeJS.ErrnoException) => {
    onForwarded({ ...base, failure: error.code ?? 'unreadable' });
    throw error;
  });
  onForwarded({ ...base, response: { status: received.status, body: received.body.toString() } });
  send(received, outgoing, method, (text) => withAddress(text, origin, ownUrl));
}

interface Received {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  /** Without compression. */
  readonly body: Buffer;
  readonly isDecoded: boolean;
}

/** @param target - path and query, as the application has sent them. */
async function forward(
  { method, rawHeaders }: IncomingMessage,
  body: Buffer,
  origin: string,
  target: string,
  outgoing: ServerResponse,
): Promise<Received> {
  const { protocol, hostname, port, host } = new URL(origin);
  const hasBody = body.length > 0 || headerValues(rawHeaders).has('content-length');
  const headers = [
    'host',
    host,
    ...forwarded(rawHeaders).flat(),
    ...(hasBody ? ['content-length', String(body.length)] : []),
  ];
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (protocol === 'https:' ? httpsRequest : httpRequest)(
      // Not the target as an address: `//other.example/` is a path of the hub.
      { hostname: hostname.replace(/^\[|\]$/g, ''), port, path: target, method, headers },
      resolve,
    );
    request.once('error', reject);
    outgoing.once('close', () => request.destroy());
    request.end(body);
  });
  const encoded = await bodyOf(response);
  const decoded = encoded.length > 0 ? decodedOf(encoded, response.headers['content-encoding']) : undefined;
  return {
    status: response.statusCode ?? 502,
    rawHeaders: response.rawHeaders,
    body: decoded ?? encoded,
    isDecoded: decoded !== undefined,
  };
}

/** Undefined: it cannot be read, or is too large. It is not recorded then; the application may be able to read it. */
function decodedOf(body: Buffer, contentEncoding = ''): Buffer | undefined {
  const encoding = contentEncoding.trim().toLowerCase();
  if (!Object.hasOwn(DECODERS, encoding)) return undefined;
  try {
    return DECODERS[encoding]?.(body, { maxOutputLength: MAX_BODY_BYTES });
  } catch {
    return undefined;
  }
}

function send(
  { status, rawHeaders, body, isDecoded }: Received,
  outgoing: ServerResponse,
  method: string,
  readdress: (text: string) => string,
): void {
  const values = headerValues(rawHeaders);
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(values.get('content-type')?.[0] ?? '');
  // Not as UTF-8: each byte stays, whatever the character set is.
  const sent = isJson ? Buffer.from(readdress(body.toString('latin1')), 'latin1') : body;
  const headers = forwarded(rawHeaders)
    .filter(([name]) => !isDecoded || name.toLowerCase() !== 'content-encoding')
    .flatMap(([name, value]) => [name, /^(?:content-)?location$/i.test(name) ? readdress(value) : value]);
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  outgoing.sendDate = false;
  outgoing.writeHead(status, [...headers, ...(hasBody ? ['content-length', String(sent.length)] : [])]);
  outgoing.end(sent);
}

/** The headers that are not about one connection. */
function forwarded(rawHeaders: readonly string[]): readonly (readonly [name: string, value: string])[] {
  const ofConnection = (headerValues(rawHeaders).get('connection') ?? [])
    .flatMap((value) => value.split(','))
    .map((name) => name.trim().toLowerCase());
  return rawHeaders.flatMap((name, at) => {
    const isForwarded = !NOT_FORWARDED.test(name) && !ofConnection.includes(name.toLowerCase());
    return at % 2 === 0 && isForwarded ? [[name, rawHeaders[at + 1] ?? ''] as const] : [];
  });
}

/** In JSON, a slash may be escaped. Another host can begin with the same letters: `https://hub.example.br`. */
function withAddress(text: string, from: string, to: string): string {
  const address = from.replace(/[.[\]]/g, '\\$&').replaceAll('/', '\\\\?/');
  return text.replace(new RegExp(`${address}(?![\\w-]|[.:]\\w)`, 'g'), (found) =>
    found.includes('\\') ? to.replaceAll('/', '\\/') : to,
  );
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const { body, cut } = await collectStream(message, MAX_BODY_BYTES);
  if (!cut) return body;
  message.destroy();
  throw new Error('the body is larger than 64 MiB');
}
