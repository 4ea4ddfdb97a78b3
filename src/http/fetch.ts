import { collectWeb, maxBytesOf, unreadBody } from './body.js';
import { ExchangeFailure } from './failure.js';
import type { RawRequest, RawResponse } from './transport.js';
import type { AnyDispatcher } from './undici.js';

/** Any fetch: Node's, that of any undici version, a mock, your own function. Their own types are not compatible. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** The part of `RequestInit` that the client uses; also `dispatcher`, if the client has one. */
export interface FetchInit {
  /** HTTP method. */
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Request headers. */
  readonly headers: Record<string, string>;
  /** Redirects are never followed, because they could carry credentials to another host. */
  readonly redirect: 'manual';
  /** Responses are never taken from an HTTP cache. */
  readonly cache: 'no-store';
  /** Aborts when the call is aborted or its time is over. */
  readonly signal: AbortSignal;
  /** Request body. Absent: the request has none. */
  readonly body?: string;
}

/** The part of `Response` that the client reads. */
export interface FetchResponse {
  /** HTTP status. */
  readonly status: number;
  /** Response headers. */
  readonly headers: {
    /** The value of a header; null if the response does not have it. */
    get(name: string): string | null;
  };
  /** Response body: a web stream, or one of Node.js; null if the response has no body. */
  readonly body:
    | {
        /** A reader of the stream. */
        getReader(): unknown;
      }
    | AsyncIterable<unknown>
    | null;
}

/** Exchanges one request for one response through a fetch. @throws as `Transport.exchange`. */
export async function overFetch(
  fetch: Fetch,
  dispatcher: AnyDispatcher | undefined,
  request: RawRequest,
  signal: AbortSignal,
): Promise<RawResponse> {
  try {
    const init: FetchInit & { readonly dispatcher?: AnyDispatcher; readonly client?: unknown } = {
      method: request.method,
      headers: { ...request.headers },
      redirect: 'manual',
      cache: 'no-store',
      signal,
      ...(request.body !== undefined && { body: request.body }),
      ...(dispatcher && { dispatcher }),
      ...clientOfDeno(),
    };
    const response = await fetch(request.target.href, init);
    if (typeof response?.status !== 'number') {
      throw new TypeError('the fetch in use did not resolve to a Response');
    }
    const { status, body } = response;
    const header = (name: string) => response.headers?.get(name) ?? undefined;
    // A stub may have nothing but a `json()`, which the client does not call: what is read would count as empty.
    const isMissing = body === undefined && request.method === 'GET' && status === 200;
    if (!body && !isMissing) return { status, header, body: Buffer.alloc(0), cut: false };
    try {
      const stream = webStreamOf(body);
      return { status, header, ...(await collectWeb(stream, maxBytesOf(request, status), signal)) };
    } catch (error) {
      return { status, header, ...unreadBody(error, status) };
    }
  } catch (error) {
    signal.throwIfAborted();
    throw ExchangeFailure.ofFetch(error);
  }
}

/** In the responses of node-fetch, the body is a stream of Node.js. */
function webStreamOf(body: unknown): ReadableStream<Uint8Array> {
  const { getReader, [Symbol.asyncIterator]: iterate } = Object(body);
  if (getReader) return body as ReadableStream<Uint8Array>;
  if (iterate) return (ReadableStream as unknown as { from: typeof webStreamOf }).from(body);
  throw new TypeError('the Response of the fetch in use has no body; return new Response(JSON.stringify(…))');
}

type CreateClient = (options: { readonly poolMaxIdlePerHost: number }) => unknown;

let forDeno: { readonly client: unknown } | undefined;

/**
 * Deno sends a request again if a connection that it uses again breaks: the hub would receive a command or a poll twice. So
 * no connection is used again there.
 */
function clientOfDeno(): { readonly client: unknown } | undefined {
  const { Deno } = globalThis as { readonly Deno?: { readonly createHttpClient?: CreateClient } };
  if (!Deno?.createHttpClient) return undefined;
  forDeno ??= { client: Deno.createHttpClient({ poolMaxIdlePerHost: 0 }) };
  return forDeno;
}

/** Recognizes Node's own fetch by its source text. Any other text means that fetch was replaced (MSW, a stub, a tracer). */
const NATIVE_FETCH = /^(?:async )?function fetch\s*\(input, init = undefined\) \{/;

const isNative = new WeakMap<object, boolean>();

/** Whether this is Node's own fetch. True also if there is no fetch: undici is used then. */
export function isNativeFetch(candidate: unknown): boolean {
  if (typeof candidate !== 'function') return true;
  let result = isNative.get(candidate);
  if (result === undefined) {
    result = NATIVE_FETCH.test(Function.prototype.toString.call(candidate));
    isNative.set(candidate, result);
  }
  return result;
}
