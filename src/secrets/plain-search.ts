import type { Budget } from './budget.js';
import type { Ranges } from './ranges.js';

/** Up to this length, the engine's `indexOf` compares in place: at most this many comparisons per character. */
const ANCHOR_LENGTH = 6;
/** How many characters may be compared after matches of the anchor, per character of the text, before KMP takes over. */
const COMPARED_PER_CHARACTER = 1;

/** Finds a secret that is written without escapes, in time linear in the text. */
export function findPlain(text: string, secret: string, budget: Budget, found: Ranges): void {
  const anchor = secret.slice(0, ANCHOR_LENGTH);
  const limit = text.length * COMPARED_PER_CHARACTER;
  let compared = 0;
  for (let at = text.indexOf(anchor); at !== -1; at = text.indexOf(anchor, at + 1)) {
    let length = anchor.length;
    while (length < secret.length && text.charCodeAt(at + length) === secret.charCodeAt(length)) length += 1;
    if (length === secret.length) found.push(at, at + length);
    compared += length;
    if (compared > limit) {
      findWithKmp(text, secret, at + 1, budget, found);
      break;
    }
  }
  budget.spend(compared);
}

/** The algorithm of Knuth, Morris and Pratt, which reads each character once. Slower than `indexOf` on ordinary text. */
function findWithKmp(text: string, secret: string, from: number, budget: Budget, found: Ranges): void {
  if (text.length - from < secret.length) return;
  budget.spend(2 * (text.length - from) + 2 * secret.length);
  /** By length of a prefix of the secret: the longest proper prefix that is also its suffix. */
  const border = new Int32Array(secret.length + 1);
  for (let at = 1, length = 0; at < secret.length; at += 1) {
    while (length > 0 && secret.charCodeAt(at) !== secret.charCodeAt(length)) length = border[length] ?? 0;
    if (secret.charCodeAt(at) === secret.charCodeAt(length)) length += 1;
    border[at + 1] = length;
  }
  for (let at = from, length = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (length > 0 && unit !== secret.charCodeAt(length)) length = border[length] ?? 0;
    if (unit === secret.charCodeAt(length)) length += 1;
    if (length < secret.length) continue;
    found.push(at + 1 - length, at + 1);
    length = border[length] ?? 0;
  }
}
