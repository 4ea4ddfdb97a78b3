import type { Budget } from './budget.js';
import { BACKSLASH } from './characters.js';
import { textRanges } from './decoded-text.js';
import {
  type DigitRun,
  decode,
  type EscapedCharacters,
  escapedRuns,
  isInRun,
  plainRuns,
  rangeOf,
} from './digit-runs.js';
import { EscapeReader } from './escape-reader.js';
import type { EscapeTable, TextPart } from './escape-table.js';
import { Matcher } from './matcher.js';
import { BEGINS_ESCAPE, BEGINS_SECRET, mayBeginWith, mayBeginWithPair, type Patterns } from './patterns.js';
import { findPlain } from './plain-search.js';
import type { Ranges } from './ranges.js';

/** How often decoded text is decoded again: base64 of base64 is searched, and no deeper. */
const MAX_DECODINGS = 2;

/** The text to search: the given one, or text that was decoded from a run of digits in it. */
interface SearchedText extends TextPart {
  /** How many times it was decoded. If at least once, each character is a byte. */
  readonly decodings: number;
}

/**
 * Finds the secrets in a text, however they are encoded.
 *
 * It returns ranges of the given text and replaces nothing, so that no mask is
 * searched again.
 */
export function findSecrets(text: string, patterns: Patterns, budget: Budget): Ranges {
  return search({ text, from: 0, to: text.length, decodings: 0 }, patterns, budget);
}

function search(searched: SearchedText, patterns: Patterns, budget: Budget): Ranges {
  const { text, from, to, decodings } = searched;
  budget.spend(to - from);
  const found: Ranges = [];
  const { encoded } = patterns;
  const runs: DigitRun[] = [];
  const shortestRun =
    encoded && decodings < MAX_DECODINGS ? Math.ceil((encoded.shortest * 4) / 3) : undefined;
  if (shortestRun !== undefined) runs.push(...plainRuns(text, from, to, shortestRun, budget));
  if (decodings === 0 && !mayContainEscapes(text, patterns)) {
    for (const secret of patterns.sorted) findPlain(text, secret, budget, found);
  } else {
    const escapes = findEscaped(searched, patterns, budget, found);
    if (shortestRun !== undefined) runs.push(...escapedRuns(text, escapes, shortestRun, budget));
  }
  if (encoded) for (const run of runs) findDecoded(run, decodings + 1, encoded, budget, found);
  return found;
}

function mayContainEscapes(text: string, { hasBlank }: Patterns): boolean {
  return text.includes('%') || text.includes('\\') || text.includes('&') || (hasBlank && text.includes('+'));
}

/**
 * Finds secrets that are written in plain characters, escapes, or both.
 *
 * It goes from the end of the text to the beginning, because an escape is read
 * from the escapes behind it.
 *
 * @returns the escaped characters that can be part of base64 or hex, from the last to the first.
 */
function findEscaped(
  searched: SearchedText,
  patterns: Patterns,
  budget: Budget,
  found: Ranges,
): EscapedCharacters {
  const { text, from, to, decodings } = searched;
  const { classes, wideFirstUnits } = patterns;
  const isBytes = decodings > 0 && !patterns.isAscii;
  const escapes: EscapedCharacters = [];
  const reader = new EscapeReader(searched, patterns, budget);
  const { table } = reader;
  const matcher = new Matcher(text, patterns, table, budget, found);
  for (let at = to - 1; at >= from; at -= 1) {
    const unit = text.charCodeAt(at);
    const flags = unit < 256 ? (classes[unit] ?? 0) : wideFirstUnits.has(unit) ? BEGINS_SECRET : 0;
    if ((flags & BEGINS_ESCAPE) !== 0 || (isBytes && unit >= 0x80)) {
      reader.read(at);
      if (unit === BACKSLASH && !patterns.hasBackslash) {
        // One step for a whole run of backslashes: what it escapes is behind its last one.
        const last = at;
        while (at > from && text.charCodeAt(at - 1) === BACKSLASH) at -= 1;
        if (at < last) reader.copyToFirstBackslash(last, at);
      }
      let mayBegin = (flags & BEGINS_SECRET) !== 0;
      let isRecorded = false;
      const stop = table.endAt(at);
      for (let each = table.firstAt(at); each < stop; each += 1) {
        const code = table.codeOf(each);
        const end = table.endOf(each);
        mayBegin ||= mayBeginWith(patterns, code) && mayContinue(text, end, code, patterns, table);
        if (isRecorded || !isInRun(code)) continue;
        isRecorded = true;
        escapes.push(at, end, code);
      }
      if (mayBegin) matcher.matchAt(at);
    } else if ((flags & BEGINS_SECRET) !== 0 && mayContinue(text, at + 1, unit, patterns, table)) {
      matcher.matchAt(at);
    }
  }
  return escapes;
}

/** Whether a secret may begin with the character `code` and the character at this position, plain or escaped. */
function mayContinue(
  text: string,
  at: number,
  code: number,
  patterns: Patterns,
  table: EscapeTable,
): boolean {
  if (code >= 0x10000 || mayBeginWithPair(patterns, code, text.charCodeAt(at))) return true;
  const stop = table.endAt(at);
  for (let each = table.firstAt(at); each < stop; each += 1) {
    const next = table.codeOf(each);
    if (next >= 0x10000 || mayBeginWithPair(patterns, code, next)) return true;
  }
  return false;
}

/** Finds secrets in what a run of base64 or hex digits encodes. */
function findDecoded(
  run: DigitRun,
  decodings: number,
  patterns: Patterns,
  budget: Budget,
  found: Ranges,
): void {
  for (const decoded of decode(run, patterns.shortest, budget)) {
    for (const [from, to] of textRanges(decoded.bytes, patterns, budget)) {
      const inner = search({ text: decoded.bytes, from, to, decodings }, patterns, budget);
      for (let each = 0; each < inner.length; each += 2) {
        found.push(...rangeOf(run, decoded, inner[each] ?? 0, inner[each + 1] ?? 0));
      }
    }
  }
}
