import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers what the hub pushes: an `EventPoller`. */
export interface PushReceiver {
  /** Never rejects. */
  receive(request: Request): Promise<Response>;
}

/**
 * Makes a request listener for `node:http`, Express and the like, which passes requests to a poller.
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
  // Nobody reads the path here, and a hub may send one that is not a URL.
  const url = 'http://localhost/';
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
