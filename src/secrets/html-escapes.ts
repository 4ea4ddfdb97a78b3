import type { Budget } from './budget.js';
import { HASH, MAX_CODE_POINT, SEMICOLON } from './characters.js';
import { entityNames, type NameTree, nextNode } from './entities.js';
import type { Readings } from './readings.js';

/** What a name or a number can stand for, from the likeliest on. */
interface Spelt {
  readonly codes: number[];
  readonly ends: number[];
}

/** `&amp;`, `&#38;`, `&#x26;`, also without the semicolon: what follows may be the secret's own then. */
export function readEntity(readings: Readings, at: number, depth: number, budget: Budget): void {
  const { codes, ends } = readings.reads(at, HASH)
    ? numbers(readings, readings.next, budget)
    : names(readings, at, budget);
  // From the likeliest on, which is the last: it is the one that other escapes are made of.
  for (let each = codes.length - 1; each >= 0; each -= 1) {
    const end = ends[each] ?? 0;
    const code = codes[each] ?? 0;
    // A semicolon in another spelling than `&` is more likely the next character.
    const isOwn = depth > 1 || readings.text.charCodeAt(end) === SEMICOLON;
    if (!isOwn) readings.add(code, end, depth);
    if (readings.reads(end, SEMICOLON)) readings.add(code, readings.next, depth);
    if (isOwn) readings.add(code, end, depth);
  }
}

function names(readings: Readings, at: number, budget: Budget): Spelt {
  const codes: number[] = [];
  const ends: number[] = [];
  const tree = entityNames();
  for (let node = nextOf(readings, tree, 0, at); node > 0; ) {
    const end = readings.next;
    for (const code of tree.codes[node] ?? []) {
      codes.push(code);
      ends.push(end);
    }
    budget.spend(1);
    node = nextOf(readings, tree, node, end);
  }
  return { codes, ends };
}

/** The names that go on with the letter that is here. */
function nextOf(readings: Readings, tree: NameTree, node: number, at: number): number {
  readings.next = at + 1;
  let next = nextNode(tree, node, readings.text.charCodeAt(at));
  const count = next > 0 ? 0 : readings.countAt(at);
  for (let each = readings.firstAt(at), end = each + count; next === 0 && each < end; each += 1) {
    next = nextNode(tree, node, readings.codeOf(each));
    readings.next = readings.endOf(each);
  }
  return next;
}

function numbers(readings: Readings, at: number, budget: Budget): Spelt {
  const codes: number[] = [];
  const ends: number[] = [];
  const isHex = readings.readsLetter(at, 0x78);
  const base = isHex ? 16 : 10;
  let end = isHex ? readings.next : at;
  // Behind plain digits an escaped one is more likely the next character than a further digit.
  let likely = 0;
  let value = 0;
  for (let wasPlain = false, count = 0; ; count += 1) {
    const digit = readings.hex(end, 1);
    if (digit < 0 || digit >= base) {
      if (value > 0 || count === 0) break;
      codes.push(0);
      ends.push(end);
      break;
    }
    const isPlain = readings.next === end + 1;
    if (wasPlain && !isPlain && likely === 0) {
      if (value === 0) {
        codes.push(0);
        ends.push(end);
      }
      likely = codes.length;
    }
    wasPlain = isPlain;
    end = readings.next;
    value = value * base + digit;
    budget.spend(1);
    if (value > MAX_CODE_POINT) break;
    if (value === 0) continue;
    codes.push(value);
    ends.push(end);
  }
  codes.push(...codes.splice(0, likely));
  ends.push(...ends.splice(0, likely));
  return { codes, ends };
}
