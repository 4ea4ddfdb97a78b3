import type { Budget } from './budget.js';
import type { Patterns } from './patterns.js';

/**
 * The parts of decoded bytes that can contain a secret: those that are text, at
 * least as long as the shortest secret.
 *
 * Base64 that was decoded from the wrong digit on is noise, in which few bytes
 * in a row are text, so that most of it need not be searched.
 */
export function* textRanges(
  bytes: string,
  { shortest, isPrintable, isAscii }: Patterns,
  budget: Budget,
): Generator<[from: number, to: number]> {
  if (!isAscii) {
    budget.spend(bytes.length);
    yield* utf8Ranges(bytes, shortest);
    return;
  }
  const isText = isPrintable ? isPrintableOrWhitespace : isAsciiByte;
  let done = 0;
  for (let probe = shortest - 1; probe < bytes.length; probe += shortest) {
    if (probe < done || !isText(bytes.charCodeAt(probe))) continue;
    let from = probe;
    while (from > done && isText(bytes.charCodeAt(from - 1))) from -= 1;
    let to = probe + 1;
    while (to < bytes.length && isText(bytes.charCodeAt(to))) to += 1;
    done = to;
    budget.spend(1);
    if (to - from >= shortest) yield [from, to];
  }
  budget.spend(Math.ceil(bytes.length / shortest));
}

const isPrintableOrWhitespace = (byte: number) => (byte >= 0x20 && byte < 0x7f) || (byte >= 9 && byte <= 13);

const isAsciiByte = (byte: number) => byte < 0x80;

/** The parts of at least `shortest` bytes that are valid UTF-8. */
function* utf8Ranges(bytes: string, shortest: number): Generator<[from: number, to: number]> {
  let from = 0;
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes.charCodeAt(at);
    const continuationBytes = byte < 0x80 ? 0 : byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : -1;
    let next = at + 1;
    while (next <= at + continuationBytes && isContinuation(bytes.charCodeAt(next))) next += 1;
    if (continuationBytes >= 0 && next === at + continuationBytes + 1) {
      at = next;
      continue;
    }
    if (at - from >= shortest) yield [from, at];
    at += 1;
    from = at;
  }
  if (at - from >= shortest) yield [from, at];
}

const isContinuation = (byte: number) => byte >= 0x80 && byte < 0xc0;
