import type { HubClient } from '../../client.js';
import type { Clock } from '../../clock.js';
import type { EndpointName } from '../../endpoints.js';
import type { Fetch, FetchResponse } from '../../http/fetch.js';
import type { Redactor } from '../../secrets/redactor.js';

/** The part of each body that is recorded. The client reads on, up to its own limit. */
const MAX_BODY_BYTES = 64 * 1024;

/** A request and its response. */
interface Recorded {
  readonly endpoint: EndpointName | undefined;
  readonly method: string;
  readonly url: string;
  /** Undefined: no response. */
  status: number | undefined;
}

interface RecordedResponse {
  readonly endpoint: EndpointName | undefined;
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** Epoch ms. */
  readonly at: number;
  readonly chunks: Uint8Array[];
  size: number;
  /** The body was read to its end, and all of it is recorded. */
  isComplete: boolean;
}

/**
 * Records the headers and bodies of responses, which the client does not show
 * because it reads them leniently. Secrets in them are not masked: the caller
 * must mask what it prints.
 */
export class Recorder {
  readonly #responses: RecordedResponse[] = [];
  readonly #clock: Clock;
  readonly #redactor: Redactor;
  /** That of the request which is sent next. */
  #endpoint: EndpointName | undefined;
  readonly #sent: Recorded[] = [];

  constructor(clock: Clock, redactor: Redactor) {
    this.#clock = clock;
    this.#redactor = redactor;
  }

  /** Learns from the client to which endpoints its requests go. */
  watch(hub: HubClient): void {
    hub.on('request', ({ endpoint }) => {
      this.#endpoint = endpoint;
    });
  }

  readonly fetch: Fetch = async (url, init) => {
    const { authorization = '' } = init.headers;
    const endpoint = this.#endpoint;
    const sent: Recorded = { endpoint, method: init.method, url, status: undefined };
    this.#sent.push(sent);
    // A token from an earlier run is in no response of this run, so it is registered here.
    this.#redactor.addTemporary(authorization.replace(/^Bearer /, ''));
    const { status, headers, body } = await globalThis.fetch(url, init);
    sent.status = status;
    const { pathname: path } = new URL(url);
    const recorded: RecordedResponse = {
      endpoint,
      path,
      status,
      headers,
      at: this.#clock.now(),
      chunks: [],
      size: 0,
      isComplete: body === null,
    };
    this.#responses.push(recorded);
    return { status, headers, body: body && this.#recording(body, recorded) };
  };

  /**
   * The last response of the token endpoint; undefined if there was none.
   * `json` is its parsed body; undefined if it is not valid JSON, or too long.
   */
  token(): { readonly json: unknown; readonly at: number } | undefined {
    const recorded = this.#last('token');
    if (!recorded) return undefined;
    try {
      return { json: recorded.isComplete ? JSON.parse(bodyOf(recorded)) : undefined, at: recorded.at };
    } catch {
      return { json: undefined, at: recorded.at };
    }
  }

  /** The last response to a poll. `body` is undefined if it was too long to be recorded. */
  poll(): { readonly status: number; readonly body: string | undefined } | undefined {
    const recorded = this.#last('polling');
    return recorded && { status: recorded.status, body: recorded.isComplete ? bodyOf(recorded) : undefined };
  }

  /** The requests so far. */
  get sent(): readonly Readonly<Recorded>[] {
    return this.#sent;
  }

  /** The limit that the last response of the endpoint names. */
  limitOf(endpoint: EndpointName): number | undefined {
    const limit = this.#last(endpoint)?.headers.get('x-ratelimit-limit')?.trim() ?? '';
    return /^\d{1,9}$/.test(limit) ? Number(limit) : undefined;
  }

  /** The number of responses, of any status. */
  get count(): number {
    return this.#responses.length;
  }

  /** The number of responses with X-RateLimit headers. */
  get withLimitHeaders(): number {
    return this.#responses.filter(({ headers }) => headers.has('x-ratelimit-limit')).length;
  }

  /** The 429 responses, with their `Retry-After` as the hub sent it. */
  rateLimited(): readonly { readonly path: string; readonly retryAfter: string | null }[] {
    return this.#responses
      .filter(({ status }) => status === 429)
      .map(({ path, headers }) => ({ path, retryAfter: headers.get('retry-after') }));
  }

  /** How far the hub's clock is ahead of this machine's; undefined if no response had a `Date` header. */
  clockAheadMs(): number | undefined {
    for (const { headers, at } of this.#responses) {
      const date = Date.parse(headers.get('date') ?? '');
      if (!Number.isNaN(date)) return date - at;
    }
    return undefined;
  }

  /** Passes the body on in chunks, as fast as the client reads it. */
  #recording(body: ReadableStream<Uint8Array>, recorded: RecordedResponse): FetchResponse['body'] {
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          if (recorded.size < MAX_BODY_BYTES) {
            recorded.chunks.push(chunk.slice(0, MAX_BODY_BYTES - recorded.size));
          }
          recorded.size += chunk.length;
          controller.enqueue(chunk);
        },
        flush: () => {
          recorded.isComplete = recorded.size <= MAX_BODY_BYTES;
          if (recorded.endpoint === 'token') this.#registerToken(recorded);
        },
      }),
    );
  }

  /** Registers a new token before it is used: the same response may repeat it elsewhere. */
  #registerToken(recorded: RecordedResponse): void {
    const { access_token, accessToken } = Object(this.token()?.json) as Record<string, unknown>;
    for (const value of [access_token, accessToken]) {
      if (recorded.status === 200 && typeof value === 'string') this.#redactor.addTemporary(value);
    }
  }

  #last(endpoint: EndpointName): RecordedResponse | undefined {
    return this.#responses.findLast((recorded) => recorded.endpoint === endpoint);
  }
}

const bodyOf = ({ chunks }: RecordedResponse): string => Buffer.concat(chunks).toString().trim();
