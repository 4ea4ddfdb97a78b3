import { parseJson } from '../../reading/json.js';
import type { Text } from './script.js';

/** What the application must show: a string such as `54.90`, and the pattern of its spellings. */
interface Expected {
  readonly shown: string;
  readonly pattern: RegExp;
}

/** How a detail of an order is found in the application's answer. Paths are those of the standard's order. */
export interface Detail {
  readonly what: Text;
  /** One of these must be shown. */
  readonly expectedIn: (order: unknown) => readonly Expected[];
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

/** The string at a path. */
export const text = (path: string) => (order: unknown) => {
  const shown = String(valueAt(order, path));
  return [{ shown, pattern: alone(escapedPattern(shown).replace(/\s+/g, '\\s+')) }];
};

/** The digits of the string at a path, with or without punctuation. */
export const digits = (path: string) => (order: unknown) => {
  const shown = String(valueAt(order, path));
  return [{ shown, pattern: new RegExp(`(?<!\\d)${[...shown].join('[./ -]?')}(?!\\d)`) }];
};

/** One of these words. In capitals: exactly so. */
export const words =
  (...all: readonly string[]) =>
  () =>
    all.map((word) => ({
      shown: word,
      pattern: alone(escapedPattern(word), word === word.toUpperCase() ? 'u' : 'iu'),
    }));

/** The amount at a path; with `less`, the difference of two amounts. */
export const amount = (path: string, less?: string) => (order: unknown) => {
  const value = Number(valueAt(order, path)) - (less === undefined ? 0 : Number(valueAt(order, less)));
  const [units, cents] = value.toFixed(2).split('.');
  const pattern = new RegExp(`(?<![\\d]|\\d[.,])${units}[.,]${cents}(?!\\d)`);
  return [{ shown: `${units}.${cents}`, pattern }];
};

const dateAt = (order: unknown, path: string) => new Date(String(valueAt(order, path)));

const MONTHS = 'jan fev|feb mar abr|apr mai|may jun jul ago|aug set|sep out|oct nov dez|dec'.split(' ');

/** The day of the instant at a path. */
export const day = (path: string) => (order: unknown) => {
  const at = dateAt(order, path);
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
  return [{ shown: `${date}/${month}`, pattern: alone(`(?:${forms.join('|')})`) }];
};

/** The hour of the instant at a path, in UTC, in Brasília or on this machine. */
export const hour = (path: string) => (order: unknown) => {
  const at = dateAt(order, path);
  const minutes = String(at.getUTCMinutes()).padStart(2, '0');
  const utc = at.getUTCHours();
  const brasilia = (utc + 21) % 24;
  const any = [utc, brasilia, at.getHours()].map((each) => `0?${each}`).join('|');
  const pattern = new RegExp(`(?<!\\d)(?:${any})[:h]${minutes}(?!\\d)`);
  return [{ shown: `${String(brasilia).padStart(2, '0')}:${minutes}`, pattern }];
};

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
export const isShown = ({ expectedIn }: Detail, order: unknown, text: string): boolean =>
  expectedIn(order).some(({ pattern }) => pattern.test(text));

/** What is looked for, for people: `54.90`. */
export const lookedFor = ({ expectedIn }: Detail, order: unknown): string =>
  expectedIn(order)
    .map(({ shown }) => shown)
    .slice(0, 3)
    .join(' | ');
