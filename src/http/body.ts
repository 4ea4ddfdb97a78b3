import type { Readable, Transform } from 'node:stream';
import { type HubErrorOptions, InvalidResponseError } from '../errors/index.js';
import type { EndpointName } from '../hub/endpoints.js';
import type { Moment } from '../time/clock.js';
import type { RawRequest, RawResponse } from './transport.js';

/** The body, or its beginning if it is larger than its limit. */
export interface CollectedBody {
  readonly body: Buffer;
  readonly cut: boolean;
}

/** Small chunks are joined at intervals: a body that arrives byte by byte would otherwise take a hundred times its size. */
const SMALL_CHUNK_BYTES = 4096;
const SMALL_CHUNKS = 512;

/** Collects the chunks of a body, and counts the bytes while they arrive. */
class Chunks {
  readonly #parts: Uint8Array[] = [];
  #bytes = 0;
  #small = 0;

  /** @returns how many bytes there are now. */
  add(chunk: Uint8Array): number {
    this.#bytes += chunk.byteLength;
    this.#parts.push(chunk);
    this.#small = chunk.byteLength < SMALL_CHUNK_BYTES ? this.#small + 1 : 0;
    if (this.#small === SMALL_CHUNKS) {
      // Each chunk keeps the whole buffer of its socket read in memory.
      this.#parts.push(Buffer.concat(this.#parts.splice(-this.#small)));
      this.#small = 0;
    }
    return this.#bytes;
  }

  /** At most the first `maxBytes` of them. */
  joined(maxBytes: number): CollectedBody {
    const [first] = this.#parts;
    const isOne = first && this.#parts.length === 1;
    const all = isOne
      ? Buffer.from(first.buffer, first.byteOffset, first.byteLength)
      : Buffer.concat(this.#parts, this.#bytes);
    const cut = this.#bytes > maxBytes;
    return { body: cut ? all.subarray(0, maxBytes) : all, cut };
  }
}

/** At most this many bytes of an error page are read; then the connection is closed. */
const MAX_ERROR_BYTES = 65_536;

/** The limit of a body with this status. */
export const maxBytesOf = ({ maxBytes }: RawRequest, status: number) =>
  status >= 200 && status < 300 ? maxBytes : MAX_ERROR_BYTES;

const EMPTY: CollectedBody = Object.freeze({ body: Buffer.alloc(0), cut: false });

/** Of an error page that cannot be read, the status and the headers are enough. @throws the error, if the status is good. */
export function unreadBody(error: unknown, status: number): CollectedBody {
  if (status >= 200 && status < 300) throw error;
  return EMPTY;
}

/** Reads all chunks; of a body that is larger than `maxBytes`, the rest is not read. Without the promises of the stream's iterator. */
export function collectStream(stream: Readable, maxBytes: number): Promise<CollectedBody> {
  return new Promise((resolve, reject) => {
    let collected: Chunks | undefined;
    let isOver = false;
    stream.on('data', (chunk: Uint8Array) => {
      collected ??= new Chunks();
      if (collected.add(chunk) <= maxBytes) return;
      stream.removeAllListeners('data');
      isOver = true;
      resolve(collected.joined(maxBytes));
    });
    stream.on('end', () => {
      isOver = true;
      resolve(collected?.joined(maxBytes) ?? EMPTY);
    });
    stream.on('error', reject);
    stream.on('close', () => {
      if (!isOver) reject(new Error('the connection was closed before the end of the body'));
    });
  });
}

/** Like `collectStream`, for a web stream, which is cancelled when the signal aborts. */
export async function collectWeb(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<CollectedBody> {
  const collected = new Chunks();
  const reader = body.getReader();
  const onAbort = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    while (true) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done || collected.add(value) > maxBytes) return collected.joined(maxBytes);
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    reader.cancel().catch(() => {});
  }
}

/** What zlib puts before deflated bytes. */
const ZLIB_HEADER = Uint8Array.of(0x78, 0x9c);

/** More content codings than this on one body are an attack. */
const MAX_CODINGS = 5;

/**
 * Decodes `Content-Encoding` like Node's fetch: with an unknown coding the body
 * stays as it is, and of a truncated stream the readable part is returned.
 */
export async function decompress(body: Readable, encoding: string): Promise<Readable> {
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse();
  if (codings.length === 0) return body;
  if (codings.length > MAX_CODINGS) throw new Error(`too many content codings: ${codings.length}`);
  const [zlib, { pipeline, Transform }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  const lenient = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const brotli = {
    flush: zlib.constants.BROTLI_OPERATION_FLUSH,
    finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
  };
  const decoders: Transform[] = [];
  for (const coding of codings) {
    if (coding === 'gzip' || coding === 'x-gzip') decoders.push(zlib.createGunzip(lenient));
    else if (coding === 'deflate') decoders.push(zlibOf(Transform), zlib.createInflate(lenient));
    else if (coding === 'br') decoders.push(zlib.createBrotliDecompress(brotli));
    else return body;
  }
  const last = decoders.at(-1) as Transform;
  // An error of any stage reaches the reader of the last one.
  pipeline([body, ...decoders], () => {});
  return last;
}

/** Adds the header of zlib, which some servers leave out. The missing checksum looks like a truncated stream. */
function zlibOf(Stream: typeof Transform): Transform {
  let isFirst = true;
  return new Stream({
    transform(chunk: Uint8Array, _encoding, done) {
      if (isFirst && ((chunk[0] as number) & 0x0f) !== 8) this.push(ZLIB_HEADER);
      isFirst = false;
      done(null, chunk);
    },
  });
}

/** A response of the hub, and when its request was sent. */
export interface HubResponse extends RawResponse {
  readonly sentAt: Moment;
}

/**
 * Parses the JSON body of a successful response.
 *
 * @throws {InvalidResponseError} the body is empty or not JSON.
 */
export function readJson(endpoint: EndpointName, response: RawResponse): unknown {
  const text = textOf(response);
  if (text.trim() === '') throw new InvalidResponseError(endpoint, 'the body is empty, JSON was expected');
  try {
    return JSON.parse(text);
  } catch (cause) {
    const isPage = isMarkup(text);
    const what = isPage ? 'HTML or XML' : 'not valid JSON';
    throw new InvalidResponseError(endpoint, `the body is ${what}, JSON was expected; check baseUrl`, {
      // The message of JSON.parse quotes the body, which may contain a secret.
      cause: cause instanceof Error ? new SyntaxError('not valid JSON') : undefined,
      // Broken JSON may be a truncated body; a page of HTML comes again.
      retryable: !isPage,
    });
  }
}

/** Whether a body is HTML or XML: a page of a proxy, a login or a maintenance. */
export const isMarkup = (text: string): boolean => /^\s*</.test(text);

/** The error of a success with a page, where the hub may send any body, or none. */
export const pageError = (endpoint: EndpointName, options?: HubErrorOptions) =>
  new InvalidResponseError(
    endpoint,
    'the body is HTML or XML, so a proxy may have answered; check baseUrl',
    options,
  );

/** Decodes the body: UTF-8 unless the response names another charset. */
export function textOf(response: RawResponse): string {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(response.header('content-type') ?? '')?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) {
    try {
      return new TextDecoder(charset).decode(response.body);
    } catch {
      // An unknown charset: UTF-8 is the most likely one.
    }
  }
  const text = response.body.toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
