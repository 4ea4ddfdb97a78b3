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
  /** Response body; null if the response has no body. */
  readonly body: {
    /** A reader of the stream. */
    getReader(): unknown;
  } | null;
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
