import type { Budget } from './budget.js';
import { hexValue, isLetterOrDigit } from './characters.js';

/** A run of digits of base64, of either alphabet, without the line breaks between them. Hex digits are base64 digits too. */
export interface DigitRun {
  readonly digits: string;
  /** Position of the first digit. The others follow without a gap unless there are `positions`. */
  readonly start: number;
  /** Start and end of each digit in the text, flat. */
  readonly positions?: readonly number[];
}

/** Escaped characters that may belong to a run: start, end and code of each, flat. The last one in the text is the first. */
export type EscapedCharacters = number[];

/** Bytes that a part of a run was decoded to, one character per byte. */
export interface DecodedBytes {
  readonly bytes: string;
  /** Index of the first digit that was decoded. */
  readonly first: number;
  /** Of base64 6, of hex 4. */
  readonly bitsPerDigit: 4 | 6;
}

const DIGIT = 1;
const HEX_DIGIT = 2;
const LINE_BREAK = 4;

const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 10 || code === 13) return LINE_BREAK;
  if (hexValue(code) >= 0) return DIGIT | HEX_DIGIT;
  return isLetterOrDigit(code) || '+/-_'.includes(String.fromCharCode(code)) ? DIGIT : 0;
});

const classOf = (code: number) => (code < 128 ? (CLASSES[code] ?? 0) : 0);

const isHexDigit = (code: number) => (classOf(code) & HEX_DIGIT) !== 0;

/** Whether a character can be part of a run: a digit or a line break. */
export const isInRun = (code: number) => classOf(code) !== 0;

/** The runs of at least `shortest` digits without escapes. */
export function plainRuns(
  text: string,
  from: number,
  to: number,
  shortest: number,
  budget: Budget,
): DigitRun[] {
  const runs: DigitRun[] = [];
  let done = from;
  // A run of at least this length covers one of these positions, so the others need not be tested.
  for (let probe = from + shortest - 1; probe < to; probe += shortest) {
    if (probe < done || !isInRun(text.charCodeAt(probe))) continue;
    let start = probe;
    while (start > done && isInRun(text.charCodeAt(start - 1))) start -= 1;
    let end = probe + 1;
    while (end < to && isInRun(text.charCodeAt(end))) end += 1;
    budget.spend(end - start);
    done = end;
    const run = plainRun(text, start, end);
    if (run.digits.length >= shortest) runs.push(run);
  }
  budget.spend(Math.ceil((to - from) / shortest));
  return runs;
}

function plainRun(text: string, start: number, end: number): DigitRun {
  const digits = text.slice(start, end);
  if (!/[\r\n]/.test(digits)) return { digits, start };
  const positions: number[] = [];
  for (let at = start; at < end; at += 1) {
    if (classOf(text.charCodeAt(at)) !== LINE_BREAK) positions.push(at, at + 1);
  }
  return { digits: digits.replace(/[\r\n]+/g, ''), start, positions };
}

/** The runs of at least `shortest` digits that contain an escaped character. */
export function escapedRuns(
  text: string,
  escapes: Readonly<EscapedCharacters>,
  shortest: number,
  budget: Budget,
): DigitRun[] {
  const runs: DigitRun[] = [];
  let done = 0;
  let next = escapes.length - 3;
  while (next >= 0) {
    const first = escapes[next] ?? 0;
    if (first < done) {
      next -= 3;
      continue;
    }
    let start = first;
    while (start > done && isInRun(text.charCodeAt(start - 1))) start -= 1;
    const codes: number[] = [];
    const positions: number[] = [];
    let at = start;
    for (;;) {
      let code = text.charCodeAt(at);
      let end = at + 1;
      if (!isInRun(code)) {
        while (next >= 0 && (escapes[next] ?? 0) < at) next -= 3;
        if (next < 0 || escapes[next] !== at) break;
        end = escapes[next + 1] ?? end;
        code = escapes[next + 2] ?? 0;
      }
      if (classOf(code) !== LINE_BREAK) {
        codes.push(code);
        positions.push(at, end);
      }
      at = end;
    }
    budget.spend(at - start);
    done = Math.max(at, first + 1);
    if (codes.length >= shortest) {
      runs.push({ digits: Buffer.from(codes).toString('latin1'), start, positions });
    }
  }
  return runs;
}

/**
 * Everything that a run may encode: base64 from each of its first four digits,
 * because letters before the base64 look like digits, and the hex in it.
 */
export function* decode(run: DigitRun, shortestBytes: number, budget: Budget): Generator<DecodedBytes> {
  const { digits } = run;
  for (let first = 0; first < 4; first += 1) {
    if (Math.floor(((digits.length - first) * 6) / 8) < shortestBytes) break;
    const bytes = Buffer.from(digits.slice(first), 'base64').toString('latin1');
    budget.spend(Math.ceil(bytes.length / 4));
    yield { bytes, first, bitsPerDigit: 6 };
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
      const bytes = Buffer.from(digits.slice(first, even), 'hex').toString('latin1');
      yield { bytes, first, bitsPerDigit: 4 };
    }
  }
}

/** The range of the text that some of the decoded bytes come from, with the digits that they share with their neighbours. */
export function rangeOf(
  run: DigitRun,
  { first, bitsPerDigit }: DecodedBytes,
  fromByte: number,
  toByte: number,
): [start: number, end: number] {
  const start = first + Math.floor((fromByte * 8) / bitsPerDigit);
  const end = Math.min(run.digits.length, first + Math.ceil((toByte * 8) / bitsPerDigit));
  const { positions } = run;
  if (!positions) return [run.start + start, run.start + end];
  return [positions[2 * start] ?? run.start, positions[2 * end - 1] ?? run.start];
}
