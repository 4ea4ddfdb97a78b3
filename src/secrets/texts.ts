import type { Budget } from './budget.js';
import type { Patterns } from './patterns.js';

/**
 * The parts of decoded bytes that can hold a secret.
 *
 * Base64 that was decoded at the wrong digit is noise, in which no eight bytes
 * in a row are text, so that most of it is not read.
 */
export function* textsIn(
  bytes: string,
  { shortest, isPrintable, isAscii }: Patterns,
  budget: Budget,
): Generator<[from: number, to: number]> {
  if (!isAscii) {
    budget.spend(bytes.length);
    yield* utf8In(bytes, shortest);
    return;
  }
  const isText = isPrintable ? isPrintableOrSpace : isAsciiByte;
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

const isPrintableOrSpace = (unit: number) => (unit >= 0x20 && unit < 0x7f) || (unit >= 9 && unit <= 13);

const isAsciiByte = (unit: number) => unit < 0x80;

/** The parts that are UTF-8, of at least so many bytes. */
function* utf8In(bytes: string, shortest: number): Generator<[from: number, to: number]> {
  let from = 0;
  let at = 0;
  while (at < bytes.length) {
    const unit = bytes.charCodeAt(at);
    const more = unit < 0x80 ? 0 : unit >= 0xf0 ? 3 : unit >= 0xe0 ? 2 : unit >= 0xc2 ? 1 : -1;
    let next = at + 1;
    while (next <= at + more && isContinuation(bytes.charCodeAt(next))) next += 1;
    if (more >= 0 && next === at + more + 1) {
      at = next;
      continue;
    }
    if (at - from >= shortest) yield [from, at];
    at += 1;
    from = at;
  }
  if (at - from >= shortest) yield [from, at];
}

const isContinuation = (unit: number) => unit >= 0x80 && unit < 0xc0;
