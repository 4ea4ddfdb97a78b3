import type { Readable, Transform } from 'node:stream';

/** The body is larger than its limit; `head` is the part that was read. */
export class TooLarge extends Error {
  readonly head: Buffer;

  constructor(head: Buffer) {
    super('the body is larger than its limit');
    this.head = head;
  }
}

/** Small chunks are joined at intervals: a body that arrives byte by byte would otherwise take a hundred times its size. */
const SMALL_CHUNK_BYTES = 4096;
const SMALL_CHUNKS = 512;

/**
 * Reads all chunks, and counts the bytes while they arrive.
 *
 * @throws {TooLarge} there are more than `maxBytes`; the rest is not read.
 */
export async function collect(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let small = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    parts.push(chunk);
    if (bytes > maxBytes) throw new TooLarge(Buffer.concat(parts).subarray(0, maxBytes));
    small = chunk.byteLength < SMALL_CHUNK_BYTES ? small + 1 : 0;
    if (small === SMALL_CHUNKS) {
      // Each chunk keeps the whole buffer of its socket read in memory.
      parts.push(Buffer.concat(parts.splice(-small)));
      small = 0;
    }
  }
  const [first] = parts;
  if (first && parts.length === 1) return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  return Buffer.concat(parts, bytes);
}

/** Like `collect`, but cuts off a body that is too large. */
export async function collectHead(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ body: Buffer; cut: boolean }> {
  try {
    return { body: await collect(chunks, maxBytes), cut: false };
  } catch (error) {
    if (error instanceof TooLarge) return { body: error.head, cut: true };
    throw error;
  }
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
