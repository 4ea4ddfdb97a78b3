/** Ranges of a text: pairs of start and end, flat, in any order. They may overlap. */
export type Ranges = number[];

/** Replaces each range by a mask. Ranges that overlap or touch become one mask. */
export function maskRanges(text: string, ranges: Ranges, mask: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (const [start, end] of merged(ranges)) {
    parts.push(text.slice(copied, start), mask);
    copied = end;
  }
  parts.push(text.slice(copied));
  return parts.join('');
}

function merged(ranges: Ranges): Array<[start: number, end: number]> {
  const pairs: Array<[number, number]> = [];
  for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at] ?? 0, ranges[at + 1] ?? 0]);
  pairs.sort(([one], [other]) => one - other);
  const disjoint: Array<[number, number]> = [];
  for (const [start, end] of pairs) {
    const last = disjoint.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else disjoint.push([start, end]);
  }
  return disjoint;
}
