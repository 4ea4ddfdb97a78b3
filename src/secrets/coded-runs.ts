import type { Budget } from './budget.js';
import { hexDigit, isWord } from './characters.js';

/** Digits of base64, in either alphabet, without what separates them; each knows its place in the text. */
export interface Run {
  readonly digits: string;
  /** Where the first digit is; the others follow without a gap where `places` is absent. */
  readonly start: number;
  /** Start and end of each digit. */
  readonly places?: readonly number[];
}

/** Characters that escapes stand for, each as where the escape begins, where it ends and its code; the last one first. */
export type Unescaped = number[];

/** Bytes that were decoded, one unit each, and the digits they came from. */
export interface Decoded {
  readonly bytes: string;
  /** The first digit, and how many bits a digit has. */
  readonly first: number;
  readonly bits: 4 | 6;
}

const DIGIT = 1;
const HEX_DIGIT = 2;
const LINE_BREAK = 4;

const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 10 || code === 13) return LINE_BREAK;
  if (hexDigit(code) >= 0) return DIGIT | HEX_DIGIT;
  return isWord(code) || '+/-_'.includes(String.fromCharCode(code)) ? DIGIT : 0;
});

const classOf = (code: number) => (code < 128 ? (CLASSES[code] ?? 0) : 0);

/** Whether a character can be a part of a run. */
export const isOfRun = (code: number) => classOf(code) !== 0;

/** The runs of at least `shortest` digits that are written plainly. */
export function plainRuns(text: string, from: number, to: number, shortest: number, budget: Budget): Run[] {
  const runs: Run[] = [];
  let done = from;
  // A run of this length covers one of these places.
  for (let probe = from + shortest - 1; probe < to; probe += shortest) {
    if (probe < done || !isOfRun(text.charCodeAt(probe))) continue;
    let start = probe;
    while (start > done && isOfRun(text.charCodeAt(start - 1))) start -= 1;
    let end = probe + 1;
    while (end < to && isOfRun(text.charCodeAt(end))) end += 1;
    budget.spend(end - start);
    done = end;
    const run = plainRun(text, start, end);
    if (run.digits.length >= shortest) runs.push(run);
  }
  budget.spend(Math.ceil((to - from) / shortest));
  return runs;
}

function plainRun(text: string, start: number, end: number): Run {
  const digits = text.slice(start, end);
  if (!/[\r\n]/.test(digits)) return { digits, start };
  const places: number[] = [];
  for (let at = start; at < end; at += 1) {
    if (classOf(text.charCodeAt(at)) !== LINE_BREAK) places.push(at, at + 1);
  }
  return { digits: digits.replace(/[\r\n]+/g, ''), start, places };
}

/** The runs of at least `shortest` digits with an escape among them. */
export function escapedRuns(
  text: string,
  escapes: Readonly<Unescaped>,
  shortest: number,
  budget: Budget,
): Run[] {
  const runs: Run[] = [];
  let done = 0;
  let next = escapes.length - 3;
  while (next >= 0) {
    const first = escapes[next] ?? 0;
    if (first < done) {
      next -= 3;
      continue;
    }
    let start = first;
    while (start > done && isOfRun(text.charCodeAt(start - 1))) start -= 1;
    const codes: number[] = [];
    const places: number[] = [];
    let at = start;
    for (;;) {
      let code = text.charCodeAt(at);
      let end = at + 1;
      if (!isOfRun(code)) {
        while (next >= 0 && (escapes[next] ?? 0) < at) next -= 3;
        if (next < 0 || escapes[next] !== at) break;
        end = escapes[next + 1] ?? end;
        code = escapes[next + 2] ?? 0;
      }
      if (classOf(code) !== LINE_BREAK) {
        codes.push(code);
        places.push(at, end);
      }
      at = end;
    }
    budget.spend(at - start);
    done = Math.max(at, first + 1);
    if (codes.length >= shortest) {
      runs.push({ digits: Buffer.from(codes).toString('latin1'), start, places });
    }
  }
  return runs;
}

/** What a run can stand for: base64 that begins at any of its first four digits, and hex within it. */
export function* decodings(run: Run, shortestBytes: number, budget: Budget): Generator<Decoded> {
  const { digits } = run;
  for (let first = 0; first < 4; first += 1) {
    if (Math.floor(((digits.length - first) * 6) / 8) < shortestBytes) break;
    const bytes = Buffer.from(digits.slice(first), 'base64').toString('latin1');
    budget.spend(Math.ceil(bytes.length / 4));
    yield { bytes, first, bits: 6 };
  }
  const shortest = 2 * shortestBytes;
  let done = 0;
  for (let probe = shortest - 1; probe < digits.length; probe += shortest) {
    if (probe < done || !isHexDigit(digits.charCodeAt(probe))) continue;
    let start = probe;
    while (start > done && isHexDigit(digits.charCodeAt(start - 1))) start -= 1;
    let end = probe + 1;
    while (end < digits.length && isHexDigit(digits.charCodeAt(end))) end += 1;
    done = end;
    budget.spend(end - start);
    for (let first = start; first < start + 2 && end - first >= shortest; first += 1) {
      const even = end - ((end - first) % 2);
      yield { bytes: Buffer.from(digits.slice(first, even), 'hex').toString('latin1'), first, bits: 4 };
    }
  }
}

const isHexDigit = (code: number) => (classOf(code) & HEX_DIGIT) !== 0;

/** The place in the text of some of the decoded bytes, the digits included that they share with their neighbours. */
export function placeOf(run: Run, { first, bits }: Decoded, from: number, to: number): [number, number] {
  const start = first + Math.floor((from * 8) / bits);
  const end = Math.min(run.digits.length, first + Math.ceil((to * 8) / bits));
  const { places } = run;
  if (!places) return [run.start + start, run.start + end];
  return [places[2 * start] ?? run.start, places[2 * end - 1] ?? run.start];
}
