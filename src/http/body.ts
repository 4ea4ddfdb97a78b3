import type { Readable, Transform } from 'node:stream';

/** The answer grew over its bound; what was read of it stays readable. */
export class TooLarge extends Error {
  readonly head: Buffer;

  constructor(head: Buffer) {
    super('the body is larger than its bound');
    this.head = head;
  }
}

/** A body that comes a byte at a time is joined every so often, or it would cost a hundred times its size. */
const SMALL_CHUNK_BYTES = 4096;
const SMALL_CHUNKS = 512;

/** Reads all chunks, counted as they come; past `maxBytes` it stops reading. */
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
      // Each keeps the whole read of the socket alive that it came with.
      parts.push(Buffer.concat(parts.splice(-small)));
      small = 0;
    }
  }
  const [first] = parts;
  if (first && parts.length === 1) return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  return Buffer.concat(parts, bytes);
}

/** Bytes as text, without a copy of them. */
export function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Codings a hub can stack on one body; more is an attack. */
const MAX_CODINGS = 5;

/**
 * Undoes `Content-Encoding` as Node's fetch does: an unknown coding leaves the
 * body as it is, a truncated stream gives what was in it.
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
  // Errors of any stage surface where the last one is read.
  pipeline([body, ...decoders], () => {});
  return last;
}
