/** Ranges of a text as pairs of start and end, in any order. */
export type Ranges = number[];

/** The text with one mask in place of each range; ranges that overlap or touch share a mask. */
export function masked(text: string, ranges: Ranges, mask: string): string {
  const parts: string[] = [];
  let shown = 0;
  for (const [start, end] of merged(ranges)) {
    parts.push(text.slice(shown, start), mask);
    shown = end;
  }
  parts.push(text.slice(shown));
  return parts.join('');
}

function merged(ranges: Ranges): Array<[start: number, end: number]> {
  const pairs: Array<[number, number]> = [];
  for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at] ?? 0, ranges[at + 1] ?? 0]);
  pairs.sort(([one], [other]) => one - other);
  const apart: Array<[number, number]> = [];
  for (const [start, end] of pairs) {
    const last = apart.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else apart.push([start, end]);
  }
  return apart;
}
