import { noteRewritten } from '../../events/push/verify.js';
import { headersOf } from '../../http/raw-headers.js';

// Not the types of Node: an application that is compiled without them must be able to import this package.

/** What `nodeHandler` reads of a request: an `IncomingMessage` of `node:http`. */
export interface NodeRequest {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url?: string | undefined;
  /** The names and values of all headers in turn, as they were received. */
  readonly rawHeaders: readonly string[];
  /** By name; read if `rawHeaders` is empty, as in a request that an adapter of a serverless platform has made. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  /** Whether the whole body has arrived. */
  readonly complete: boolean;
  /** Whether the body was read. */
  readonly readableEnded: boolean;
  /** The bytes of the body, if a body parser has kept them: a `Uint8Array`, or a string in UTF-8. */
  readonly rawBody?: unknown;
  /** What a body parser has made of the body. */
  readonly body?: unknown;
  /** Adds a listener. */
  // biome-ignore lint/suspicious/noExplicitAny: the types of Node 25 and later have `any` here.
  on(name: string, listener: (...values: any[]) => void): unknown;
  /** Removes the listeners of one name. */
  removeAllListeners(name: 'data'): unknown;
  /** Stops `data`. */
  pause(): unknown;
  /** Continues `data`. */
  resume(): unknown;
}

/** What `nodeHandler` writes: a `ServerResponse` of `node:http`. */
export interface NodeResponse {
  /** The status of the response. */
  statusCode: number;
  /** Whether somebody has begun to answer. */
  readonly headersSent: boolean;
  /** Whether somebody has answered. */
  readonly writableEnded: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Sends the response. */
  end(body: Uint8Array): unknown;
}

/** Receives the hub's pushes, such as an `EventPoller`. */
export interface PushReceiver {
  /** Never rejects. */
  receive(request: Request): Promise<Response>;
}

/**
 * Returns a callback for `http.createServer`, Express and similar servers. It passes each request to `target.receive`.
 *
 * The signature covers the raw bytes, so register it before any body parser, or have the parser keep them: in Express
 * `express.json({ verify: (request, response, bytes) => { request.rawBody = bytes } })`. If there is only the parsed
 * object, it is written as JSON again, and accepted only if that is byte for byte what was signed.
 *
 * @example
 * ```ts
 * const server = createServer(nodeHandler(poller));
 * ```
 */
export function nodeHandler(
  target: PushReceiver,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (incoming, outgoing) => {
    const response = await target.receive(await requestOf(incoming));
    // A middleware has answered, or the connection is closed.
    if (outgoing.headersSent || outgoing.writableEnded) return;
    const body = Buffer.from(await response.arrayBuffer());
    for (const [name, value] of response.headers) outgoing.setHeader(name, value);
    // The rest of the request's body is not read: the connection cannot be used again.
    if (!incoming.complete) outgoing.setHeader('connection', 'close');
    outgoing.statusCode = response.status;
    outgoing.end(body);
  };
}

async function requestOf(incoming: NodeRequest): Promise<Request> {
  const { rawHeaders, headers: byName = {} } = incoming;
  const headers = headersOf(rawHeaders.length > 0 ? rawHeaders : Object.entries(byName).flatMap(inTurn));
  const url = urlOf(incoming);
  if (incoming.method !== 'POST') return new Request(url, { headers });
  const post = (body: unknown) =>
    new Request(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  const { rawBody, body, readableEnded } = incoming;
  if (isRaw(rawBody)) return post(rawBody);
  if (!readableEnded) return post(bodyOf(incoming));
  // A body parser has read it.
  if (isRaw(body)) return post(body);
  const json = jsonOf(body);
  const request = post(json ?? '');
  if (json !== undefined) noteRewritten(request);
  // Read like the other one: the poller says what to do.
  else await request.text();
  return request;
}

/** The parsed body as JSON again. */
function jsonOf(body: unknown): string | undefined {
  try {
    return JSON.stringify(body);
  } catch {
    return undefined;
  }
}

const inTurn = ([name, values]: [string, string | readonly string[] | undefined]) =>
  [values ?? []].flat().flatMap((value) => [name, value]);

const isRaw = (body: unknown) => typeof body === 'string' || body instanceof Uint8Array;

/** With the path that was requested, also below a router of Express. What is not a path becomes the root. */
function urlOf(incoming: NodeRequest & { readonly originalUrl?: string }): string {
  const root = 'http://localhost/';
  const path = incoming.originalUrl ?? incoming.url ?? '/';
  return URL.canParse(root + path.slice(1)) ? new URL(root + path.slice(1)).href : root;
}

/** The body as a web stream. If its reader stops early, the connection stays open for the response. */
function bodyOf(incoming: NodeRequest): ReadableStream<Uint8Array> {
  let isWanted = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on('data', (chunk: Uint8Array) => {
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.on('end', () => isWanted && controller.close());
      incoming.on('error', (error) => controller.error(error));
      incoming.on('close', () => {
        if (!incoming.complete) controller.error(new Error('the connection was closed'));
      });
    },
    pull() {
      incoming.resume();
    },
    cancel() {
      isWanted = false;
      incoming.removeAllListeners('data');
      incoming.pause();
    },
  });
}
