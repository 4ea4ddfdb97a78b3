import type { Budget } from './budget.js';
import { HASH, MAX_CODE_POINT, SEMICOLON } from './characters.js';
import type { EscapeTable } from './escape-table.js';
import { childOf, entityNames, type NameTrie } from './html-entity-names.js';

/** What an entity may stand for and where its name or number ends; the likeliest is the last. */
interface Candidates {
  readonly codes: number[];
  readonly ends: number[];
}

/**
 * Reads `&amp;`, `&#38;` and `&#x26;`, also without the semicolon, and adds what
 * they may stand for. Without the semicolon the end is not certain: the digits
 * behind a number may be the secret's own.
 *
 * @param at - the position behind the `&`.
 */
export function readEntity(table: EscapeTable, at: number, depth: number, budget: Budget): void {
  const { codes, ends } = table.matches(at, HASH)
    ? readNumber(table, table.readEnd, budget)
    : readName(table, at, budget);
  // The likeliest first, because escapes of escapes are made of the first.
  for (let each = codes.length - 1; each >= 0; each -= 1) {
    const end = ends[each] ?? 0;
    const code = codes[each] ?? 0;
    // If the `&` is plain and the semicolon is escaped, it is more likely the next character than the entity's end.
    const mayIncludeSemicolon = depth > 1 || table.text.charCodeAt(end) === SEMICOLON;
    if (!mayIncludeSemicolon) table.add(code, end, depth);
    if (table.matches(end, SEMICOLON)) table.add(code, table.readEnd, depth);
    if (mayIncludeSemicolon) table.add(code, end, depth);
  }
}

function readName(table: EscapeTable, at: number, budget: Budget): Candidates {
  const codes: number[] = [];
  const ends: number[] = [];
  const names = entityNames();
  for (let node = readLetter(table, names, 0, at); node > 0; ) {
    const end = table.readEnd;
    for (const code of names.codes[node] ?? []) {
      codes.push(code);
      ends.push(end);
    }
    budget.spend(1);
    node = readLetter(table, names, node, end);
  }
  return { codes, ends };
}

/** The child of a node for the letter at a position, plain or escaped; 0 if no name continues with it. Sets `readEnd`. */
function readLetter(table: EscapeTable, names: NameTrie, node: number, at: number): number {
  table.readEnd = at + 1;
  let child = childOf(names, node, table.text.charCodeAt(at));
  const stop = table.endAt(at);
  for (let each = table.firstAt(at); child === 0 && each < stop; each += 1) {
    child = childOf(names, node, table.codeOf(each));
    table.readEnd = table.endOf(each);
  }
  return child;
}

function readNumber(table: EscapeTable, at: number, budget: Budget): Candidates {
  const codes: number[] = [];
  const ends: number[] = [];
  const isHex = table.matchesLetter(at, 0x78);
  const base = isHex ? 16 : 10;
  let end = isHex ? table.readEnd : at;
  // An escaped digit behind plain ones is more likely the next character than a part of the number: the
  // candidates up to there, this many, are the likeliest.
  let likeliest = 0;
  let value = 0;
  for (let wasPlain = false, count = 0; ; count += 1) {
    const digit = table.readHex(end, 1);
    if (digit < 0 || digit >= base) {
      if (value > 0 || count === 0) break;
      codes.push(0);
      ends.push(end);
      break;
    }
    const isPlain = table.readEnd === end + 1;
    if (wasPlain && !isPlain && likeliest === 0) {
      if (value === 0) {
        codes.push(0);
        ends.push(end);
      }
      likeliest = codes.length;
    }
    wasPlain = isPlain;
    end = table.readEnd;
    value = value * base + digit;
    budget.spend(1);
    if (value > MAX_CODE_POINT) break;
    if (value === 0) continue;
    codes.push(value);
    ends.push(end);
  }
  codes.push(...codes.splice(0, likeliest));
  ends.push(...ends.splice(0, likeliest));
  return { codes, ends };
}
