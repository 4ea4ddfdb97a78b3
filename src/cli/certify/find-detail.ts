import { parseJson } from '../../reading/json.js';
import type { Detail } from './details.js';

/** What the application must show for a detail of an order: one of these strings, as a pattern for people and one for us. */
interface Expected {
  /** Such as `54.90` or `54,90`. */
  readonly shown: string;
  readonly pattern: RegExp;
}

/** The value at a path such as `payments.methods.-1.brand`; -1 is the last entry. */
function valueAt(document: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value.at(Number(key));
    return Object(value)[key];
  }, document);
}

const escapedPattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Not part of a longer word or number. */
const alone = (pattern: string, flags = 'iu') =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, flags);

function amount(value: number): Expected {
  const [units, cents] = value.toFixed(2).split('.');
  return {
    shown: `${units}.${cents}`,
    pattern: new RegExp(`(?<![\\d]|\\d[.,])${units}[.,]${cents}(?!\\d)`),
  };
}

const MONTHS = [
  'jan',
  'fev|feb',
  'mar',
  'abr|apr',
  'mai|may',
  'jun',
  'jul',
  'ago|aug',
  'set|sep',
  'out|oct',
  'nov',
  'dez|dec',
];

function day(at: Date): Expected {
  const [year, month, date] = at.toISOString().slice(0, 10).split('-') as [string, string, string];
  const [m, d] = [`0?${Number(month)}`, `0?${Number(date)}`];
  const name = `(?:${MONTHS[at.getUTCMonth()]})\\p{L}*\\.?`;
  const forms = [
    `${year}-${month}-${date}(?:T[\\d:.]+Z?)?`,
    `${d}[/.-]${m}(?:[/.-]\\d{2,4})?`,
    `${m}/${d}(?:/\\d{2,4})?`,
    `${d} (?:de )?${name}`,
    `${name} ${d}`,
  ];
  return { shown: `${date}/${month}`, pattern: alone(`(?:${forms.join('|')})`) };
}

function hour(at: Date): Expected {
  const minutes = String(at.getUTCMinutes()).padStart(2, '0');
  const utc = at.getUTCHours();
  const brasilia = (utc + 21) % 24;
  const any = [utc, brasilia, at.getHours()].map((each) => `0?${each}`).join('|');
  return {
    shown: `${String(brasilia).padStart(2, '0')}:${minutes}`,
    pattern: new RegExp(`(?<!\\d)(?:${any})[:h]${minutes}(?!\\d)`),
  };
}

/** What is looked for; empty if the order does not have it. */
function expectedOf(
  { text, digits, amounts, day: dayAt, hour: hourAt, words }: Detail,
  order: unknown,
): Expected[] {
  const dateAt = (path: string) => new Date(String(valueAt(order, path)));
  if (text !== undefined) {
    const shown = String(valueAt(order, text));
    return [{ shown, pattern: alone(escapedPattern(shown).replace(/\s+/g, '\\s+')) }];
  }
  if (digits !== undefined) {
    const shown = String(valueAt(order, digits));
    return [{ shown, pattern: new RegExp(`(?<!\\d)${[...shown].join('[./ -]?')}(?!\\d)`) }];
  }
  if (dayAt !== undefined) return [day(dateAt(dayAt))];
  if (hourAt !== undefined) return [hour(dateAt(hourAt))];
  if (words) {
    return words.map((word) => ({
      shown: word,
      pattern: alone(escapedPattern(word), word === word.toUpperCase() ? 'u' : 'iu'),
    }));
  }
  return (amounts ?? []).map(([path, less]) =>
    amount(Number(valueAt(order, path)) - (less === undefined ? 0 : Number(valueAt(order, less)))),
  );
}

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['ordf', 'ª'],
  ['ordm', 'º'],
]);

/** The accent of an entity such as `&atilde;`, to put behind its letter. */
const ACCENTS = new Map([
  ['acute', '\u0301'],
  ['grave', '\u0300'],
  ['circ', '\u0302'],
  ['tilde', '\u0303'],
  ['cedil', '\u0327'],
  ['uml', '\u0308'],
]);

const characterOf = (code: number, instead: string) =>
  code <= 0x10ffff ? String.fromCodePoint(code) : instead;

/** A string, with the colon behind it if it is a key, or another part of the structure. */
const PARTS_OF_JSON = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[[\]{},]/g;

/** Of JSON, only the strings and the numbers as they are written, each apart from the others; other text as it is. */
function valuesOf(answer: string): string {
  if (parseJson(answer) === undefined) return answer;
  return answer.replace(PARTS_OF_JSON, (_, string, colon) => (string && !colon ? JSON.parse(string) : ' | '));
}

/** The answer of an application as plain text: it may be a page, JSON or text. Only tags are removed, not `<<< 1003 >>>`. */
export function plainText(answer: string): string {
  return valuesOf(answer)
    .replace(/<(?:script|style)\b[\s\S]*?<\/(?:script|style)>/gi, ' ')
    .replace(/<(?:[a-z/!?][^<>]*)>/gi, ' ')
    .replace(/&([aceinouACEINOU])([a-z]+);/g, (whole, letter, name) => {
      const accent = ACCENTS.get(name);
      return accent === undefined ? whole : letter + accent;
    })
    .replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) =>
      name
        ? (ENTITIES.get(name) ?? whole)
        : characterOf(decimal ? Number(decimal) : Number.parseInt(hex, 16), whole),
    )
    .normalize('NFC');
}

/** Whether a text shows a detail of an order. */
export const isShown = (detail: Detail, order: unknown, text: string): boolean =>
  expectedOf(detail, order).some(({ pattern }) => pattern.test(text));

/** What is looked for, for people: `54.90`. */
export const lookedFor = (detail: Detail, order: unknown): string =>
  expectedOf(detail, order)
    .map(({ shown }) => shown)
    .slice(0, 3)
    .join(' | ');
