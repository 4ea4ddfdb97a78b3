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
    yield [0, bytes.length];
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
