import type { Clock } from '../clock.js';
import type { Fetch, FetchResponse } from '../http/fetch.js';
import type { Redactor } from '../secrets/redactor.js';

/** Of a body, this much is recorded; the client reads on by itself, up to its own limit. */
const MAX_BODY_BYTES = 64 * 1024;

interface Recorded {
  readonly kind: 'token' | 'polling' | 'other';
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly at: number;
  readonly chunks: Uint8Array[];
  size: number;
  /** The body came to its end. */
  isWhole: boolean;
}

/**
 * Keeps what a client that reads tolerantly no longer shows: the headers and
 * the beginning of each body. What it returns is as the hub sent it; whoever
 * prints it masks it first.
 */
export class Recorder {
  readonly #answers: Recorded[] = [];
  readonly #clock: Clock;
  readonly #redactor: Redactor;

  constructor(clock: Clock, redactor: Redactor) {
    this.#clock = clock;
    this.#redactor = redactor;
  }

  readonly fetch: Fetch = async (url, init) => {
    const { authorization = '', 'content-type': contentType = '' } = init.headers;
    // A token of an earlier run is never in an answer of this one.
    this.#redactor.addTemporary(authorization.replace(/^Bearer /, ''));
    const { status, headers, body } = await globalThis.fetch(url, init);
    const { pathname: path } = new URL(url);
    const isToken = contentType.includes('x-www-form-urlencoded');
    const recorded: Recorded = {
      kind: isToken ? 'token' : path.endsWith(':polling') ? 'polling' : 'other',
      path,
      status,
      headers,
      at: this.#clock.now(),
      chunks: [],
      size: 0,
      isWhole: body === null,
    };
    this.#answers.push(recorded);
    return { status, headers, body: body && this.#recording(body, recorded) };
  };

  /** The last answer of the token endpoint; undefined where it was not asked. `answer` is its JSON, if it can be read. */
  token(): { readonly answer: unknown; readonly at: number } | undefined {
    const recorded = this.#last('token');
    if (!recorded) return undefined;
    try {
      return { answer: recorded.isWhole ? JSON.parse(bodyOf(recorded)) : undefined, at: recorded.at };
    } catch {
      return { answer: undefined, at: recorded.at };
    }
  }

  /** The last answer to a poll. `body` is undefined when it was too long to be recorded as a whole. */
  poll(): { readonly status: number; readonly body: string | undefined } | undefined {
    const recorded = this.#last('polling');
    return recorded && { status: recorded.status, body: recorded.isWhole ? bodyOf(recorded) : undefined };
  }

  /** How many answers came, whatever they say. */
  get count(): number {
    return this.#answers.length;
  }

  /** How many answers carried limit headers. */
  get limited(): number {
    return this.#answers.filter(({ headers }) => headers.has('x-ratelimit-limit')).length;
  }

  /** Answers with 429, and when to try again, in the hub's words. */
  refusals(): readonly { readonly path: string; readonly retryAfter: string | null }[] {
    return this.#answers
      .filter(({ status }) => status === 429)
      .map(({ path, headers }) => ({ path, retryAfter: headers.get('retry-after') }));
  }

  /** How far the hub's clock is ahead of this machine's, where it says what time it is. */
  aheadMs(): number | undefined {
    for (const { headers, at } of this.#answers) {
      const date = Date.parse(headers.get('date') ?? '');
      if (!Number.isNaN(date)) return date - at;
    }
    return undefined;
  }

  /** Passes the body on chunk by chunk, as fast as it is read. */
  #recording(body: ReadableStream<Uint8Array>, recorded: Recorded): FetchResponse['body'] {
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, out) => {
          if (recorded.size < MAX_BODY_BYTES)
            recorded.chunks.push(chunk.slice(0, MAX_BODY_BYTES - recorded.size));
          recorded.size += chunk.length;
          out.enqueue(chunk);
        },
        flush: () => {
          recorded.isWhole = recorded.size <= MAX_BODY_BYTES;
          if (recorded.kind === 'token') this.#learnToken(recorded);
        },
      }),
    );
  }

  /** Known before it is used: the same answer may repeat it elsewhere. */
  #learnToken(recorded: Recorded): void {
    const answer = Object(this.token()?.answer) as Record<string, unknown>;
    for (const value of [answer.access_token, answer.accessToken]) {
      if (recorded.status === 200 && typeof value === 'string') this.#redactor.addTemporary(value);
    }
  }

  #last(kind: Recorded['kind']): Recorded | undefined {
    return this.#answers.findLast((recorded) => recorded.kind === kind);
  }
}

const bodyOf = ({ chunks }: Recorded): string => Buffer.concat(chunks).toString().trim();
