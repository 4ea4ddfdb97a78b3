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

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

const characterOf = (code: number, instead: string) =>
  code <= 0x10ffff ? String.fromCodePoint(code) : instead;

/** The answer of an application as plain text: it may be a page, JSON or text. Only tags are removed, not `<<< 1003 >>>`. */
export function plainText(answer: string): string {
  return answer
    .replace(/<(?:script|style)\b[\s\S]*?<\/(?:script|style)>/gi, ' ')
    .replace(/<(?:[a-z/!?][^<>]*)>/gi, ' ')
    .replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) =>
      name
        ? (ENTITIES[name] ?? whole)
        : characterOf(decimal ? Number(decimal) : Number.parseInt(hex, 16), whole),
    )
    .replace(/\\u([\da-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
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
