import type { Budget } from './budget.js';
import {
  decodings,
  escapedRuns,
  isOfRun,
  placeOf,
  plainRuns,
  type Run,
  type Unescaped,
} from './coded-runs.js';
import { EscapeReader } from './escapes.js';
import { ESCAPE, FIRST, isFirst, mayBeginWith, type Patterns } from './patterns.js';
import { findPlain } from './plain-search.js';
import type { Ranges } from './ranges.js';
import { textsIn } from './texts.js';
import { Walker } from './walk.js';

const BACKSLASH = 0x5c;

/** Base64 of base64 is looked into, and no further. */
const MAX_CODINGS = 2;

/** A text that is searched: the one given, or what a part of it was decoded to. */
interface View {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** How many times it was decoded; its units are bytes then. */
  readonly codings: number;
}

/**
 * Where secrets are in a text, in every spelling.
 *
 * What is found are ranges of the text as it was given. Nothing is replaced
 * here, so nothing that was masked is searched again.
 */
export function findSecrets(text: string, patterns: Patterns, budget: Budget): Ranges {
  return search({ text, from: 0, to: text.length, codings: 0 }, patterns, budget);
}

function search(view: View, patterns: Patterns, budget: Budget): Ranges {
  const { text, from, to, codings } = view;
  budget.spend(to - from);
  const found: Ranges = [];
  const { coded } = patterns;
  const runs: Run[] = [];
  const shortest = coded && codings < MAX_CODINGS ? Math.ceil((coded.shortest * 4) / 3) : undefined;
  if (shortest !== undefined) runs.push(...plainRuns(text, from, to, shortest, budget));
  if (codings === 0 && !mayEscape(text, patterns)) {
    for (const secret of patterns.sorted) findPlain(text, secret, budget, found);
  } else {
    const escapes = findSpelt(view, patterns, budget, found);
    if (shortest !== undefined) runs.push(...escapedRuns(text, escapes, shortest, budget));
  }
  if (coded) for (const run of runs) findCoded(run, codings + 1, coded, budget, found);
  return found;
}

function mayEscape(text: string, { hasBlank }: Patterns): boolean {
  return text.includes('%') || text.includes('\\') || text.includes('&') || (hasBlank && text.includes('+'));
}

/**
 * Finds secrets in plain characters and escapes.
 *
 * Goes from the end to the beginning, so that what an escape needs to know of
 * the places behind it is known already.
 *
 * @returns the escaped characters that base64 can consist of, from the last to the first.
 */
function findSpelt(view: View, patterns: Patterns, budget: Budget, found: Ranges): Unescaped {
  const { text, from, to, codings } = view;
  const { classes } = patterns;
  const isBytes = codings > 0 && !patterns.isAscii;
  const escapes: Unescaped = [];
  const reader = new EscapeReader({ text, from, to, isBytes }, patterns, budget);
  const walker = new Walker(text, patterns, reader, budget, found);
  for (let at = to - 1; at >= from; at -= 1) {
    const unit = text.charCodeAt(at);
    const kind = unit < 256 ? (classes[unit] ?? 0) : patterns.wide.has(unit) ? FIRST : 0;
    if ((kind & ESCAPE) !== 0 || (isBytes && unit >= 0x80)) {
      reader.read(at);
      // What a run of backslashes escapes is behind the last: one walk for all of them.
      if (unit === BACKSLASH && !patterns.hasBackslash) {
        const last = at;
        while (at > from && text.charCodeAt(at - 1) === BACKSLASH) at -= 1;
        if (at < last) reader.share(last, at);
      }
      let begins = (kind & FIRST) !== 0;
      let isOfOneRun = false;
      const end = reader.readings.firstAt(at) + reader.readings.countAt(at);
      for (let each = reader.readings.firstAt(at); each < end; each += 1) {
        const code = reader.readings.codeOf(each);
        begins ||=
          isFirst(patterns, code) && mayGoOn(text, reader.readings.endOf(each), code, patterns, reader);
        if (isOfOneRun || !isOfRun(code)) continue;
        isOfOneRun = true;
        escapes.push(at, reader.readings.endOf(each), code);
      }
      if (begins) walker.walk(at);
    } else if ((kind & FIRST) !== 0 && mayGoOn(text, at + 1, unit, patterns, reader)) walker.walk(at);
  }
  return escapes;
}

/** Whether a secret may begin with this character and what is behind it. */
function mayGoOn(text: string, at: number, code: number, patterns: Patterns, reader: EscapeReader): boolean {
  if (code >= 0x10000 || mayBeginWith(patterns, code, text.charCodeAt(at))) return true;
  const end = reader.readings.firstAt(at) + reader.readings.countAt(at);
  for (let each = reader.readings.firstAt(at); each < end; each += 1) {
    const next = reader.readings.codeOf(each);
    if (next >= 0x10000 || mayBeginWith(patterns, code, next)) return true;
  }
  return false;
}

/** Finds secrets in what base64 or hex stands for. */
function findCoded(run: Run, codings: number, patterns: Patterns, budget: Budget, found: Ranges): void {
  for (const decoded of decodings(run, patterns.shortest, budget)) {
    for (const [from, to] of textsIn(decoded.bytes, patterns, budget)) {
      const inner = search({ text: decoded.bytes, from, to, codings }, patterns, budget);
      for (let each = 0; each < inner.length; each += 2) {
        found.push(...placeOf(run, decoded, inner[each] ?? 0, inner[each + 1] ?? 0));
      }
    }
  }
}
