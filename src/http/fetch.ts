/** Any fetch: Node's, undici's of whichever version, a mock's, a function of yours; their types do not fit each other. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** What it is given: part of every `RequestInit`, and the client's `dispatcher` if there is one. */
export interface FetchInit {
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly redirect: 'manual';
  readonly cache: 'no-store';
  readonly signal: AbortSignal;
  readonly body?: string;
}

/** What is read of its answer: part of every `Response`. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): unknown } | null;
}

/** Node's own fetch by its source text; whatever reads otherwise was put in its place (MSW, a stub, a tracer). */
const NATIVE_FETCH = /^(?:async )?function fetch\s*\(input, init = undefined\) \{/;

const native = new WeakMap<object, boolean>();

export function isNativeFetch(candidate: unknown): boolean {
  if (typeof candidate !== 'function') return true;
  let known = native.get(candidate);
  if (known === undefined) {
    known = NATIVE_FETCH.test(Function.prototype.toString.call(candidate));
    native.set(candidate, known);
  }
  return known;
}
