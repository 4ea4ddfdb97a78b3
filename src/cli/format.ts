import type { IssueAgainst } from '../errors/index.js';

/** A duration in its two largest units, such as `1 h 30 min`. A positive duration is at least `1 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(ms > 0 ? 1 : 0, Math.round(ms / 1000));
  const units: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = units.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** By how much a hub's clock differs from that of this machine. */
export const formatAhead = (ms: number): string =>
  `${formatDuration(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} this machine's clock`;

/** The local time of day of an instant in epoch ms, as `HH:MM:SS`. */
export const formatTimeOfDay = (at: number): string => new Date(at).toTimeString().slice(0, 8);

/** A count with its noun: `1 event`, `2 events`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The window of a limit: the spec has two lengths. */
export const formatWindow = (windowMs: number) => (windowMs === 3_600_000 ? 'hour' : 'minute');

/** Each line once, in the order in which they come, with how often it is there. */
export function tally(lines: readonly string[]): [line: string, times: number][] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts];
}

export const formatTimes = ([line, times]: readonly [string, number]) =>
  times === 1 ? line : `${line}, ${times} times`;

/** The first lines, and one for those that are left out, such as `and 3 more`. */
export function shortened(
  lines: readonly string[],
  max: number,
  rest = (left: number) => `and ${left} more`,
): readonly string[] {
  return lines.length > max ? [...lines.slice(0, max), rest(lines.length - max)] : lines;
}

export function formatAgainst(against: IssueAgainst): string {
  return against === 'sense' ? 'against sense' : `against the ${against}`;
}

/**
 * Characters that control a terminal or mislead its reader: C0, DEL and C1 controls, line and paragraph
 * separators, lone surrogates, and format characters (bidi overrides, invisible text). The two joiners are
 * allowed, because emoji and several scripts need them.
 */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|[^\P{Cf}\u200c\u200d]/gu;

/** Makes a string safe to print as one line. Each control character is replaced, so that no two words join. */
export function stripControl(text: string): string {
  return text.replace(CONTROL, (character) => (/\s/.test(character) ? ' ' : '\ufffd'));
}

/** Escapes control characters in JSON, so that none is lost; line breaks between its tokens stay. */
export function escapeControl(json: string): string {
  return json.replace(CONTROL, (character) =>
    character === '\n'
      ? character
      : character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** JSON in which every string, number and key is masked. */
export function maskedJson(value: unknown, mask: (text: string) => string, indent?: number): string {
  return JSON.stringify(
    value,
    (_, each: unknown) => {
      if (typeof each === 'string') return mask(each);
      if (typeof each === 'number') return mask(String(each)) === String(each) ? each : mask(String(each));
      if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
      const keys = Object.keys(each);
      if (keys.every((key) => mask(key) === key)) return each;
      return Object.fromEntries(Object.entries(each).map(([key, entry]) => [mask(key), entry]));
    },
    indent,
  );
}
