import type { Clock } from '../../../clock.js';
import type { EndpointName } from '../../../endpoints.js';
import type { Fetch, FetchInit, FetchResponse } from '../../../http/fetch.js';
import type { Exchange, Purpose } from '../checks/observed.js';

/** A longer body is not kept; the client reads on, up to its own limit. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** The headers that a check reads. */
const HEADERS = [
  'content-type',
  'date',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
];

/** A request as it was sent, to be sent again with another credential. */
export interface SentRequest {
  readonly url: string;
  readonly init: FetchInit;
}

type Recorded = { -readonly [Key in keyof Exchange]: Exchange[Key] };

/**
 * Keeps every request of the doctor with its response, for the checks. The
 * bodies contain secrets and customer data: they never leave this process.
 */
export class ExchangeLog {
  readonly exchanges: Exchange[] = [];
  /** The last request to each endpoint. */
  readonly sent = new Map<EndpointName, SentRequest>();
  readonly #clock: Clock;
  #endpoint: EndpointName = 'token';
  #purpose: Purpose = 'first';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Says which endpoint the next request is for: its address may have any form. */
  next(endpoint: EndpointName): void {
    this.#endpoint = endpoint;
  }

  /** Says why the requests from now on are sent. */
  from(purpose: Purpose): void {
    this.#purpose = purpose;
  }

  /** Sends a request with `send`, and records it. */
  async fetch(url: string, init: FetchInit, send: Fetch): Promise<FetchResponse> {
    const recorded: Recorded = {
      endpoint: this.#endpoint,
      purpose: this.#purpose,
      at: this.#clock.now(),
      status: undefined,
      headers: {},
      body: undefined,
    };
    this.exchanges.push(recorded);
    this.sent.set(recorded.endpoint, { url, init });
    const { status, headers, body } = await send(url, init);
    recorded.status = status;
    recorded.headers = Object.fromEntries(
      HEADERS.map((name) => [name, headers.get(name)]).filter(([, value]) => value !== null),
    );
    if (body === null) recorded.body = '';
    return { status, headers, body: body && recording(body as ReadableStream<Uint8Array>, recorded) };
  }
}

function recording(body: ReadableStream<Uint8Array>, recorded: Recorded): ReadableStream<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.length;
        if (size <= MAX_BODY_BYTES) chunks.push(chunk.slice());
        controller.enqueue(chunk);
      },
      flush() {
        if (size <= MAX_BODY_BYTES) recorded.body = Buffer.concat(chunks).toString().trim();
      },
    }),
  );
}
