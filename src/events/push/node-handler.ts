import type { IncomingMessage, ServerResponse } from 'node:http';

/** Receives the hub's pushes, such as an `EventPoller`. */
export interface PushReceiver {
  /** Never rejects. */
  receive(request: Request): Promise<Response>;
}

/**
 * Returns a callback for `http.createServer`, Express and similar servers. It passes each request to `target.receive`.
 *
 * Register it before any body parser: what the hub pushes is signed as raw bytes.
 *
 * @example
 * ```ts
 * const server = createServer(nodeHandler(poller));
 * ```
 */
export function nodeHandler(
  target: PushReceiver,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (incoming, outgoing) => {
    const response = await target.receive(await requestOf(incoming));
    const body = Buffer.from(await response.arrayBuffer());
    for (const [name, value] of response.headers) outgoing.setHeader(name, value);
    // The rest of the request's body is not read: the connection cannot be used again.
    if (!incoming.complete) outgoing.setHeader('connection', 'close');
    outgoing.statusCode = response.status;
    outgoing.end(body);
  };
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const url = urlOf(incoming);
  if (incoming.method !== 'POST') return new Request(url, { headers });
  if (!incoming.readableEnded) {
    return new Request(url, {
      method: 'POST',
      headers,
      body: bodyOf(incoming),
      duplex: 'half',
    } as RequestInit);
  }
  const request = new Request(url, { method: 'POST', headers, body: '' });
  // A body parser has read it: so has this request, and the poller says what to do.
  await request.text();
  return request;
}

/** With the path that was requested, also below a router of Express. What is not a path becomes the root. */
function urlOf(incoming: IncomingMessage & { readonly originalUrl?: string }): string {
  const root = 'http://localhost/';
  const path = incoming.originalUrl ?? incoming.url ?? '/';
  return URL.canParse(root + path.slice(1)) ? new URL(root + path.slice(1)).href : root;
}

/** The body as a web stream. If its reader stops early, the connection stays open for the response. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on('data', (chunk: Uint8Array) => {
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.on('end', () => controller.close());
      incoming.on('error', (error) => controller.error(error));
      incoming.on('close', () => {
        if (!incoming.complete) controller.error(new Error('the connection was closed'));
      });
    },
    pull() {
      incoming.resume();
    },
    cancel() {
      incoming.removeAllListeners('data');
      incoming.pause();
    },
  });
}
