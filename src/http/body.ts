import type { Readable, Transform } from 'node:stream';

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
  readonly #maxBytes: number;
  readonly #parts: Uint8Array[] = [];
  #bytes = 0;
  #small = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns false if there are more than `maxBytes` now: the rest is not needed. */
  add(chunk: Uint8Array): boolean {
    this.#bytes += chunk.byteLength;
    this.#parts.push(chunk);
    this.#small = chunk.byteLength < SMALL_CHUNK_BYTES ? this.#small + 1 : 0;
    if (this.#small === SMALL_CHUNKS) {
      // Each chunk keeps the whole buffer of its socket read in memory.
      this.#parts.push(Buffer.concat(this.#parts.splice(-this.#small)));
      this.#small = 0;
    }
    return this.#bytes <= this.#maxBytes;
  }

  joined(): CollectedBody {
    const [first] = this.#parts;
    const isOne = first && this.#parts.length === 1;
    const all = isOne
      ? Buffer.from(first.buffer, first.byteOffset, first.byteLength)
      : Buffer.concat(this.#parts, this.#bytes);
    const cut = this.#bytes > this.#maxBytes;
    return { body: cut ? all.subarray(0, this.#maxBytes) : all, cut };
  }
}

/** Reads all chunks; of a body that is larger than `maxBytes`, the rest is not read. */
export async function collect(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<CollectedBody> {
  const collected = new Chunks(maxBytes);
  for await (const chunk of chunks) if (!collected.add(chunk)) break;
  return collected.joined();
}

/** Like `collect`, for a stream of Node: without the promises of its iterator. */
export function collectStream(stream: Readable, maxBytes: number): Promise<CollectedBody> {
  return new Promise((resolve, reject) => {
    const collected = new Chunks(maxBytes);
    let isOver = false;
    const end = () => {
      isOver = true;
      resolve(collected.joined());
    };
    stream.on('data', (chunk: Uint8Array) => {
      if (collected.add(chunk)) return;
      stream.removeAllListeners('data');
      end();
    });
    stream.on('end', end);
    stream.on('error', reject);
    stream.on('close', () => {
      if (!isOver) reject(new Error('the connection was closed before the end of the body'));
    });
  });
}

/** Yields the chunks of a web stream. The stream is cancelled when the loop ends early or the signal aborts. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const onAbort = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    while (true) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    reader.cancel().catch(() => {});
  }
}

/** Decodes UTF-8 without copying the bytes. */
export function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** More content codings than this on one body are an attack. */
const MAX_CODINGS = 5;

/**
 * Decodes `Content-Encoding` like Node's fetch: with an unknown coding the body
 * stays as it is, and of a truncated stream the readable part is returned.
 */
export async function decompress(body: Readable, encoding: string | undefined): Promise<Readable> {
  if (!encoding) return body;
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse();
  if (codings.length === 0) return body;
  if (codings.length > MAX_CODINGS) throw new Error(`too many content codings: ${codings.length}`);
  const [zlib, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  const lenient = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  const brotli = {
    flush: zlib.constants.BROTLI_OPERATION_FLUSH,
    finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
  };
  const decoders: Transform[] = [];
  for (const coding of codings) {
    if (coding === 'gzip' || coding === 'x-gzip') decoders.push(zlib.createGunzip(lenient));
    else if (coding === 'deflate') decoders.push(zlib.createInflate(lenient));
    else if (coding === 'br') decoders.push(zlib.createBrotliDecompress(brotli));
    else return body;
  }
  const last = decoders.at(-1) as Transform;
  // An error of any stage reaches the reader of the last one.
  pipeline([body, ...decoders], () => {});
  return last;
}
